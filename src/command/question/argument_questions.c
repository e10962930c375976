/*
 * argument_questions.c - ask the user at a prompt for arguments that a command
 * needs and the line lacks
 *
 * Each entry of the table of commands names its arguments (`asks`). If a line
 * lacks some of them, the tool asks for these arguments, one by one, before it
 * runs the line. If the line is wrong in another way, the tool asks nothing and
 * runs the line as it is: the error then tells the user what is wrong.
 *
 * A prompt that is elsewhere cannot be asked while a line is being looked at.
 * It asks the user itself, and sends all answers so far with the line each
 * time.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/session/user_interface.h"

#include "command/arguments.h"
#include "command/interpreter.h"
#include "command/output.h"
#include "question.h"

/* Returns the name at the index in a list of names separated by `|`, or NULL if
 * the list has no such name. The caller frees the result. */
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

/* Do the arguments consist only of a label (the memo's name of a parameter), or
 * of the beginning of a label, without its colon? */
static bool is_label(const struct command *command, const struct words *words)
{
	return (command->flags & COMMAND_LABEL_IS_WORD) && words->count == 1 &&
	       str_starts_nocase(command->labels, words->data[0]);
}

/* Returns the number of arguments in the rest of a line. If the command does
 * not split the rest into words, or if the rest cannot be split into words, the
 * function returns 0 for an empty rest, and otherwise so many that the line
 * lacks no arguments. */
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
			count = is_label(command, &tokens.words)
					? 0
					: tokens.words.count;
		error_destroy(error);
		tokens_deinit(&tokens);
	}
	str_deinit(&text);
	return count;
}

/* The arguments that a command needs and a line does not have. */
struct lacking {
	const char *names; /* the names of the command's arguments */
	/* the index of the first argument that the line lacks */
	size_t index;
};

/* Finds the arguments that the line lacks. Returns false if the line lacks no
 * argument, or is wrong in another way. */
static bool is_lacking(const struct interpreter *interpreter, const char *line,
		       struct lacking *lacking)
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
	lacking->names = command->asks;
	lacking->index = count_arguments(command, rest);
	if (str_equal(command->words, "break") &&
	    break_keyword_alone(interpreter->options.session,
				token_skip_blanks(rest)))
		*lacking = (struct lacking){.names = "function"};
	name = name_at(lacking->names, lacking->index);
	return name != NULL;
}

/* ---- asking ---------------------------------------------------------------
 */

/* Who answers questions: `ask` is that of struct session_ui. */
struct asker {
	bool (*ask)(void *context, const char *name, const char *before,
		    char **answer);
	void *context;
};

/* Asks the user for the word that follows the text `before`. If the answer is
 * `?', the tool lists what may come there and asks again. `*answer` is NULL if
 * the user gives no answer; otherwise the caller frees it. */
static struct error *ask_one(struct interpreter *interpreter,
			     const struct asker *asker, const char *name,
			     const char *before, char **answer)
{
	*answer = NULL;
	for (;;) {
		CLEANUP(free_pointer) char *text = NULL;
		size_t length;

		if (!asker->ask(asker->context, name, before, &text))
			return NULL;
		length = strcspn(text, "?");
		if (*token_skip_blanks(text) != '?' ||
		    *token_skip_blanks(text + length + 1)) {
			*answer = *token_skip_blanks(text)
					  ? xstrdup(token_skip_blanks(text))
					  : NULL;
			return NULL;
		}
		TRY(question_tell(interpreter, before));
	}
}

static size_t count_words(const char *answer)
{
	static const char *const kinds[] = {"entry ",  "exit ",   "xit ",
					    "return ", "blocks ", "calls "};
	struct tokens tokens;
	size_t count;
	struct error *error = tokenize(answer, TOKEN_NAMES, &tokens);

	if (error) {
		/* The answer cannot be split into words. The command will
		 * report the error. */
		error_destroy(error);
		return 1;
	}
	count = tokens.words.count;
	tokens_deinit(&tokens);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (count == 2 && str_starts_nocase(answer, kinds[i]))
			return 1;
	return count;
}

/* Returns an error if the answer is not one word, because the command would
 * take two words as two arguments. Removes a comment from the end of the
 * answer. */
static struct error *check_answer(const char *name, char *answer)
{
	bool is_node = strcasestr(name, " node") != NULL;

