/*
 * library_operations.c - the operations of a session: for callers that have
 * JSON, for those of the layers above, and for the command `dyper`
 */
#include <string.h>

#include "library_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "perftool/document.h"
#include "perftool/operations.h"

/* Returns the desk, which is made for the first operation: it looks at every
 * library that the program loads. */
static struct desk *desk_of(struct perftool_session *session)
{
	if (!session->desk) {
		session->desk = desk_create(session->session, &session->ui);
		desk_set_end(session->desk, session->end);
	}
	return session->desk;
}

static struct error *operate_by_words(void *context, const char *name,
				      const char *const *words, size_t count,
				      struct str *out)
{
	return desk_operation(desk_of(context), name, words, count, out);
}

void library_operations_begin(struct perftool_session *session)
{
	session->caller.since = host_time();
	interpreter_set_operations(session->interpreter, operate_by_words,
				   session);
}

void library_operations_end(struct perftool_session *session)
{
	desk_destroy(session->desk);
}

/* ---- for the layers above ------------------------------------------------ */

struct operating {
	const struct operation *operation;
	struct caller *caller;
	struct json_object *params;
	struct json_object **result;
};

static struct error *operate(struct perftool_session *session, void *argument)
{
	const struct operating *operating = argument;

	return operation_run(operating->operation, desk_of(session),
			     operating->caller, operating->params,
			     operating->result);
}

struct error *perftool_session_operate(struct perftool_session *session,
				       const struct operation *operation,
				       struct caller *caller,
				       struct json_object *params,
				       struct json_object **result)
{
	struct operating operating = {operation, caller, params, result};

	*result = NULL;
	return session_call(session, operate, &operating);
}

static struct error *forget(struct perftool_session *session, void *argument)
{
	const struct caller *caller = argument;

	if (session->desk)
		desk_forget(session->desk, caller->serial);
	return NULL;
}

void perftool_session_forget(struct perftool_session *session,
			     const struct caller *caller)
{
	struct caller copy = *caller;

	error_destroy(session_call(session, forget, &copy));
}

uint64_t perftool_session_dump_pause(struct perftool_session *session,
				     uint64_t took)
{
	return desk_dump_pause(desk_of(session), took);
}

/* ---- as JSON ------------------------------------------------------------- */

static struct error *no_request(const char *why)
{
	return error_create(ERROR_USAGE,
			    "the request is not of the form "
			    "{\"method\": \"NAME\", \"params\": {...}}: %s",
			    why);
}

/* Finds the operation that the request names, and its parameters, of which the
 * caller gets a reference. */
static struct error *read_request(struct json_object *request,
				  const struct operation **operation,
				  struct json_object **params)
{
	struct json_object *method = NULL, *given = NULL;

	json_object_object_get_ex(request, "method", &method);
	json_object_object_get_ex(request, "params", &given);
	if (!json_object_is_type(method, json_type_string))
		return no_request("`method' must be a string");
	if (given && !json_object_is_type(given, json_type_object))
		return no_request("`params' must be an object");
	*operation = operation_find(json_object_get_string(method));
	if (!*operation)
		return error_create(ERROR_NOT_FOUND,
				    "there is no operation `%s'; "
				    "doc/PROTOCOL.md lists all",
				    json_object_get_string(method));
	*params = given ? json_object_get(given) : json_object_new_object();
	return NULL;
}

static struct error *operate_on_text(struct perftool_session *session,
				     const char *text, char **reply)
{
	const struct operation *operation = NULL;
	struct json_object *request, *params = NULL, *result = NULL;
	struct error *error;

	if (text[strspn(text, " \t\r\n")] == '<')
		return no_request("it is no object of JSON");
	error = document_parse(text, strlen(text), NULL, &request);
	if (error) {
		error_destroy(error);
		return no_request("it is no object of JSON");
	}
	error = read_request(request, &operation, &params);
	if (!error)
		error = perftool_session_operate(
			session, operation, &session->caller, params, &result);
	if (!error && reply)
		*reply = xstrdup(
			result ? json_object_to_json_string_ext(
					 result,
					 JSON_C_TO_STRING_PLAIN |
						 JSON_C_TO_STRING_NOSLASHESCAPE)
			       : "{}");
	json_object_put(result);
	json_object_put(params);
	json_object_put(request);
	return error;
}

struct perftool_error *
perftool_session_operation(struct perftool_session *session,
			   const char *request, char **reply)
{
	if (reply)
		*reply = NULL;
	NEED(session);
	NEED(request);
	return library_error(operate_on_text(session, request, reply));
}
