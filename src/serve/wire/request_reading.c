/*
 * request_reading.c - what one message of a front end asks for
 */
#include "request_reading.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/base/utf8.h"
#include "perftool/document.h"

void request_deinit(struct request *request)
{
	free(request->operation);
	free(request->written);
	free(request->problem);
	json_object_put(request->params);
	json_object_put(request->id);
	*request = (struct request){0};
}

void request_wrong(struct request *out, enum wire_code code, char *problem)
{
	json_object_put(out->params);
	out->params = NULL;
	out->kind = REQUEST_WRONG;
	out->code = code;
	out->problem = problem;
}

/* ---- XML ----------------------------------------------------------------- */

/* Takes an attribute of the outermost element out of its content. The caller
 * frees the text. Returns NULL if there is no such attribute. */
static char *take_attribute(struct json_object *content, const char *name)
{
	struct json_object *value;
	char *text;

	if (!json_object_object_get_ex(content, name, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	text = xstrdup(json_object_get_string(value));
	json_object_object_del(content, name);
	return text;
}

/* Reads the number of a process. Returns 0 for an empty text and for "*", by
 * which a message names every process; -1 for what is no number. */
static pid_t read_pid(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (!*text || str_equal(text, "*"))
		return 0;
	return *end || number <= 0 || number > INT_MAX ? -1 : (pid_t)number;
}

/* Makes the request of an answer to what the tool has sent. Only START is
 * answered, and START is no DYPATCH message. */
static void read_answer(bool is_patch, struct json_object *content,
			struct request *out)
{
	CLEANUP(free_pointer) char *pid = take_attribute(content, "id");

	out->kind = REQUEST_ANSWER;
	out->pid = pid ? read_pid(pid) : 0;
	out->is_success =
		!is_patch && !json_object_object_get_ex(content, "error", NULL);
}

void request_of_xml(const char *name, struct json_object *content,
		    struct request *out)
{
	CLEANUP(free_pointer) char *pid = NULL;

	out->params = content;
	if (strcasecmp(name, "dyper_reply") == 0 ||
	    strcasecmp(name, "dypatch_reply") == 0) {
		read_answer(strcasecmp(name, "dypatch_reply") == 0, content,
			    out);
		return;
	}
	out->is_patch = strcasecmp(name, "dypatch") == 0;
	if (!out->is_patch && strcasecmp(name, "dyper") != 0) {
		request_wrong(out, WIRE_CODE_INVALID,
			      xasprintf("a message is a DYPER or a DYPATCH, "
					"and not `%s'",
					name));
		return;
	}
	pid = take_attribute(content, "pid");
	out->pid = pid ? read_pid(pid) : 0;
	out->written = take_attribute(content, "xcommand");
	if (!out->written)
		out->written = take_attribute(content, "command");
	if (!out->written) {
		request_wrong(out, WIRE_CODE_INVALID,
			      xstrdup("the message has no XCOMMAND"));
		return;
	}
	out->operation = xstrdup(out->written);
	for (char *at = out->operation; *at; at++)
		*at = (char)tolower((unsigned char)*at);
}

/* ---- JSON ---------------------------------------------------------------- */

/* Returns why an `id` would not come back as it was sent, or NULL. json-c takes
 * a whole number that is too large for it for the largest one that it can hold,
 * and half a character for U+FFFD. */
static const char *problem_of_id(struct json_object *id)
{
	static const char large[] =
		"the number `id' is too large; a string may be longer";

	switch (json_object_get_type(id)) {
	case json_type_null:
		return NULL;
	case json_type_string:
		return strstr(json_object_get_string(id), "\xEF\xBF\xBD")
			       ? "`id' has what is no character of Unicode"
			       : NULL;
	case json_type_int:
		return json_object_get_uint64(id) == UINT64_MAX ||
				       json_object_get_int64(id) == INT64_MIN
			       ? large
			       : NULL;
	case json_type_double:
		return isfinite(json_object_get_double(id))
			       ? NULL
			       : "`id' is no finite number";
	default:
		return "`id' must be a string, a number or null";
	}
}

/* Does a message have this member, and is that not null? */
static bool has_value(struct json_object *message, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(message, name, &value);
	return value;
}

/* Takes the parameters of a message. An empty array is no parameters: some
 * clients send it for an operation that has none. Returns what is wrong with
 * the parameters, or NULL. */
static const char *read_params(struct json_object *message, struct request *out)
{
	struct json_object *params = NULL;
	bool is_given = json_object_object_get_ex(message, "params", &params);

	if (json_object_is_type(params, json_type_array)) {
		if (json_object_array_length(params)) {
			out->code = WIRE_CODE_PARAMETERS;
			return "the parameters have names: `params' must be "
			       "an object";
		}
		is_given = false;
	} else if (is_given && !json_object_is_type(params, json_type_object)) {
		return "`params' must be an object";
	}
	out->params =
		is_given ? json_object_get(params) : json_object_new_object();
	return NULL;
}

/* Fills in the request of a JSON message, which is an object. `has_zero`: it
 * has the character \u0000. Returns what is wrong with the message, or NULL. */
static const char *read_object(struct json_object *message, bool has_zero,
			       struct request *out)
{
	struct json_object *version = NULL, *method = NULL, *id = NULL;
	const char *problem;

	out->is_notification = !json_object_object_get_ex(message, "id", &id);
	problem = problem_of_id(id);
	if (problem)
		return problem;
	out->id = json_object_get(id);
	if (has_zero)
		return "no text here may have the character \\u0000";
	if (!json_object_object_get_ex(message, "jsonrpc", &version) ||
	    !json_object_is_type(version, json_type_string) ||
	    !str_equal(json_object_get_string(version), "2.0"))
		return "`jsonrpc' must be \"2.0\"";
	if (!json_object_object_get_ex(message, "method", &method)) {
		if (!json_object_object_get_ex(message, "result", NULL) &&
		    !json_object_object_get_ex(message, "error", NULL))
			return "`method' is missing";
		out->kind = REQUEST_ANSWER;
		out->is_success = !has_value(message, "error");
		return NULL;
	}
	if (!json_object_is_type(method, json_type_string))
		return "`method' must be a string";
	out->operation = xstrdup(json_object_get_string(method));
	return read_params(message, out);
}

/* Takes the process that the message names out of the parameters. */
static void take_pid(struct request *out)
{
	struct json_object *pid;

	if (!out->params ||
	    !json_object_object_get_ex(out->params, "pid", &pid) ||
	    json_object_is_type(pid, json_type_object) ||
	    json_object_is_type(pid, json_type_array))
		return;
	out->pid = read_pid(json_object_get_string(pid));
	json_object_object_del(out->params, "pid");
}

void request_of_line(const char *line, struct request *out)
{
	json_tokener *tokener;
	struct json_object *message;
	struct str ascii = {0};
	const char *problem;

	*out = (struct request){.kind = REQUEST_OPERATION,
				.code = WIRE_CODE_INVALID};
	/* json-c takes forms that are longer than necessary, too. */
	if (!utf8_is_valid(line)) {
		request_wrong(out, WIRE_CODE_PARSE,
			      xstrdup("the line is not UTF-8"));
		return;
	}
	if (json_parts(line) > DOCUMENT_PARTS_MAX) {
		request_wrong(out, WIRE_CODE_INVALID,
			      xstrdup("the message has too many parts"));
		return;
	}
	tokener = json_tokener_new_ex(DOCUMENT_DEPTH_MAX);
	if (!tokener)
		out_of_memory(0);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	json_append_ascii(line, &ascii);
	message = json_tokener_parse_ex(tokener, str_text(&ascii), -1);
	str_deinit(&ascii);
	if (json_tokener_get_error(tokener) != json_tokener_success) {
		request_wrong(
			out, WIRE_CODE_PARSE,
			xasprintf("the line is not JSON: %s",
				  json_tokener_error_desc(
					  json_tokener_get_error(tokener))));
	} else if (json_object_is_type(message, json_type_array)) {
		request_wrong(out, WIRE_CODE_INVALID,
			      xstrdup("batches of messages are not taken"));
	} else if (!json_object_is_type(message, json_type_object)) {
		request_wrong(out, WIRE_CODE_INVALID,
			      xstrdup("a message is an object"));
	} else {
		problem = read_object(message, json_has_zero(line), out);
		if (problem)
			request_wrong(out, out->code, xstrdup(problem));
		else
			take_pid(out);
	}
	/* A message that is no request gets a reply in any case: its sender may
	 * not know that it was lost. */
	if (out->kind == REQUEST_WRONG && out->code != WIRE_CODE_PARAMETERS)
		out->is_notification = false;
	json_object_put(message);
	json_tokener_free(tokener);
}

/* ---- requests ------------------------------------------------------------ */

/* Does one object have a member that the other has, too? */
static bool have_common(struct json_object *one, struct json_object *other)
{
	json_object_object_foreach(one, name, value)
	{
		(void)value;
		if (json_object_object_get_ex(other, name, NULL))
			return true;
	}
	return false;
}

void request_unwrap(struct request *request, const char *wrapper)
{
	struct json_object *params = request->params, *array = NULL, *inner;

	if (!wrapper || !params ||
	    !json_object_object_get_ex(params, wrapper, &array) ||
	    !json_object_is_type(array, json_type_array) ||
	    json_object_array_length(array) != 1)
		return;
	inner = json_object_array_get_idx(array, 0);
	/* An empty element is an empty text. */
	if (json_object_is_type(inner, json_type_string) &&
	    !*json_object_get_string(inner)) {
		json_object_object_del(params, wrapper);
		return;
	}
	if (!json_object_is_type(inner, json_type_object))
		return;
	json_object_get(inner);
	json_object_get(array);
	json_object_object_del(params, wrapper);
	if (have_common(inner, params)) {
		json_object_object_add(params, wrapper, array);
		json_object_put(inner);
		return;
	}
	json_object_object_foreach(inner, name, value)
	{
		json_object_object_add(params, name, json_object_get(value));
	}
	json_object_put(array);
	json_object_put(inner);
}
