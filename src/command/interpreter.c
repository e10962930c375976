/*
 * interpreter.c - carry out lines, one by one or from a script
 *
 * A line is resolved to a command, its arguments are split as the command's
 * entry says, the function is called, and what it printed and said is written
 * out. Nothing here knows any particular command.
 */
#include "interpreter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

#include "arguments.h"
#include "output.h"

/* Scripts may source scripts; one that sources itself must end. */
enum { DEPTH_MAX = 32 };

struct interpreter *
interpreter_create(const struct interpreter_options *options)
{
	struct interpreter *interpreter = xcalloc(1, sizeof(*interpreter));

	interpreter->options = *options;
	return interpreter;
}

void interpreter_destroy(struct interpreter *interpreter)
{
	if (!interpreter)
		return;
	error_destroy(output_log_stop(interpreter));
	free(interpreter);
}

bool interpreter_is_done(const struct interpreter *interpreter)
{
	return interpreter->done;
}

void interpreter_log(struct interpreter *interpreter, const char *text)
{
	output_log_line(interpreter, "", text);
}

void interpreter_set_history(struct interpreter *interpreter,
			     void (*print)(void *context, struct str *out),
			     void *context)
{
	interpreter->print_history = print;
	interpreter->history_context = context;
}

/* ---- one command --------------------------------------------------------- */

struct error *call_usage(const struct call *call, const char *format, ...)
{
	struct str name = {0};
	struct error *error;
	char *reason;
	va_list ap;

	va_start(ap, format);
	reason = xvasprintf(format, ap);
	va_end(ap);
	command_name(call->command, &name);
	error = error_create(
		ERROR_USAGE, "%s; usage: %s%s%s", reason, str_text(&name),
		*call->command->arguments ? " " : "", call->command->arguments);
	free(reason);
	str_deinit(&name);
	return error;
}

struct error *call_flush(struct call *call)
{
	struct interpreter *interpreter = call->interpreter;
	struct str said = call->said, printed = call->printed;
	struct error *error;

	call->said = call->printed = (struct str){0};
	error = output_say(interpreter, str_text(&said), said.length);
	if (error || printed.length == 0)
		;
	else if (call->tokens.output)
		error = output_file(interpreter->options.ui,
				    call->tokens.output, &printed);
	else
		error = output_print(interpreter, str_text(&printed),
				     printed.length);
	str_deinit(&said);
	str_deinit(&printed);
	return error;
}

static struct error *check_count(const struct call *call)
{
	const struct command *command = call->command;

	if (call_count(call) < command->least)
		return call_usage(call, "an argument is missing");
	if (call_count(call) > command->most)
		return call_usage(call, "unexpected `%s'",
				  call_word(call, command->most));
	return NULL;
}

static struct error *read_arguments(struct call *call, const char *rest)
{
	const struct command *command = call->command;
	unsigned flags = TOKEN_COMMENTS;
	struct str text = {0};
	struct error *error;

	argument_labels(rest, command->labels, &text);
	while (text.length &&
	       isspace((unsigned char)text.data[text.length - 1]))
		text.data[--text.length] = '\0';
	if (command->flags & COMMAND_REST) {
		call->rest = xstrdup(token_skip_blanks(str_text(&text)));
		str_deinit(&text);
		return NULL;
	}
	if (command->flags & COMMAND_PRINTS)
		flags |= TOKEN_OUTPUT;
	error = tokenize(str_text(&text), flags, &call->tokens);
	str_deinit(&text);
	return error ? error : check_count(call);
}

static struct error *run_command(struct interpreter *interpreter,
				 const struct command *command,
				 const char *rest)
{
	struct call call = {.interpreter = interpreter,
			    .session = interpreter->options.session,
			    .command = command};
	struct error *error = read_arguments(&call, rest), *unwritten;

	if (!error)
		error = command->run(&call);
	/* What was done before a failure was done: tell it too. */
	unwritten = call_flush(&call);
	if (!error)
		error = unwritten;
	else
		error_destroy(unwritten);
	tokens_deinit(&call.tokens);
	free(call.rest);
	return error;
}

struct error *interpreter_line(struct interpreter *interpreter,
			       const char *line)
{
	const struct command *command;
	const char *rest;
	unsigned depth = interpreter->depth;
	struct error *error = command_resolve(line, &command, &rest);

	if (*token_skip_blanks(line))
		output_log_line(interpreter, ">", line);
	if (!error && command)
		error = run_command(interpreter, command, rest);
	if (error && depth == 0)
		output_log_line(interpreter, "", error_message(error));
	return error;
}

/* ---- scripts ------------------------------------------------------------- */

static void trim_newline(char *line, ssize_t length)
{
	while (length > 0 &&
	       (line[length - 1] == '\n' || line[length - 1] == '\r'))
		line[--length] = '\0';
}

static struct error *run_stream(struct interpreter *interpreter, FILE *file,
				const char *name)
{
	struct error *error = NULL;
	unsigned long number = 0;
	size_t capacity = 0;
	char *line = NULL;

	while (!error && !interpreter->done) {
		ssize_t length;

		errno = 0;
		length = getline(&line, &capacity, file);
		if (length < 0) {
			if (ferror(file) && errno == EINTR)
				error = error_create(ERROR_INTERRUPTED,
						     "interrupted");
			else if (ferror(file))
				error = error_system(errno, "cannot read");
			break;
		}
		number++;
		trim_newline(line, length);
		error = interpreter_line(interpreter, line);
	}
	free(line);
	if (error)
		error = error_prefix(error, "%s:%lu", name, number);
	return error;
}

struct error *interpreter_script(struct interpreter *interpreter,
				 const char *path)
{
	bool standard = str_equal(path, "-");
	struct error *error;
	FILE *file;

	if (interpreter->depth >= DEPTH_MAX)
		return error_create(ERROR_USAGE,
				    "%s: scripts are nested too deeply", path);
	file = standard ? stdin : fopen(path, "re");
	if (!file)
		return error_system(errno, "cannot read %s", path);
	interpreter->depth++;
	error = run_stream(interpreter, file,
			   standard ? "standard input" : path);
	interpreter->depth--;
	if (standard)
		clearerr(file);
	else
		fclose(file);
	return error;
}
