/*
 * question.c - see question.h. This file takes the candidates from completion
 * and explains each of them.
 */
#include "question.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"

#include "command/arguments.h"
#include "command/help/help.h"
#include "command/output.h"
#include "command/tokenizer.h"

/* MOST_LISTED: how many words without an explanation are listed at most.
 * NAME_WIDTH: the width of the column of words beside the explanations. */
#define MOST_LISTED 100
#define NAME_WIDTH 23

/* Returns the line without the `?` at its end and with one blank in its place.
 * Returns NULL if the last word of the line is not a `?`. The caller frees the
 * result. */
static char *before_question(const char *line)
{
	size_t end = strlen(line);
	struct str text = {0};

	while (end && isspace((unsigned char)line[end - 1]))
		end--;
	if (!end || line[--end] != '?' ||
	    (end && !isspace((unsigned char)line[end - 1])))
		return NULL;
	while (end && isspace((unsigned char)line[end - 1]))
		end--;
	str_append_n(&text, line, end);
	if (end)
		str_append_char(&text, ' ');
	return str_take(&text);
}

bool question_is_in(const char *line)
{
	CLEANUP(free_pointer) char *before = before_question(line);

	return before != NULL;
}

/* Returns the summary of the command whose words are the words of `line` and
 * then `word`, or "" if there is no such command. */
static const char *command_summary(const char *line, const char *word)
{
	/* some words belong to a command only if an argument follows, so an
	 * argument `x' is added */
	CLEANUP(free_pointer) char *whole = xasprintf("%s%s x", line, word);
	const struct command *command = NULL;
	const char *rest = "";

	error_destroy(command_resolve(whole, &command, &rest));
	/* If the word does not belong to the command's words, the word is an
	 * argument. */
	return command && strchr(command->words, ' ') &&
			       str_equal(token_skip_blanks(rest), "x")
		       ? command->summary
		       : "";
}

/* The question of the user that the tool is answering. */
struct question {
	struct interpreter *interpreter;
	const char *line; /* the text before the `?` */
	/* the command that the line begins with; NULL: none */
	const struct command *command;
	const struct completion *completion;
	/* the tables, in which the numbers are looked up; NULL: no candidate is
	 * a number */
	const struct tables *tables;
};

static void append_setting(const char *word, struct str *out)
{
	const struct session_setting *at;

	for (size_t i = 0; (at = session_setting_at(i)); i++)
		if (str_equal(at->name, word))
			str_append(out, at->summary);
}

static void append_topic(const char *word, struct str *out)
{
	for (const struct topic *topic = topics; topic->name; topic++)
		if (str_equal(topic->name, word))
			str_append(out, topic->summary);
}

/* Appends what a candidate that is a number stands for: the place of the node,
 * or the name of the leg. */
static void append_number(const struct question *question, const char *word,
			  struct str *out)
{
	const struct tables *tables = question->tables;
	bool of_nodes = question->completion->numbers == NUMBERS_NODES;
	uint32_t id;
	struct error *error = argument_id(word, "", &id);

	for (size_t i = 0; !error && of_nodes && i < tables->node_count; i++)
		if (tables->nodes[i].stats->id == id)
			str_printf(out, "%s of %s", tables->nodes[i].kind,
				   tables->nodes[i].location);
	for (size_t i = 0; !error && !of_nodes && i < tables->leg_count; i++)
		if (tables->legs[i].stats->id == id)
			str_append(out, tables->legs[i].name);
	error_destroy(error);
}

/* Appends one line that explains a candidate. Appends nothing if the word needs
 * no explanation. */
static void append_summary(const struct question *question, const char *word,
			   struct str *out)
{
	const char *words = question->command ? question->command->words : "";

	str_append(out, command_summary(question->line, word));
	if (out->length)
		return;
	str_append(out, word_summary(words, word));
	if (out->length)
		return;
	if (str_equal(words, "set") || str_equal(words, "show"))
		append_setting(word, out);
	else if (str_equal(words, "help"))
		append_topic(word, out);
	else if (question->tables)
		append_number(question, word, out);
}

/* Lists the candidates. The words with an explanation come first, because there
 * may be very many words without one. */
static void list(const struct question *question, struct str *out)
{
	const struct completion *completion = question->completion;
	struct str others = {0};
	size_t shown = 0;

	for (size_t i = 0; i < completion->count; i++) {
		const char *word = completion->words[i];
		struct str summary = {0};

		append_summary(question, word, &summary);
		if (summary.length)
			str_printf(out, "  %-*s %s\n", NAME_WIDTH, word,
				   str_text(&summary));
		else if (shown++ < MOST_LISTED)
			str_printf(&others, "  %s\n", word);
		str_deinit(&summary);
	}
	str_append(out, str_text(&others));
	str_deinit(&others);
	if (shown > MOST_LISTED)
		str_printf(out, "  ... and %zu more\n", shown - MOST_LISTED);
}

/* Returns the command that the line begins with, or NULL if the words of the
 * line do not select a command yet. */
static const struct command *command_of(const char *line)
{
	const struct command *command = NULL;
	const char *rest;

	error_destroy(command_resolve(line, &command, &rest));
	return command;
}

/* Writes a line with the command's arguments and its summary. */
static void write_usage(const struct command *command, struct str *out)
{
	command_name(command, out);
	str_printf(out, "%s%s: %s\n", *command->arguments ? " " : "",
		   command->arguments, command->summary);
}

/* Does the command itself use the `?`: as an operator of an expression, or as
 * text for a shell or for the program? `nothing`: completion has found no
 * candidates. */
static bool is_taken(const struct command *command, bool nothing)
{
	if (!command || !(command->flags & COMMAND_REST))
		return false;
	return nothing || str_starts(command->complete, "@file");
}

/* Writes what may come after the text `before`, and returns true. If
 * `may_be_taken` is true and the `?` is a part of the command (see is_taken()),
 * writes nothing and returns false. */
static bool answer(struct interpreter *interpreter, const char *before,
		   bool may_be_taken, struct str *out)
{
	struct completion completion;
	struct question question = {.interpreter = interpreter,
				    .line = before,
				    .command = command_of(before),
				    .completion = &completion};
	bool is_question;

	interpreter_complete(interpreter, before, &completion);
	if (completion.count && completion.numbers != NUMBERS_OTHER)
		question.tables = session_tables(interpreter->options.session);
	is_question = !may_be_taken ||
		      !is_taken(question.command, completion.count == 0);
	if (is_question) {
		if (question.command)
			write_usage(question.command, out);
		fields_tell(before, out);
		list(&question, out);
		if (!out->length)
			str_append(out, "perftool knows nothing that may come "
					"there; `help' lists all commands.\n");
	}
	completion_deinit(&completion);
	return is_question;
}

bool question_answer(struct interpreter *interpreter, const char *line,
		     struct str *out)
{
	CLEANUP(free_pointer) char *before = before_question(line);

	if (!before)
		return false;
	if (*before)
		return answer(interpreter, before, true, out);
	error_destroy(help_write("", out));
	return true;
}

struct error *question_tell(struct interpreter *interpreter, const char *before)
{
	struct str text = {0};
	struct error *error;

	answer(interpreter, before, false, &text);
	error = output_print(interpreter, str_text(&text), text.length);
	str_deinit(&text);
	return error;
}
