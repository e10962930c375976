/*
 * spy_client.c - spy_start() and spy_stop(): a program measures a stretch of
 * itself
 *
 * A process cannot trace itself. So a `perftool serve` that is attached to this
 * process takes the samples, and this file gives it commands: one connection to
 * its socket for each command, in the JSON of doc/PROTOCOL.md. If there is no
 * server, server_start.c starts one.
 *
 * `spying` is state of the whole process: spy_start() has no other place for
 * it.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "library_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/runtime_folder.h"
#include "server_start.h"

/* How long a server may take until it has carried out a command, in s. It may
 * have to read debug information first. */
#define REPLY_PATIENCE 30

static struct {
	pthread_mutex_t lock;
	pid_t pid; /* of the process that has begun a stretch; a child that it
		    * forks has begun none */
} spying = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the connection ------------------------------------------------------ */

static int connect_to(const char *path)
{
	const struct timeval patience = {.tv_sec = REPLY_PATIENCE};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t length = sizeof(peer);
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0) {
		/* Another user may have made a socket of this name. */
		if (peer.uid == geteuid() || peer.uid == 0)
			return fd;
		errno = EPERM;
	}
	close(fd);
	return -1;
}

int connect_to_server(void)
{
	CLEANUP(str_deinit) struct str path = {0};
	struct error *error = runtime_folder_find(&path);

	if (error) {
		errno = error_code(error) == ERROR_GONE ? ENOENT : EPERM;
		error_destroy(error);
		return -1;
	}
	str_printf(&path, "/%d.sock", (int)getpid());
	return connect_to(str_text(&path));
}

static bool send_line(int fd, const char *line)
{
	struct json_object *message = json_object_new_object();
	struct json_object *params = json_object_new_object();
	CLEANUP(free_pointer) char *text = NULL;
	size_t length, at = 0;

	json_object_object_add(params, "line", json_object_new_string(line));
	json_object_object_add(message, "jsonrpc",
			       json_object_new_string("2.0"));
	json_object_object_add(message, "id", json_object_new_int(1));
	json_object_object_add(message, "method",
			       json_object_new_string("command"));
	json_object_object_add(message, "params", params);
	text = xasprintf("%s\n", json_object_to_json_string_ext(
					 message, JSON_C_TO_STRING_PLAIN));
	json_object_put(message);
	length = strlen(text);
	while (at < length) {
		ssize_t count = send(fd, text + at, length - at, MSG_NOSIGNAL);

		if (count < 0 && errno != EINTR)
			return false;
		at += count > 0 ? (size_t)count : 0;
	}
	return true;
}

/* Reads a line. The caller frees it. NULL: the connection has ended, or the
 * server has not answered in time, as errno says. */
static char *read_line(int fd, struct str *read)
{
	char buffer[16384], *end, *line;

	while (!(end = read->length ? memchr(read->data, '\n', read->length)
				    : NULL)) {
		ssize_t count = recv(fd, buffer, sizeof(buffer), 0);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			errno = count < 0 && errno == EAGAIN ? ETIMEDOUT : EIO;
			return NULL;
		}
		str_append_n(read, buffer, (size_t)count);
	}
	line = xstrndup(read->data, (size_t)(end - read->data));
	read->length -= (size_t)(end - read->data) + 1;
	memmove(read->data, end + 1, read->length);
	return line;
}

/* Reads messages until the reply. Notices stand between them, and have a
 * `method`. The caller drops the reference. */
static struct json_object *read_reply(int fd)
{
	struct json_object *message = NULL, *reply = NULL;
	struct str read = {0};
	char *line;

	while (!reply && (line = read_line(fd, &read))) {
		message = json_tokener_parse(line);
		free(line);
		if (!json_object_object_get_ex(message, "method", NULL) &&
		    json_object_object_get_ex(message, "id", NULL))
			reply = message;
		else
			json_object_put(message);
	}
	str_deinit(&read);
	return reply;
}

static const char *member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(object, name, &value)
		       ? json_object_get_string(value)
		       : NULL;
}

/* Takes the output of a command from its reply. The caller frees `*output`.
 * False: the command has failed, and `*output` is the message. */
static bool take_output(struct json_object *reply, char **output)
{
	struct json_object *result = NULL, *error = NULL;
	const char *failure = NULL, *text = NULL;

	if (json_object_object_get_ex(reply, "result", &result)) {
		failure = member(result, "error");
		text = member(result, "output");
	} else if (json_object_object_get_ex(reply, "error", &error)) {
		failure = member(error, "message");
	}
	if (!failure && !text)
		failure = "the server's reply cannot be understood";
	*output = perftool_printable(failure ? failure : text);
	return !failure;
}

/* Gives the server a line of the command language. */
static int command_server(int fd, const char *line, char **output)
{
	struct json_object *reply;
	bool is_done;

	*output = NULL;
	if (!send_line(fd, line)) {
		errno = EIO;
		return -1;
	}
	reply = read_reply(fd);
	if (!reply)
		return -1;
	is_done = take_output(reply, output);
	json_object_put(reply);
	if (is_done)
		return 0;
	errno = EIO;
	return -1;
}

/* ---- the functions of perftool.h ----------------------------------------- */

static int find_server(bool may_start)
{
	int fd = connect_to_server();

	if (fd < 0 && may_start && (errno == ENOENT || errno == ECONNREFUSED))
		return start_server();
	return fd;
}

static int carry_out(const char *line, bool may_start, char **output)
{
	int fd = find_server(may_start), result, number;

	*output = NULL;
	if (fd < 0)
		return -1;
	result = command_server(fd, line, output);
	number = errno;
	close(fd);
	errno = number;
	return result;
}

static int start_or_stop(bool starts)
{
	CLEANUP(free_pointer) char *output = NULL;
	bool is_on = spying.pid == getpid();

	if (is_on == starts) {
		errno = EALREADY;
		return -1;
	}
	if (carry_out(starts ? "spy resume" : "spy off", starts, &output) < 0)
		return -1;
	spying.pid = starts ? getpid() : 0;
	return 0;
}

int spy_start(void)
{
	int result;

	pthread_mutex_lock(&spying.lock);
	result = start_or_stop(true);
	pthread_mutex_unlock(&spying.lock);
	return result;
}

int spy_stop(void)
{
	int result;

	pthread_mutex_lock(&spying.lock);
	result = start_or_stop(false);
	pthread_mutex_unlock(&spying.lock);
	return result;
}

int spy_command(const char *line, char **output)
{
	char *text = NULL;
	int result, number;

	if (output)
		*output = NULL;
	if (!line) {
		errno = EINVAL;
		return -1;
	}
	pthread_mutex_lock(&spying.lock);
	result = carry_out(line, true, &text);
	number = errno;
	pthread_mutex_unlock(&spying.lock);
	if (output)
		*output = text;
	else
		free(text);
	errno = number;
	return result;
}
