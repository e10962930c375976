/*
 * question.c - see question.h
 */
#include "question.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"

#include "help.h"

/* So many are listed. */
#define MOST_LISTED 100
#define NAME_WIDTH 23

/* The line without the `?` at its end, and with one blank there; NULL: it does
 * not end so. */
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

/* The one line on what the words of the line and this one are together. */
static const char *summary_of(const char *line, const char *word)
{
	CLEANUP(free_pointer) char *whole = xasprintf("%s%s", line, word);
	const struct command *command = NULL;
	const char *rest = "";

	error_destroy(command_resolve(whole, &command, &rest));
	/* where the word is no command's, it is an argument */
	return command && strchr(command->words, ' ') && !*rest
		       ? command->summary
		       : "";
}

static void list(const char *line, const struct completion *completion,
		 struct str *out)
{
	for (size_t i = 0; i < completion->count && i < MOST_LISTED; i++) {
		const char *word = completion->words[i];
		const char *summary = summary_of(line, word);

		if (*summary)
			str_printf(out, "  %-*s %s\n", NAME_WIDTH, word,
				   summary);
		else
			str_printf(out, "  %s\n", word);
	}
	if (completion->count > MOST_LISTED)
		str_printf(out, "  ... and %zu more\n",
			   completion->count - MOST_LISTED);
}

/* The command that the line begins; NULL: its words name none yet. */
static const struct command *command_of(const char *line)
{
	const struct command *command = NULL;
	const char *rest;

	error_destroy(command_resolve(line, &command, &rest));
	return command;
}

/* What the command takes. */
static void write_usage(const struct command *command, struct str *out)
{
	command_name(command, out);
	str_printf(out, "%s%s: %s\n", *command->arguments ? " " : "",
		   command->arguments, command->summary);
}

/* Does the command itself use the `?`: as an operator of an expression, or to
 * pass it to a shell or to the program? `nothing`: completion finds nothing. */
static bool is_taken(const struct command *command, bool nothing)
{
	if (!command || !(command->flags & COMMAND_REST))
		return false;
	return nothing || str_starts(command->complete, "@file");
}

bool question_answer(struct interpreter *interpreter, const char *line,
		     struct str *out)
{
	CLEANUP(free_pointer) char *before = before_question(line);
	const struct command *command;
	struct completion completion;
	bool is_question;

	if (!before)
		return false;
	if (!*before) {
		error_destroy(help_write("", out));
		return true;
	}
	command = command_of(before);
	interpreter_complete(interpreter, before, &completion);
	is_question = !is_taken(command, completion.count == 0);
	if (is_question) {
		if (command)
			write_usage(command, out);
		list(before, &completion, out);
		if (!out->length)
			str_append(out, "Nothing is known that may come there; "
					"`help' lists all commands.\n");
	}
	completion_deinit(&completion);
	return is_question;
}
