/*
 * control_connection.c - gives commands to a server, for `perftool ctl`
 */
#include "client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/document.h"
#include "serve/socket_file.h"
#include "serve/wire/wire.h"

struct control {
	int fd;
	struct str text; /* what was read, from `at` on not yet used */
	size_t at;
	int id; /* of the last request */
	control_await_fn *await;
	void *context;
};

/* ---- messages ------------------------------------------------------------ */

static struct error *send_all(struct control *control, const char *text)
{
	size_t length = strlen(text), at = 0;

	while (at < length) {
		ssize_t count =
			send(control->fd, text + at, length - at, MSG_NOSIGNAL);

		if (count < 0 && errno != EINTR)
			return error_create(ERROR_GONE,
					    "the connection to perftool is "
					    "lost");
		at += count > 0 ? (size_t)count : 0;
	}
	return NULL;
}

/* Takes the next message from what was read. `*message` becomes NULL if not all
 * of it was read. */
static struct error *take_message(struct control *control,
				  struct json_object **message)
{
	char *line = control->text.data + control->at, *end;
	size_t left = control->text.length - control->at;

	*message = NULL;
	end = left ? memchr(line, '\n', left) : NULL;
	if (!end)
		return NULL;
	*end = '\0';
	control->at += (size_t)(end - line) + 1;
	*message = json_tokener_parse(line);
	if (!*message)
		return error_create(ERROR_OTHER,
				    "perftool's reply cannot be understood");
	if (control->at == control->text.length) {
		str_deinit(&control->text);
		control->at = 0;
	}
	return NULL;
}

/* Reads what the server has sent. `flags` are those of recv(2). `*ended`: the
 * server has closed the connection. */
static struct error *receive(struct control *control, int flags, bool *ended)
{
	char buffer[16384];
	ssize_t count;

	*ended = false;
	if (!(flags & MSG_DONTWAIT) && control->await &&
	    !control->await(control->context, control->fd))
		return error_create(ERROR_INTERRUPTED, "interrupted");
	count = recv(control->fd, buffer, sizeof(buffer), flags);
	if (count < 0 && errno == EINTR)
		return error_create(ERROR_INTERRUPTED, "interrupted");
	if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return flags & MSG_DONTWAIT
			       ? NULL
			       : error_create(ERROR_GONE,
					      "perftool does not answer");
	if (count > 0)
		str_append_n(&control->text, buffer, (size_t)count);
	*ended = count <= 0;
	return NULL;
}

/* Reads the next message of the server. `*message` becomes NULL if the server
 * has closed the connection. */
static struct error *read_message(struct control *control,
				  struct json_object **message)
{
	bool ended = false;

	for (;;) {
		TRY(take_message(control, message));
		if (*message || ended)
			return NULL;
		TRY(receive(control, 0, &ended));
	}
}

static bool is_reply(struct json_object *message, int id)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(message, "id", &value) &&
	       json_object_is_type(value, json_type_int) &&
	       json_object_get_int(value) == id &&
	       !json_object_object_get_ex(message, "method", NULL);
}

/* Makes an error of the one that a reply has. ERROR_NOT_FOUND: the server has
 * no such operation. */
static struct error *reported_error(struct json_object *message)
{
	struct json_object *error = NULL, *text = NULL, *code = NULL;

	if (json_object_object_get_ex(message, "error", &error)) {
		json_object_object_get_ex(error, "message", &text);
		json_object_object_get_ex(error, "code", &code);
	}
	return error_create(json_object_get_int(code) == WIRE_CODE_UNKNOWN
				    ? ERROR_NOT_FOUND
				    : ERROR_OTHER,
			    "%s",
			    text ? json_object_get_string(text)
				 : "perftool's reply cannot be understood");
}

struct error *control_call(struct control *control, const char *method,
			   struct json_object *params,
			   struct json_object **result)
{
	struct json_object *message = json_object_new_object(), *value = NULL;
	struct error *error;
	struct str text = {0};

	json_object_object_add(message, "jsonrpc",
			       json_object_new_string("2.0"));
	json_object_object_add(message, "id",
			       json_object_new_int(++control->id));
	json_object_object_add(message, "method",
			       json_object_new_string(method));
	json_object_object_add(message, "params", params);
	str_printf(&text, "%s\n",
		   json_object_to_json_string_ext(message,
						  JSON_C_TO_STRING_PLAIN));
	json_object_put(message);
	error = send_all(control, str_text(&text));
	str_deinit(&text);
	*result = NULL;
	while (!error && !*result) {
		error = read_message(control, &message);
		if (error || !message)
			return error;
		/* A START is not answered: the user may want to give several
		 * commands before the program begins. The command `continue`
		 * lets it begin. */
		if (!is_reply(message, control->id))
			;
		else if (json_object_object_get_ex(message, "result", &value))
			*result = json_object_get(value);
		else
			error = reported_error(message);
		json_object_put(message);
	}
	return error;
}

