/*
 * interpreter.c - execute a line
 *
 * For each line, the interpreter finds the command, splits the arguments as the
 * command's entry says, calls the command's function, and writes what the
 * command has printed and said. No code here depends on a particular command.
 *
 * If the tool is attached to a program, the program runs between the commands.
 * It continues as soon as the command's function has returned, and the
 * interpreter handles its events while a script waits for its next line.
 */
#include "interpreter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/duration.h"
#include "perftool/base/monotonic.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"

#include "arguments.h"
#include "command/question/question.h"
#include "output.h"

/* No command needs a longer line. The limit exists because some of the code
 * that reads a line takes time in proportion to the square of the line's length
 * in the worst case. */
enum { LINE_LENGTH_MAX = 65536 };

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
	fields_deinit(&interpreter->fields);
	expectations_deinit(&interpreter->expectations);
	free(interpreter);
}

struct error *interpreter_close(struct interpreter *interpreter)
{
	struct error *error = session_trace_off(interpreter->options.session);

	return error_first(error, output_log_stop(interpreter));
}

size_t interpreter_commands(const struct interpreter *interpreter)
{
	return interpreter->commands;
}

uint64_t interpreter_begin_limit(struct interpreter *interpreter)
{
	uint64_t limit = interpreter->options.time_limit;

	if (limit && !interpreter->deadline)
		interpreter->deadline = monotonic_now() + limit;
	return interpreter->deadline ? interpreter->deadline : UINT64_MAX;
}

void interpreter_set_end(struct interpreter *interpreter, uint64_t end)
{
	interpreter->deadline = end;
}

bool interpreter_time_is_over(const struct interpreter *interpreter)
{
	return interpreter->is_time_over;
}

bool interpreter_is_ended_by_user(const struct interpreter *interpreter)
{
	return interpreter->is_ended_by_user;
}

bool interpreter_ran_after_end(const struct interpreter *interpreter)
{
	return interpreter->ran_after_end;
}

bool interpreter_is_done(const struct interpreter *interpreter)
{
	return interpreter->done;
}

void interpreter_log(struct interpreter *interpreter, const char *text)
{
	output_log_line(interpreter, "", text);
}

void interpreter_set_width(struct interpreter *interpreter, int columns)
{
	interpreter->width = columns;
}

unsigned interpreter_set_depth(struct interpreter *interpreter, unsigned depth)
{
	unsigned before = interpreter->depth;

	interpreter->depth = depth;
	return before;
}

void interpreter_set_history(struct interpreter *interpreter,
			     void (*print)(void *context, struct str *out),
			     void *context)
{
	interpreter->print_history = print;
	interpreter->history_context = context;
}

