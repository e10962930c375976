/*
 * command_operation.c - COMMAND, ASK and COMPLETE: a line of perftool's command
 * language, what it lacks, and what the beginning of a line can become
 */
#include "desk.h"
#include "perftool/base/alloc.h"
#include "perftool/base/string_list.h"
#include "perftool/document.h"
#include "perftool/session/measurements.h"

#include <stdlib.h>

/* The widest terminal that the kernel can tell of. */
enum { COLUMNS_MAX = 65535 };

/* Adds what the interpreter has printed to a result, and forgets it. */
static void take_output(struct desk *desk, struct json_object *result)
{
	fflush(desk->stream);
	/* Behind the output is the rest of an earlier one that was longer. */
	desk->text[desk->length] = '\0';
	json_object_object_add(result, "output", document_text(desk->text));
	rewind(desk->stream);
}

/* A line that is being carried out. */
struct line {
	struct desk *desk;
	const struct caller *caller;
	int columns;
	/* was the monitor on when agents were told of it last? */
	bool was_on;
};

/* The command `monitor' is for agents, too, as the variable is. */
static struct error *tell_agents(struct line *line)
{
	bool was_on = line->was_on;

	line->was_on = session_monitor_is_on(line->desk->session);
	return line->was_on != was_on ? agents_pause(line->desk, was_on) : NULL;
}

/* Waits while other lines are carried out, which have outputs of their own. */
static bool wait_in_line(void *context, session_enough_fn *enough,
			 void *enough_context)
{
	struct line *line = context;
	struct desk *desk = line->desk;
	CLEANUP(str_deinit) struct str output = {0};
	unsigned depth;
	bool is_enough;

	error_destroy(tell_agents(line));
	fflush(desk->stream);
	str_append_n(&output, desk->text, desk->length);
	rewind(desk->stream);
	desk->is_in_line = false;
	interpreter_set_width(desk->interpreter, 0);
	depth = interpreter_set_depth(desk->interpreter, 0);
	session_set_wait(desk->session, NULL, NULL);
	is_enough = line->caller->wait(line->caller->wait_context, enough,
				       enough_context);
	line->was_on = session_monitor_is_on(desk->session);
	session_set_wait(desk->session, wait_in_line, context);
	interpreter_set_depth(desk->interpreter, depth);
	interpreter_set_width(desk->interpreter, line->columns);
	desk->is_in_line = true;
	fwrite(str_text(&output), 1, output.length, desk->stream);
	return is_enough;
}

/* Lets others go on while the line waits, if the caller can do that. */
static struct error *carry_out(const struct invocation *invocation,
			       const char *text, int columns)
{
	struct desk *desk = invocation->desk;
	struct line line = {desk, invocation->caller, columns,
			    session_monitor_is_on(desk->session)};
	bool is_inner = desk->is_in_line;
	struct error *error;

	interpreter_set_width(desk->interpreter, columns);
	desk->is_in_line = true;
	if (invocation->caller->wait && !is_inner)
		session_set_wait(desk->session, wait_in_line, &line);
	error = interpreter_line(desk->interpreter, text);
	if (!is_inner)
		session_set_wait(desk->session, NULL, NULL);
	desk->is_in_line = is_inner;
	return error ? error : tell_agents(&line);
}

static struct error *run_line(struct invocation *invocation)
{
	struct desk *desk = invocation->desk;
	struct json_object *result;
	const char *line = NULL;
	struct error *error;
	double columns = 0;
	bool was_busy;

	TRY(params_text(invocation->params, "text", &line));
	if (!line)
		TRY(params_needs_text(invocation->params, "line", &line));
	TRY(params_number(invocation->params, "columns", &columns));
	if (!(columns >= 0 && columns <= COLUMNS_MAX))
		return error_create(ERROR_USAGE,
				    "`columns' is a number from 0 to %d",
				    COLUMNS_MAX);
	/* A command may run the program, and uses nothing that libraries change
	 * here. */
	was_busy = desk->is_busy;
	desk->is_busy = false;
	error = carry_out(invocation, line, (int)columns);
	interpreter_set_width(desk->interpreter, 0);
	desk->is_busy = was_busy;
	result = json_object_new_object();
	json_object_object_add(result, "status", json_object_new_int(!!error));
	if (error)
		json_object_object_add(result, "error",
				       document_text(error_message(error)));
	take_output(desk, result);
	error_destroy(error);
	invocation->result = result;
	return NULL;
}

