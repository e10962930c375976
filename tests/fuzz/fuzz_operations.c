/*
 * fuzz_operations.c - requests with any parameters, which are carried out in a
 * program that runs
 *
 * The bytes of the input choose operations from their table, parameters from
 * those that the table says and values from a list of words that mean
 * something, of all types. The program is tests/programs/rounds, which does a
 * round of work for each input. The program, and all that was put in it, is
 * made anew after ROUNDS inputs, and when it has ended.
 *
 * Requests by which a front end may write files of its choice, or run commands
 * of its choice, are left out: see is_harmless().
 */
#include <fcntl.h>
#include <libxml/parser.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/document.h"
#include "serve/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROUNDS = 200 };

static struct perftool_session *session;
/* It has no socket: the fuzz target hands it each request. */
static struct server server;
static char folder[] = "/tmp/fuzz-operations.XXXXXX", fifo[64];
static int work = -1, home = -1;
static unsigned inputs;

static void make_folder(void)
{
	home = open(".", O_DIRECTORY | O_CLOEXEC);
	if (home < 0 || !mkdtemp(folder))
		abort();
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	if (mkfifo(fifo, 0600))
		abort();
	signal(SIGPIPE, SIG_IGN);
	/* The program has the standard output of this one. */
	if (!freopen("/dev/null", "w", stdout))
		abort();
}

static void must(struct error *error)
{
	if (!error)
		return;
	fprintf(stderr, "%s\n", error_message(error));
	abort();
}

static void begin(void)
{
	const struct perftool_options options = {.output = stdout,
						 .program_runs_on = true};
	char program[] = ROUNDS_PROGRAM;
	char *words[] = {program, fifo, NULL};

	if (!*fifo)
		make_folder();
	perftool_session_create_here(&options, &session);
	must(perftool_error_cause(
		perftool_session_set(session, "index-cache", "off")));
	must(perftool_session_load(session, words));
	must(perftool_session_start(session));
	perftool_session_let_begin(session);
	/* Opened for both, the file neither waits nor ends. */
	work = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	server = (struct server){.session = session, .fd = -1};
	must(perftool_error_cause(perftool_session_pid(session, &server.pid)));
	inputs = 0;
}

static void end(void)
{
	perftool_session_destroy(session);
	close(work);
	session = NULL;
}

static bool is_harmless(const struct request *request)
{
	static const char *const harmful[] = {"command", "directory"};
	const char *text;

	if (request->kind != REQUEST_OPERATION)
		return true;
	for (size_t i = 0; i < sizeof(harmful) / sizeof(*harmful); i++)
		if (str_equal(request->operation, harmful[i]))
			return false;
	text = json_object_to_json_string(request->params);
	/* An agent may be a script; the cache of indexes is a folder. */
	if (str_equal(request->operation, "agent"))
		return !strchr(text, '/');
	return !str_equal(request->operation, "set") ||
	       !strcasestr(text, "index");
}

/* ---- requests ------------------------------------------------------------ */

/* What is left of the input. */
struct input {
	const uint8_t *data;
	size_t size;
};

static uint8_t take(struct input *input)
{
	if (!input->size)
		return 0;
	input->size--;
	return *input->data++;
}

static const char *const words[] = {"rounds.c",
				    "rounds",
				    "libc.so.6",
				    "step",
				    "inner",
				    "locked",
				    "allocating",
				    "spinning",
				    "main",
				    "malloc",
				    "rounds.c:step",
				    "step@rounds",
				    "written",
				    "kept",
				    "lock",
				    "*",
				    "",
				    "m",
				    "n",
				    "TRUE",
				    "FALSE",
				    "T",
				    "0",
				    "1",
				    "2",
				    "-1",
				    "4",
				    "16",
				    "100",
				    "1e300",
				    "nan",
				    "0.5",
				    "99999999999999999999",
				    "NEW",
				    "ADD",
				    "ENTER",
				    "EXIT",
				    "BLOCK_START",
				    "SYNC_TEST",
				    "SYNC_ENTER",
				    "SYNC_EXIT",
				    "STATIC_ACCESS",
				    "STATIC_WRITE",
				    "FIELD_ACCESS",
				    "FIELD_WRITE",
				    "OBJECT_ALLOC",
				    "ARRAY_ALLOC",
				    "BASE_ARRAY_ALLOC",
				    "CALL",
				    "count",
				    "time",
				    "histogram",
				    "trace",
				    "FIELD",
				    "BLOCK",
				    "CLASS",
				    "METHOD",
				    "NORMAL",
				    "SYSTEM",
				    "IO",
				    "SYSTEM_IO",
				    "/usr/lib",
				    "/",
				    "cpu",
				    "heap",
				    "io",
				    "sync",
				    "threads",
				    "ALL",
				    "mechanism",
				    "int3",
				    "fast",
				    "auto",
				    "off",
				    "on",
				    "match",
				    "owner",
				    "thread",
				    "process",
				    "conditions",
				    "stacks",
				    "ring-size",
				    "inside",
				    "cpu-time",
				    "\xff\xfe",
				    "a b",
				    "%s%n",
				    "'\"<&>",
				    "\x01"};
#define WORDS (sizeof(words) / sizeof(*words))

static struct json_object *take_text(struct input *input)
{
	char text[256];
	size_t length = take(input);

