/*
 * watch_legs.c - a front end of perftool that shows, line by line, how often
 * and how fast the functions of a program are called
 *
 *	perftool serve ./program &
 *	build/samples/front_ends/watch_legs PID LINES FUNCTION...
 *
 * Each tenth of a second it prints the calls since the line before, and their
 * mean time in us, for each function. After the last line, or with Ctrl-C, it
 * takes its nodes out of the program. It speaks JSON-RPC 2.0, one message a
 * line (doc/PROTOCOL.md), and uses json-c.
 */
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "watch_legs: %s: %s\n", what, why);
	exit(1);
}

/* ---- the connection ------------------------------------------------------ */

/* The stream reads from the socket; messages are written to `fd`. */
struct connection {
	int fd, id;
	FILE *stream;
};

static struct connection connect_to(const char *pid)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct connection connection = {0};
	char folder[sizeof(address.sun_path) - 20];
	struct stat status;

	if (runtime && *runtime == '/')
		snprintf(folder, sizeof(folder), "%s/perftool", runtime);
	else
		snprintf(folder, sizeof(folder), "/tmp/perftool-%u",
			 (unsigned)geteuid());
	/* Another user may have made a folder of this name. */
	if (lstat(folder, &status) == 0 &&
	    (status.st_uid != geteuid() || (status.st_mode & 077)))
		fail(folder, "is not a folder of yours alone");
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%.12s.sock",
		 folder, pid);
	connection.fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connection.fd < 0 ||
	    connect(connection.fd, (struct sockaddr *)&address,
		    sizeof(address)) < 0)
		fail(address.sun_path, strerror(errno));
	connection.stream = fdopen(connection.fd, "r");
	return connection;
}

static void send_request(struct connection *connection, const char *method,
			 struct json_object *params)
{
	struct json_object *request = json_object_new_object();
	const char *text;

	json_object_object_add(request, "jsonrpc",
			       json_object_new_string("2.0"));
	json_object_object_add(request, "id",
			       json_object_new_int(++connection->id));
	json_object_object_add(request, "method",
			       json_object_new_string(method));
	json_object_object_add(request, "params", params);
	text = json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN);
	if (dprintf(connection->fd, "%s\n", text) < 0)
		fail(method, strerror(errno));
	json_object_put(request);
}

/* Reads messages until the reply to the last request. The others are notices
 * (start, end, report), which have a `method`. The caller drops the
 * reference. */
static struct json_object *read_reply(struct connection *connection)
{
	struct json_object *message = NULL, *id;
	size_t capacity = 0;
	char *line = NULL;

	while (!message) {
		if (getline(&line, &capacity, connection->stream) < 0) {
			printf("the program has ended\n");
			exit(0);
		}
		message = json_tokener_parse(line);
		if (!message)
			fail("the server's message", "cannot be understood");
		if (!json_object_object_get_ex(message, "method", NULL) &&
		    json_object_object_get_ex(message, "id", &id) &&
		    json_object_get_int(id) == connection->id)
			break;
		json_object_put(message);
		message = NULL;
	}
	free(line);
	return message;
}

/* Calls a method, and returns its reply. The caller drops the reference to the
 * reply, of which `*result` is a part. */
static struct json_object *call(struct connection *connection,
				const char *method, struct json_object *params,
				struct json_object **result)
{
	struct json_object *reply, *error, *text = NULL;

	send_request(connection, method, params);
	reply = read_reply(connection);
	if (json_object_object_get_ex(reply, "error", &error)) {
		json_object_object_get_ex(error, "message", &text);
		fail(method, json_object_get_string(text));
	}
	json_object_object_get_ex(reply, "result", result);
	return reply;
}

/* Gives a command, and copies what it has said to `said`. */
static void command(struct connection *connection, const char *line, char *said,
		    size_t size)
{
	struct json_object *params = json_object_new_object();
	struct json_object *reply, *result, *error, *output = NULL;

	json_object_object_add(params, "line", json_object_new_string(line));
	reply = call(connection, "command", params, &result);
	if (json_object_object_get_ex(result, "error", &error))
		fail(line, json_object_get_string(error));
	json_object_object_get_ex(result, "output", &output);
	snprintf(said, size, "%s",
		 output ? json_object_get_string(output) : "");
	json_object_put(reply);
}

