/*
 * command_operation.c - COMMAND and COMPLETE: a line of perftool's command
 * language, and what the beginning of a line can become
 */
#include "desk.h"
#include "perftool/document.h"

#include <stdlib.h>

/* The widest terminal that the kernel can tell of. */
enum { COLUMNS_MAX = 65535 };

static struct error *run_line(struct invocation *invocation)
{
	struct desk *desk = invocation->desk;
	struct json_object *result;
	const char *line = NULL;
	struct error *error;
	double columns = 0;
	bool was_busy, was_on;

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
	was_on = session_monitor_is_on(desk->session);
	desk->is_busy = false;
	interpreter_set_width(desk->interpreter, (int)columns);
	error = interpreter_line(desk->interpreter, line);
	/* The command `monitor' is for agents, too, as the variable is. */
	if (!error && session_monitor_is_on(desk->session) != was_on)
		error = agents_pause(desk, was_on);
	interpreter_set_width(desk->interpreter, 0);
	desk->is_busy = was_busy;
	result = json_object_new_object();
	fflush(desk->stream);
	json_object_object_add(result, "status", json_object_new_int(!!error));
	if (error)
		json_object_object_add(result, "error",
				       document_text(error_message(error)));
	/* Behind the output is the rest of an earlier one that was longer. */
	desk->text[desk->length] = '\0';
	json_object_object_add(result, "output", document_text(desk->text));
	rewind(desk->stream);
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
	{.name = "complete",
	 .summary =
		 "Finds what the last word of the beginning of a line may be "
		 "completed to, as the key Tab does at the prompt.",
	 .parameters = complete_parameters,
	 .reply = complete_reply,
	 .run = complete},
	{0}};