	answer[token_without_comment(answer)] = '\0';
	if (is_node && (count_words(answer) != 1 || *answer == '-'))
		return error_create(ERROR_USAGE,
				    "`%s' is not a node number or a place",
				    answer);
	if (count_words(answer) != 1)
		return error_create(ERROR_USAGE,
				    "`%s' is not one word: give one word for "
				    "`%s'",
				    answer, name);
	return NULL;
}

/* Asks for the empty field that `Add!', `Delete!' or `Print!' needs, and sets
 * the field. `*whole` is the line to run then, or NULL if the user gave no
 * answer. */
static struct error *ask_for_field(struct interpreter *interpreter,
				   const struct asker *asker, const char *line,
				   const char *field, char **whole)
{
	CLEANUP(str_deinit) struct str text = {0};
	CLEANUP(free_pointer) char *answer = NULL;

	str_printf(&text, "%s: ", field);
	TRY(ask_one(interpreter, asker, field, str_text(&text), &answer));
	if (!answer)
		return NULL;
	str_append(&text, answer);
	TRY(fields_set(&interpreter->fields, str_text(&text)));
	*whole = xstrdup(line);
	return NULL;
}

/* Asks for all arguments that the line lacks. `*whole` is the line with these
 * arguments, or NULL if the user gave no answer. */
static struct error *ask_for_arguments(struct interpreter *interpreter,
				       const struct asker *asker,
				       const char *line, struct lacking lacking,
				       char **whole)
{
	CLEANUP(str_deinit) struct str text = {0};
	size_t index = lacking.index;

	str_append_n(&text, line, token_without_comment(line));
	for (;; index++) {
		CLEANUP(free_pointer)
		char *name = name_at(lacking.names, index);
		CLEANUP(free_pointer)
		char *next = name_at(lacking.names, index + 1);
		CLEANUP(free_pointer) char *answer = NULL;

		if (!name)
			break;
		str_append_char(&text, ' ');
		TRY(ask_one(interpreter, asker, name, str_text(&text),
			    &answer));
		if (!answer)
			return NULL;
		if (next)
			TRY(check_answer(name, answer));
		str_append(&text, answer);
	}
	*whole = str_take(&text);
	return NULL;
}

/* `asker`: NULL: there is nobody who can be asked. */
static struct error *complete_line(struct interpreter *interpreter,
				   const struct asker *asker, const char *line,
				   char **whole)
{
	struct lacking lacking;
	const char *field;

	*whole = NULL;
	line = interpreter_skip_prompt(line);
	field = fields_lacked(&interpreter->fields, line);
	if (asker && field)
		return ask_for_field(interpreter, asker, line, field, whole);
	if (asker && is_lacking(interpreter, line, &lacking))
		return ask_for_arguments(interpreter, asker, line, lacking,
					 whole);
	*whole = xstrdup(line);
	return NULL;
}

struct error *interpreter_ask(struct interpreter *interpreter, const char *line,
			      char **whole)
{
	const struct session_ui *ui = interpreter->options.ui;
	const struct asker asker = {ui ? ui->ask : NULL,
				    ui ? ui->context : NULL};

	return complete_line(interpreter, asker.ask ? &asker : NULL, line,
			     whole);
}

/* ---- a prompt that is elsewhere ------------------------------------------ */

/* The answers that the user has given so far, of which `next` is taken next.
 * `out` gets the question after the last one. */
struct given_answers {
	char *const *answers;
	size_t count, next;
	struct prepared_line *out;
};

static bool take_answer(void *context, const char *name, const char *before,
			char **answer)
{
	struct given_answers *given = context;

	if (given->next < given->count) {
		*answer = xstrdup(given->answers[given->next++]);
		return true;
	}
	given->out->name = xstrdup(name);
	given->out->before = xstrdup(before);
	return false;
}

struct error *interpreter_prepare(struct interpreter *interpreter,
				  const char *line, char *const *answers,
				  size_t count, struct prepared_line *out)
{
	struct given_answers given = {
		.answers = answers, .count = count, .out = out};
	const struct asker asker = {take_answer, &given};
	struct str text = {0};
	struct error *error;

	*out = (struct prepared_line){0};
	if (question_answer(interpreter, interpreter_skip_prompt(line), &text))
		error = output_print(interpreter, str_text(&text), text.length);
	else
		error = complete_line(interpreter, &asker, line, &out->line);
	str_deinit(&text);
	return error;
}

void prepared_line_deinit(struct prepared_line *prepared)
{
	free(prepared->line);
	free(prepared->name);
	free(prepared->before);
	*prepared = (struct prepared_line){0};
}