/* ---- the legs ------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

struct figures {
	int64_t count, total_ns;
};

/* A function, and the leg that times it. Others may have legs of the same name:
 * each `time` makes one of its own, and says its number and those of its
 * nodes. */
struct watched {
	const char *function;
	unsigned leg, entry, exit_point;
	struct figures last;
};

static struct watched watch_function(struct connection *connection,
				     const char *function)
{
	struct watched watched = {.function = function};
	char line[512], said[4096];
	const char *leg;

	if (strpbrk(function, "*?["))
		fail(function, "is a pattern; name each function");
	snprintf(line, sizeof(line), "time \"%s\"", function);
	command(connection, line, said, sizeof(said));
	leg = strstr(said, "Leg ");
	if (!leg || sscanf(leg, "Leg %u: nodes %u -> %u", &watched.leg,
			   &watched.entry, &watched.exit_point) != 3)
		fail(function, "there is no such function yet");
	return watched;
}

static void give_up(struct connection *connection,
		    const struct watched *watched)
{
	char line[64], said[256];

	snprintf(line, sizeof(line), "delete %u %u", watched->entry,
		 watched->exit_point);
	command(connection, line, said, sizeof(said));
}

static int64_t number(struct json_object *object, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(object, name, &value)
		       ? json_object_get_int64(value)
		       : 0;
}

static struct figures find_leg(struct json_object *report, unsigned id)
{
	struct json_object *legs;
	struct figures found = {0};

	if (!json_object_object_get_ex(report, "legs", &legs))
		return found;
	for (size_t i = 0; i < json_object_array_length(legs); i++) {
		struct json_object *leg = json_object_array_get_idx(legs, i);

		if (number(leg, "id") == id) {
			found.count = number(leg, "count");
			found.total_ns = number(leg, "total_ns");
		}
	}
	return found;
}

/* The cost of the measurement is subtracted from times: that of a function
 * which takes no time at all may come out below 0. */
static void print_figures(const char *function, struct figures last,
			  struct figures now)
{
	int64_t count = now.count - last.count;
	int64_t ns = now.total_ns - last.total_ns;

	printf("%s %lld", function, (long long)count);
	if (count)
		printf(" %.2fus",
		       ns > 0 ? (double)ns / 1e3 / (double)count : 0);
	printf("  ");
}

static void watch(struct connection *connection, int lines,
		  struct watched *watched, int count)
{
	const struct timespec pause = {.tv_nsec = 100000000};

	while (lines-- > 0) {
		struct json_object *reply, *report;

		nanosleep(&pause, NULL);
		if (interrupted)
			break;
		reply = call(connection, "report", json_object_new_object(),
			     &report);
		for (int i = 0; i < count; i++) {
			struct figures now = find_leg(report, watched[i].leg);

			print_figures(watched[i].function, watched[i].last,
				      now);
			watched[i].last = now;
		}
		printf("\n");
		json_object_put(reply);
	}
}

int main(int argc, char **argv)
{
	struct connection connection;
	struct watched *watched;
	int count = argc - 3, lines = argc > 2 ? atoi(argv[2]) : 0;

	if (count < 1 || lines < 1) {
		fprintf(stderr, "usage: watch_legs PID LINES FUNCTION...\n");
		return 2;
	}
	watched = calloc((size_t)count, sizeof(*watched));
	if (!watched)
		fail("watch_legs", strerror(errno));
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGINT, interrupt);
	connection = connect_to(argv[1]);
	for (int i = 0; i < count; i++)
		watched[i] = watch_function(&connection, argv[i + 3]);
	watch(&connection, lines, watched, count);
	for (int i = 0; i < count; i++)
		give_up(&connection, &watched[i]);
	free(watched);
	fclose(connection.stream);
	return interrupted ? 130 : 0;
}
