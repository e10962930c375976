/*
 * ask.c - what a command typed at a prompt needs, and was not given
 *
 * Each entry of the table names its arguments (`asks`). A line that lacks some
 * of them is asked for these, one by one, before it is run. A line that is
 * wrong in another way is left as it is: to run it tells what is wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

#include "arguments.h"
#include "interpreter.h"
#include "question.h"

/* The name at the index, of those parted by `|`; NULL: there is none. */
static char *name_at(const char *names, size_t index)
{
	while (names) {
		size_t length = strcspn(names, "|");

		if (index-- == 0)
			return xstrndup(names, length);
		names = names[length] ? names + length + 1 : NULL;
	}
	return NULL;
}

/* How many arguments the rest of a line has. What is no words, or cannot be
 * read as such, lacks nothing unless it is empty. */
static size_t count_arguments(const struct command *command, const char *rest)
{
	struct tokens tokens = {0};
	struct str text = {0};
	size_t count = SIZE_MAX;
	struct error *error;

	argument_labels(rest, command->labels, &text);
	if (!*token_skip_blanks(str_text(&text))) {
		count = 0;
	} else if (!(command->flags & COMMAND_REST)) {
		error = tokenize(str_text(&text), command_token_flags(command),
				 &tokens);
		if (!error)
			count = tokens.words.count;
		error_destroy(error);
		tokens_deinit(&tokens);
	}
	str_deinit(&text);
	return count;
}

/* Of a line: the first argument that it lacks, and what all are called. False:
 * it lacks none, or is wrong in another way. */
static bool is_lacking(const struct interpreter *interpreter, const char *line,
		       const char **names, size_t *index)
{
	CLEANUP(free_pointer)
	char *filled = fields_fill(&interpreter->fields, line);
	CLEANUP(free_pointer) char *name = NULL;
	const struct command *command = NULL;
	struct error *error;
	const char *rest;

	if (filled || fields_are_in(line) || question_is_in(line))
		return false;
	error = command_resolve(line, &command, &rest);
	if (error || !command || !command->asks) {
		error_destroy(error);
		return false;
	}
	*names = command->asks;
	*index = count_arguments(command, rest);
	name = name_at(*names, *index);
	return name != NULL;
}

/* Asks for the empty field that `Add!', `Delete!' or `Print!' needs, and sets
 * it. `*whole` is the line to run then: `line` itself, or, if the field refuses
 * the answer, the line that sets it, so that running it tells the error. NULL:
 * the user left the question. */
static void ask_for_field(struct interpreter *interpreter, const char *line,
			  const char *field, char **whole)
{
	const struct session_ui *ui = interpreter->options.ui;
	CLEANUP(str_deinit) struct str text = {0};
	CLEANUP(free_pointer) char *answer = NULL;
	struct error *error;

	str_printf(&text, "%s: ", field);
	if (!ui->ask(ui->context, field, str_text(&text), &answer) ||
	    !*token_skip_blanks(answer))
		return;
	str_append(&text, answer);
	error = fields_set(&interpreter->fields, str_text(&text));
	*whole = xstrdup(error ? str_text(&text) : line);
	error_destroy(error);
}

void interpreter_ask(struct interpreter *interpreter, const char *line,
		     char **whole)
{
	const char *field = fields_lacked(&interpreter->fields, line);
	const struct session_ui *ui = interpreter->options.ui;
	CLEANUP(str_deinit) struct str text = {0};
	const char *names;
	size_t index;
	char *name;

	*whole = NULL;
	if (ui && ui->ask && field) {
		ask_for_field(interpreter, line, field, whole);
		return;
	}
	if (!ui || !ui->ask || !is_lacking(interpreter, line, &names, &index)) {
		*whole = xstrdup(line);
		return;
	}
	str_append_n(&text, line, token_without_comment(line));
	for (; (name = name_at(names, index)); index++) {
		CLEANUP(free_pointer) char *answer = NULL;
		bool is_given;

		str_append_char(&text, ' ');
		is_given = ui->ask(ui->context, name, str_text(&text), &answer);
		free(name);
		if (!is_given || !*token_skip_blanks(answer))
			return;
		str_append(&text, answer);
	}
	*whole = str_take(&text);
}