static const struct member command_parameters[] = {
	{"line", "text",
	 "the line, as at the prompt; in XML also as the text of the message"},
	{"columns", "number",
	 "the width that tables shall fit; without it, or with 0, they are as "
	 "wide as they need to be"},
	{0}};

static const struct member command_reply[] = {
	{"status", "number", "0, or 1 if the command has failed"},
	{"error", "text", "why it has failed"},
	{"output", "text", "what the command has printed and said"},
	{0}};

static void add_text(struct json_object *result, const char *name,
		     const char *text)
{
	if (text)
		json_object_object_add(result, name, document_text(text));
}

/* Reads the answers that the user has given so far. */
static struct error *read_answers(struct json_object *params,
				  struct string_list *out)
{
	for (size_t i = 0; i < params_count(params, "answer"); i++) {
		struct json_object *one = params_at(params, "answer", i);

		if (!json_object_is_type(one, json_type_string))
			return error_create(ERROR_USAGE,
					    "`answer' must be texts");
		vec_push(out, xstrdup(json_object_get_string(one)));
	}
	return NULL;
}

static struct error *ask(struct invocation *invocation)
{
	struct desk *desk = invocation->desk;
	struct string_list answers = {0};
	struct prepared_line prepared = {0};
	const char *line = NULL;
	struct error *error;

	TRY(params_needs_text(invocation->params, "line", &line));
	error = read_answers(invocation->params, &answers);
	if (!error)
		error = interpreter_prepare(desk->interpreter, line,
					    answers.data, answers.count,
					    &prepared);
	invocation->result = json_object_new_object();
	add_text(invocation->result, "line", prepared.line);
	add_text(invocation->result, "name", prepared.name);
	add_text(invocation->result, "before", prepared.before);
	take_output(desk, invocation->result);
	prepared_line_deinit(&prepared);
	string_list_deinit(&answers);
	return error;
}

static const struct member ask_parameters[] = {
	{"line", "text", "the line that the user has typed"},
	{"answer[]", "text",
	 "what the user has answered so far, in the order of the questions"},
	{0}};

static const struct member ask_reply[] = {
	{"line", "text", "the line to give as COMMAND: it lacks nothing"},
	{"name", "text",
	 "what the user must be asked for, as a prompt calls it"},
	{"before", "text",
	 "the text after which that word comes, for COMPLETE; if neither it "
	 "nor `line` is there, there is nothing to do"},
	{"output", "text",
	 "what may come in the place of a `?`, which the line ends in or which "
	 "is the last answer; the question is then the same again"},
	{0}};

static struct error *complete(struct invocation *invocation)
{
	struct json_object *result, *words;
	struct completion completion;
	const char *line = NULL;

	TRY(params_needs_text(invocation->params, "line", &line));
	interpreter_complete(invocation->desk->interpreter, line, &completion);
	result = json_object_new_object();
	words = json_object_new_array();
	for (size_t i = 0; i < completion.count; i++)
		json_object_array_add(words,
				      document_text(completion.words[i]));
	json_object_object_add(
		result, "start",
		json_object_new_int64((int64_t)completion.start));
	json_object_object_add(result, "word", words);
	completion_deinit(&completion);
	invocation->result = result;
	return NULL;
}

static const struct member complete_parameters[] = {
	{"line", "text",
	 "the beginning of a line, up to the end of the word to complete"},
	{0}};

static const struct member complete_reply[] = {
	{"start", "number",
	 "the byte of the line, counted from 0, at which that word begins"},
	{"word[]", "text", "what the word may become, sorted"},
	{0}};

const struct operation command_operations[] = {
	{.name = "command",
	 .takes_text = true,
	 .summary = "Runs one line of the command language.",
	 .parameters = command_parameters,
	 .reply = command_reply,
	 .run = run_line},
	{.name = "ask",
	 .summary = "Finds the arguments that a line lacks, one after the "
		    "other, and answers a line that ends in `?`, as a prompt "
		    "does before it carries out a line.",
	 .parameters = ask_parameters,
	 .reply = ask_reply,
	 .run = ask},
	{.name = "complete",
	 .summary =
		 "Finds what the last word of the beginning of a line may be "
		 "completed to, as the key Tab does at the prompt.",
	 .parameters = complete_parameters,
	 .reply = complete_reply,
	 .run = complete},
	{0}};