void interpreter_set_operations(struct interpreter *interpreter,
				operation_fn *operate, void *context)
{
	interpreter->operate = operate;
	interpreter->operate_context = context;
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

static struct error *print_to_file(const struct call *call, const char *name,
				   const struct str *text)
{
	CLEANUP(free_pointer) char *path = NULL;

	TRY(output_path(call->session, name, &path));
	return output_file(call->interpreter->options.ui, path, text);
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
		error = print_to_file(call, call->tokens.output, &printed);
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
	error = tokenize(str_text(&text), command_token_flags(command),
			 &call->tokens);
	str_deinit(&text);
	return error ? error : check_count(call);
}

/* Gives each line to the user as a separate remark. The function overwrites the
 * newlines in `text`. */
static void note_lines(const struct session_ui *ui, char *text)
{
	for (char *end; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		ui->note(ui->context, text);
	}
}

static void warn_of_unfound(const struct interpreter *interpreter)
{
	const struct session_ui *ui = interpreter->options.ui;
	struct str text = {0};

	session_describe_unfound(interpreter->options.session, &text);
	if (text.length && ui && ui->note)
		note_lines(ui, text.data);
	str_deinit(&text);
}

void call_stop(struct interpreter *interpreter, const struct session_stop *stop,
	       struct str *out)
{
	struct session *session = interpreter->options.session;

	session_describe_stop(session, stop, out);
	if (out->length && out->data[out->length - 1] != '\n')
		str_append_char(out, '\n');
	if (stop->reason != STOP_EXITED && stop->reason != STOP_SIGNALED)
		return;
	if (interpreter->options.messages)
		session_describe_unresolved(session, out);
	else
		warn_of_unfound(interpreter);
}

/* Ends the command for an attached program: if the program stood still for this
 * command, the program continues. */
static struct error *go_on(struct call *call)
{
	struct session_stop stop;
	uint64_t stood;
	bool stopped;

	TRY(session_go_on(call->session, &stood, &stopped, &stop));
	if (stood) {
		str_append(&call->said, "The program stood still for ");
		duration_describe(stood, &call->said);
		str_append_char(&call->said, '\n');
	}
	if (stopped)
		call_stop(call->interpreter, &stop, &call->said);
	return NULL;
}

/* Removes the user's request to interrupt if this request has ended a command,
 * so that the request does not end the next command, too. */
static void forget_request(const struct interpreter *interpreter,
			   const struct error *error)
{
	if (error && error_code(error) == ERROR_INTERRUPTED)
		interpreter_is_interrupted(interpreter);
}

static struct error *run_command(struct interpreter *interpreter,
				 const struct command *command,
				 const char *rest)
{
	struct call call = {.interpreter = interpreter,
			    .session = interpreter->options.session,
			    .command = command};
	struct error *error = read_arguments(&call, rest), *last;

	interpreter->ran_after_end |=
		interpreter->is_time_over || interpreter->is_ended_by_user;
	if (!error)
		error = command->run(&call);
	forget_request(interpreter, error);
	session_check_files(call.session);
	last = go_on(&call);
	/* The command may fail after a part of its work. The tool tells the
	 * user what this part has done, too. */
	last = error_first(last, call_flush(&call));
	forget_request(interpreter, last);
	error = error_first(error, last);
	if (!error && expectations_are_due(interpreter))
		expectations_check(interpreter);
	tokens_deinit(&call.tokens);
	free(call.rest);
	return error;
}

struct error *interpreter_check_length(size_t length)
{
	if (length <= LINE_LENGTH_MAX)
		return NULL;
	return error_create(ERROR_USAGE,
			    "the line is too long: a command has at most %d "
			    "bytes",
			    LINE_LENGTH_MAX);
}

/* If the line is a question (it ends in `?`) and there is a prompt, answers the
 * line. Returns false if the line is no question. */
static bool answer_question(struct interpreter *interpreter, const char *line,
			    struct error **error)
{
	struct str text = {0};
	bool is_question = !interpreter_is_script(interpreter) &&
			   question_answer(interpreter, line, &text);

	if (is_question) {
		output_log_line(interpreter, ">", line);
		*error =
			output_print(interpreter, str_text(&text), text.length);
	}
	str_deinit(&text);
	return is_question;
}

const char *interpreter_skip_prompt(const char *line)
{
	const char *at = token_skip_blanks(line);

	return *at == '>' ? token_skip_blanks(at + 1) : line;
}

/* Finds the command of a line. If no command fits, the line may be a field of
 * the memo's window whose colon is missing; an error about the field helps the
 * user more then. */
static struct error *resolve(const char *line, const struct command **command,
			     const char **rest)
{
	struct error *error = command_resolve(line, command, rest);
	struct error *better = error ? fields_without_colon(line) : NULL;

	if (!better)
		return error;
	error_destroy(error);
	return better;
}

struct error *interpreter_line(struct interpreter *interpreter,
			       const char *line)
{
	CLEANUP(free_pointer) char *filled = NULL;
	const struct command *command = NULL;
	const char *rest;
	unsigned depth = interpreter->depth;
	bool is_field;
	struct error *error;

	line = interpreter_skip_prompt(line);
	is_field = fields_are_in(line);
	TRY(interpreter_check_length(strlen(line)));
	if (answer_question(interpreter, line, &error))
		return error;
	filled = fields_fill(&interpreter->fields, line);
	error = is_field ? fields_set(&interpreter->fields, line)
			 : fields_check(&interpreter->fields, line);
	if (!error && !is_field)
		error = resolve(filled ? filled : line, &command, &rest);
	if (*token_skip_blanks(line))
		output_log_line(interpreter, ">", line);
	interpreter->commands += is_field || error || command;
	if (!error && command)
		error = run_command(interpreter, command, rest);
	if (error && depth == 0)
		output_log_line(interpreter, "", error_message(error));
	return error;
}

struct error *interpreter_serve(struct interpreter *interpreter,
				session_enough_fn *enough, void *context,
				struct str *told)
{
	struct session *session = interpreter->options.session;
	struct session_stop stop;
	size_t start = told->length;
	bool stopped;

	TRY(session_serve(session, enough, context, &stopped, &stop));
	if (!stopped)
		return NULL;
	call_stop(interpreter, &stop, told);
	output_log_text(interpreter, told->data + start, told->length - start);
	return NULL;
}

bool interpreter_runs_on(const struct interpreter *interpreter)
{
	return session_runs_on(interpreter->options.session);
}

bool interpreter_is_script(const struct interpreter *interpreter)
{
	return !interpreter->options.interactive || interpreter->depth;
}

bool interpreter_is_interrupted(const struct interpreter *interpreter)
{
	return output_interrupted(interpreter->options.ui);
}