/* ---- connecting ---------------------------------------------------------- */

struct error *control_open(const char *path, struct control **out)
{
	struct control *control;
	int fd;

	TRY(socket_connect(path, &fd));
	control = xcalloc(1, sizeof(*control));
	control->fd = fd;
	*out = control;
	return NULL;
}

void control_set_patience(struct control *control, unsigned seconds)
{
	const struct timeval limit = {.tv_sec = seconds};

	setsockopt(control->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

void control_set_await(struct control *control, control_await_fn *await,
		       void *context)
{
	control->await = await;
	control->context = context;
}

int control_file(const struct control *control)
{
	return control->fd;
}

void control_destroy(struct control *control)
{
	if (!control)
		return;
	close(control->fd);
	str_deinit(&control->text);
	free(control);
}

/* ---- one line of commands ------------------------------------------------ */

struct error *control_line(struct control *control, const char *line,
			   size_t columns, struct str *output, bool *ended)
{
	struct json_object *params = json_object_new_object();
	struct json_object *result = NULL, *text = NULL, *why = NULL;
	struct error *error = NULL;

	json_object_object_add(params, "line", document_text(line));
	if (columns)
		json_object_object_add(params, "columns",
				       json_object_new_int64((int64_t)columns));
	TRY(control_call(control, "command", params, &result));
	*ended = !result;
	if (!result)
		return NULL;
	if (json_object_object_get_ex(result, "output", &text))
		str_append(output, json_object_get_string(text));
	if (json_object_object_get_ex(result, "error", &why))
		error = error_create(ERROR_OTHER, "%s",
				     json_object_get_string(why));
	json_object_put(result);
	return error;
}

/* ---- at a prompt --------------------------------------------------------- */

/* Returns a copy of the text that a reply has, or NULL. */
static char *text_of(struct json_object *result, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(result, name, &value)
		       ? xstrdup(json_object_get_string(value))
		       : NULL;
}

void control_question_deinit(struct control_question *question)
{
	free(question->line);
	free(question->name);
	free(question->before);
	*question = (struct control_question){0};
}

struct error *control_ask(struct control *control, const char *line,
			  const struct string_list *answers,
			  struct control_question *out, struct str *output,
			  bool *ended)
{
	struct json_object *params = json_object_new_object();
	struct json_object *list = json_object_new_array(), *result = NULL;
	CLEANUP(free_pointer) char *text = NULL;
	struct error *error;

	*out = (struct control_question){0};
	for (size_t i = 0; i < answers->count; i++)
		json_object_array_add(list, document_text(answers->data[i]));
	json_object_object_add(params, "line", document_text(line));
	json_object_object_add(params, "answer", list);
	error = control_call(control, "ask", params, &result);
	if (error && error_code(error) == ERROR_NOT_FOUND) {
		error_destroy(error);
		out->line = xstrdup(line);
		return NULL;
	}
	TRY(error);
	*ended = !result;
	out->line = text_of(result, "line");
	out->name = text_of(result, "name");
	out->before = text_of(result, "before");
	text = text_of(result, "output");
	str_append(output, text ? text : "");
	json_object_put(result);
	return NULL;
}

struct error *control_listen(struct control *control, bool *ended)
{
	struct json_object *message;

	TRY(receive(control, MSG_DONTWAIT, ended));
	do {
		TRY(take_message(control, &message));
		json_object_put(message);
	} while (message);
	return NULL;
}

struct error *control_complete(struct control *control, const char *line,
			       size_t *start, struct string_list *words)
{
	struct json_object *params = json_object_new_object();
	struct json_object *result = NULL, *found = NULL, *at = NULL;

	json_object_object_add(params, "line", document_text(line));
	TRY(control_call(control, "complete", params, &result));
	if (!result)
		return error_create(ERROR_GONE, "perftool has ended");
	if (json_object_object_get_ex(result, "start", &at))
		*start = (size_t)json_object_get_int64(at);
	if (*start > strlen(line))
		*start = strlen(line);
	if (json_object_object_get_ex(result, "word", &found) &&
	    json_object_is_type(found, json_type_array))
		for (size_t i = 0; i < json_object_array_length(found); i++)
			vec_push(words,
				 xstrdup(json_object_get_string(
					 json_object_array_get_idx(found, i))));
	json_object_put(result);
	return NULL;
}