	for (size_t i = 0; i < length; i++)
		text[i] = (char)take(input);
	text[length] = '\0';
	return document_text(text);
}

static struct json_object *take_value(struct input *input)
{
	const char *name, *summary;
	uint8_t byte = take(input);

	if (byte < WORDS)
		return document_text(words[byte]);
	switch (byte - WORDS) {
	case 0:
		return NULL;
	case 1:
		return json_object_new_boolean(true);
	case 2:
		return json_object_new_int64(INT64_MIN);
	case 3:
		return json_object_new_int64((int64_t)take(input));
	case 4:
		return json_object_new_double((double)take(input) / 16);
	case 5:
		return json_object_new_array();
	case 6:
		return json_object_new_object();
	case 7:
		return take_text(input);
	case 8:
		return json_object_new_int64(server.pid);
	default:
		return document_text(
			variable_at(byte - WORDS - 9, &name, &summary) ? name
								       : "");
	}
}

/* Returns the last element of an array in the object; `is_new`: a new one. */
static struct json_object *element_of(struct json_object *object,
				      const char *name, bool is_new)
{
	struct json_object *array = NULL, *element;
	size_t count;

	if (!json_object_object_get_ex(object, name, &array) ||
	    !json_object_is_type(array, json_type_array)) {
		array = json_object_new_array();
		json_object_object_add(object, name, array);
	}
	count = json_object_array_length(array);
	if (count && !is_new) {
		element = json_object_array_get_idx(array, count - 1);
		if (json_object_is_type(element, json_type_object))
			return element;
	}
	element = json_object_new_object();
	json_object_array_add(array, element);
	return element;
}

/* Sets the parameter with this path, for example "for[].patch[].what". The bits
 * of `fresh` say which of the elements on the way are new. */
static void set_parameter(struct json_object *object, const char *path,
			  unsigned fresh, struct json_object *value)
{
	CLEANUP(free_pointer) char *copy = xstrdup(path);
	char *name = copy, *end;

	for (; (end = strstr(name, "[].")); name = end + 3, fresh >>= 1) {
		*end = '\0';
		object = element_of(object, name, fresh & 1);
	}
	json_object_object_add(object, name, value);
}

static size_t count_operations(void)
{
	size_t count = 0;

	while (operation_at(count))
		count++;
	return count;
}

static void take_request(struct input *input, struct request *out)
{
	const struct operation *operation =
		operation_at(take(input) % count_operations());
	const struct member *members = operation->parameters;
	unsigned count = members ? take(input) % 16 : 0, known = 0;

	*out = (struct request){.operation = xstrdup(operation->name),
				.is_patch = operation->is_patch,
				.params = json_object_new_object()};
	while (count && members[known].name)
		known++;
	for (unsigned i = 0; i < count; i++) {
		uint8_t which = take(input), fresh = take(input);

		set_parameter(out->params, members[which % known].name, fresh,
			      take_value(input));
	}
}

static void check_output(const struct front_end *front_end)
{
	const struct str *output = &front_end->output;
	struct str whole = {0};
	xmlDoc *document;

	if (wire_encoding(front_end->wire) != ENCODING_XML)
		return;
	str_printf(&whole, "<all>%s</all>", str_text(output));
	document = xmlReadMemory(whole.data, (int)whole.length, NULL, NULL,
				 XML_PARSE_NONET | XML_PARSE_NOERROR |
					 XML_PARSE_NOWARNING | XML_PARSE_HUGE);
	if (!document || strlen(str_text(output)) != output->length)
		abort();
	xmlFreeDoc(document);
	str_deinit(&whole);
}

static bool enough(void *context)
{
	unsigned *asked = context;

	return ++*asked > 1;
}

static void let_work(void)
{
	struct str told = {0};
	unsigned asked = 0;

	if (write(work, "r", 1) < 0) {
		/* The program has not read what it got before. */
	}
	perftool_session_expect(session);
	error_destroy(perftool_session_serve(session, enough, &asked, &told));
	str_deinit(&told);
}

/* What one front end asks for. The program goes on behind the last request. */
struct visit {
	struct input input;
	struct front_end *front_end;
};

static void visit(void *context)
{
	struct visit *visit = context;
	struct request request;

	while (visit->input.size) {
		take_request(&visit->input, &request);
		if (is_harmless(&request))
			server_handle(&server, visit->front_end, &request);
		request_deinit(&request);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct visit visited = {.input = {data, size}};
	struct perftool_state state;
	struct front_end *front_end;
	struct request request;
	struct str told = {0};
	const char *encoding;

	if (!session)
		begin();
	front_end = visited.front_end = server_front_end(&server, -1);
	/* The first byte of a front end chooses the encoding of the replies. */
	encoding = take(&visited.input) % 4 ? "<DYPER_REPLY/>" : "{}\n";
	wire_push(front_end->wire, encoding, strlen(encoding));
	while (wire_next(front_end->wire, &request))
		request_deinit(&request);
	/* Names of files without a path are names in an empty folder. */
	if (chdir(folder))
		abort();
	error_destroy(
		perftool_session_together(session, visit, &visited, &told));
	str_deinit(&told);
	if (fchdir(home))
		abort();
	check_output(front_end);
	let_work();
	server_forget(&server, front_end);
	perftool_session_state(session, &state);
	if (++inputs >= ROUNDS || !state.has_process)
		end();
	return 0;
}
