/*
 * identity.c - WHO, WHORU and PING: which program is measured, and how it was
 * started
 */
#include "desk.h"

#include <string.h>
#include <unistd.h>

#include "perftool/base/host.h"
#include "perftool/document.h"
#include "perftool/session/process_image.h"

static void add(struct json_object *object, const char *name, const char *text)
{
	if (text)
		json_object_object_add(object, name, document_text(text));
}

static struct json_object *arguments(const struct process_image *image)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < image->args.count; i++)
		json_object_array_add(array,
				      document_text(image->args.data[i]));
	return array;
}

/* When the measurement began for the caller, in ms since 1970. */
static int64_t since_ms(const struct invocation *invocation)
{
	const struct timespec *since = invocation->caller->since.tv_sec
					       ? &invocation->caller->since
					       : &invocation->desk->since;

	return (int64_t)since->tv_sec * 1000 + since->tv_nsec / 1000000;
}

static struct error *who(struct invocation *invocation)
{
	struct desk *desk = invocation->desk;
	struct json_object *result = json_object_new_object();
	struct process_image image;
	pid_t pid = invocation->caller->pid;

	if (!pid)
		pid = session_pid(desk->session);
	invocation->result = result;
	json_object_object_add(result, "pid", json_object_new_int(pid));
	json_object_object_add(result, "serve_pid",
			       json_object_new_int(getpid()));
	session_process_image(desk->session, &image);
	add(result, "program", image.path);
	json_object_object_add(result, "args", arguments(&image));
	process_image_deinit(&image);
	add(result, "socket", invocation->caller->socket);
	add(result, "page", invocation->caller->page);
	json_object_object_add(result, "since",
			       json_object_new_int64(since_ms(invocation)));
	json_object_object_add(
		result, "held",
		json_object_new_boolean(session_is_to_begin(desk->session)));
	return NULL;
}

/* Appends a variable; the text is NAME=VALUE. */
static void add_variable(struct json_object *array, char *text)
{
	char *equal = strchr(text, '=');
	struct json_object *one;

	if (!equal || equal == text)
		return;
	*equal = '\0';
	one = json_object_new_object();
	add(one, "key", text);
	add(one, "text", equal + 1);
	json_object_array_add(array, one);
}

static struct json_object *environment(const struct process_image *image)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < image->environment.count; i++)
		add_variable(array, image->environment.data[i]);
	return array;
}

static void add_property(struct json_object *array, const char *key,
			 const char *text)
{
	struct json_object *one;

	if (!text)
		return;
	one = json_object_new_object();
	add(one, "key", key);
	add(one, "text", text);
	json_object_array_add(array, one);
}

static struct json_object *properties(const struct process_image *image)
{
	struct json_object *array = json_object_new_array();
	struct host host;

	host_read(&host);
	add_property(array, "perftool.version", PERFTOOL_VERSION);
	add_property(array, "program.build_id", image->build_id);
	add_property(array, "host.name", host.name);
	add_property(array, "host.kernel", host.kernel);
	add_property(array, "host.cpu", host.cpu);
	host_deinit(&host);
	return array;
}

/* When the process was created; NULL: there is none yet. */
static struct json_object *time_object(const struct process_image *image)
{
	int64_t ns = (int64_t)image->started.tv_sec * 1000000000 +
		     image->started.tv_nsec;
	struct json_object *time;

	if (!ns)
		return NULL;
	time = json_object_new_object();
	json_object_object_add(time, "millis",
			       json_object_new_int64(ns / 1000000));
	json_object_object_add(time, "nano", json_object_new_int64(ns));
	return time;
}

static struct error *whoru(struct invocation *invocation)
{
	struct json_object *result = json_object_new_object();
	struct json_object *start = json_object_new_array(), *time;
	struct process_image image;

	session_process_image(invocation->desk->session, &image);
	if (image.path)
		json_object_array_add(start, document_text(image.path));
	json_object_object_add(result, "start", start);
	json_object_object_add(result, "arg", arguments(&image));
	json_object_object_add(result, "env", environment(&image));
	json_object_object_add(result, "property", properties(&image));
	time = time_object(&image);
	if (time)
		json_object_object_add(result, "time", time);
	process_image_deinit(&image);
	invocation->result = result;
	return NULL;
}

static struct error *ping(struct invocation *invocation)
{
	invocation->result = json_object_new_string("PONG");
	return NULL;
}

static const struct member who_reply[] = {
	{"pid", "number", "the measured process; in XML it is the ID"},
	{"serve_pid", "number", "the process of perftool (JSON only)"},
	{"program", "text", "path of the program (JSON only)"},
	{"args[]", "text", "its arguments (JSON only)"},
	{"socket", "text", "path of the socket (JSON only)"},
	{"page", "text",
	 "address that opens the live page once, with `--http` (JSON only)"},
	{"since", "number",
	 "when perftool began to serve, in ms since 1970 (JSON only)"},
	{"held", "flag",
	 "the program waits until a front end has answered START (JSON only)"},
	{0}};

static const struct member whoru_reply[] = {
	{"start", "text", "path of the program that the process executes"},
	{"arg[]", "text",
	 "an argument of the program; there is none if the process has written "
	 "over them"},
	{"env[].key", "text", "name of an environment variable"},
	{"env[].text", "text", "its value"},
	{"property[].key", "text",
	 "perftool.version, program.build_id, host.name, host.kernel or "
	 "host.cpu"},
	{"property[].text", "text", "its value"},
	{"time.millis", "number",
	 "when the process was created, in ms since 1970"},
	{"time.nano", "number", "the same in ns, to a hundredth of a second"},
	{0}};

const struct operation identity_operations[] = {
	/* The reply of the seed says only which process answers; JSON has the
	 * rest for `perftool who`. */
	{.name = "who",
	 .is_bare = true,
	 .summary = "Which process is measured here?",
	 .reply = who_reply,
	 .run = who},
	{.name = "whoru",
	 .summary = "How was the program started, and on which machine?",
	 .reply = whoru_reply,
	 .run = whoru},
	{.name = "ping", .summary = "Replies PONG.", .run = ping},
	{0}};
