/*
 * server.c - serves front ends while the program runs
 *
 * One thread does all. It handles the events of the program
 * (perftool_session_serve()), and in between what the front ends have sent.
 * Reading and writing never wait for a front end. What a front end sends faster
 * than the tool can carry out waits in the socket, so that the program's events
 * come first.
 */
#include "server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "perftool/base/monotonic.h"
#include "perftool/base/runtime_folder.h"
#include "perftool/operations.h"

#include "errand.h"
#include "notices.h"
#include "socket_file.h"

#define MS 1000000u /* ns */

/* TURN: how long the tool handles requests before it looks at the program
 * again. SHARE: how long it handles those of one front end while others may
 * wait. IDLE: how often it looks around while no program runs. FAREWELL: how
 * long front ends have to read what is left when the server ends. All in ns. */
#define TURN (5 * MS)
#define SHARE (MS / 2)
#define IDLE (20 * MS)
#define FAREWELL (1500ull * MS)

/* The `id` of START, where JSON has it as a request. */
#define START_ID 1

/* How many bytes are read from a front end at once. */
#define PORTION 65536

static struct perftool_state state_of(const struct server *server)
{
	struct perftool_state state;

	perftool_session_state(server->session, &state);
	return state;
}

static bool is_holding(const struct server *server)
{
	return state_of(server).is_held;
}

/* ---- messages ------------------------------------------------------------ */

/* Tells a front end that the program has begun. While the program is held, JSON
 * has this as a request that must be answered. */
static void send_start(struct server *server, struct front_end *front_end)
{
	struct notice notice = {.name = "start",
				.pid = server->pid,
				.id = is_holding(server) ? START_ID : 0};

	front_end->was_told_start = true;
	notice_send(front_end, &notice);
}

static enum wire_code code_of(const struct error *error)
{
	return error_code(error) == ERROR_USAGE ? WIRE_CODE_PARAMETERS
						: WIRE_CODE_FAILED;
}

static void carry_out(struct server *server, struct front_end *front_end,
		      struct request *request,
		      const struct operation *operation, struct str *out)
{
	bool is_bare = operation->is_bare &&
		       wire_encoding(front_end->wire) == ENCODING_XML;
	struct json_object *result;
	struct error *error;

	request_unwrap(request, operation->request_wrapper);
	error = perftool_session_operate(server->session, operation,
					 &front_end->caller, request->params,
					 &result);
	if (error)
		wire_fail(front_end->wire, request, server->pid, code_of(error),
			  error_message(error), out);
	else
		wire_reply(front_end->wire, request, server->pid,
			   is_bare ? NULL : result, operation->reply_wrapper,
			   out);
	json_object_put(result);
	error_destroy(error);
}

static void refuse(const struct server *server,
		   const struct front_end *front_end,
		   const struct request *request, enum wire_code code,
		   char *text, struct str *out)
{
	wire_fail(front_end->wire, request, server->pid, code, text, out);
	free(text);
}

/* Is this the answer to START, which is the only message that a front end
 * answers? An error is none: a front end that does not know START may reply one
 * by itself. */
static bool answers_start(const struct server *server,
			  const struct front_end *front_end,
			  const struct request *request)
{
	if (!request->is_success)
		return false;
	if (wire_encoding(front_end->wire) == ENCODING_XML)
		return !request->pid || request->pid == server->pid;
	return json_object_is_type(request->id, json_type_int) &&
	       json_object_get_int64(request->id) == START_ID;
}

static void handle(struct server *server, struct front_end *front_end,
		   struct request *request)
{
	const struct operation *operation;
	struct str reply = {0};

	if (request->kind == REQUEST_ANSWER) {
		if (answers_start(server, front_end, request))
			perftool_session_let_begin(server->session);
		return;
	}
	operation =
		request->operation ? operation_find(request->operation) : NULL;
	if (request->kind == REQUEST_WRONG)
		wire_fail(front_end->wire, request, server->pid, request->code,
			  request->problem, &reply);
	else if (request->pid && request->pid != server->pid)
		refuse(server, front_end, request, WIRE_CODE_PARAMETERS,
		       xasprintf("process %d is served here, and not the one "
				 "that the message names",
				 (int)server->pid),
		       &reply);
	else if (!operation)
		refuse(server, front_end, request, WIRE_CODE_UNKNOWN,
		       xasprintf("there is no operation `%s'",
				 request->written ? request->written
						  : request->operation),
		       &reply);
	else
		carry_out(server, front_end, request, operation, &reply);
	front_end_send(front_end, &reply);
	str_deinit(&reply);
	front_end->is_closing |= request->is_last;
	if (!front_end->was_told_start)
		send_start(server, front_end);
}

/* May the request wait for something? */
static bool may_wait(const struct front_end *front_end,
		     const struct request *request)
{
	return front_end->fd >= 0 && request->kind != REQUEST_ANSWER &&
	       request->operation && str_equal(request->operation, "command");
}

void server_handle(struct server *server, struct front_end *front_end,
		   struct request *request)
{
	if (may_wait(front_end, request))
		front_end->errand =
			errand_begin(server, front_end, request, handle);
	else
		handle(server, front_end, request);
}

/* Goes on with the requests whose wait is over; `must_end`: with all, to their
 * ends. Returns whether there was one. */
static bool run_errands(struct server *server, bool must_end)
{
	bool any = false;

	for (size_t i = 0; i < server->front_ends.count; i++) {
		struct front_end *at = server->front_ends.data[i];

		while (at->errand && (must_end || errand_is_due(at->errand))) {
			any = true;
			if (errand_go_on(at->errand, must_end))
				at->errand = NULL;
			if (!must_end)
				break;
		}
	}
	return any;
}

static bool is_errand_due(const struct server *server)
{
	for (size_t i = 0; i < server->front_ends.count; i++) {
		const struct front_end *at = server->front_ends.data[i];

		if (at->errand && errand_is_due(at->errand))
			return true;
	}
	return false;
}

/* ---- front ends ---------------------------------------------------------- */

struct front_end *server_front_end(struct server *server, int fd)
{
	const struct caller caller = {.serial = ++server->serial,
				      .pid = server->pid,
				      .socket = server->path,
				      .page = server_page(server),
				      .since = server->since,
				      .gets_notices = fd >= 0};

	return front_end_create(fd, &caller);
}

static void accept_all(struct server *server)
{
	int fd;

	while ((fd = accept4(server->fd, NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (!socket_is_allowed(fd)) {
			close(fd);
			continue;
		}
		perftool_session_wake_at(server->session, fd);
		vec_push(&server->front_ends, server_front_end(server, fd));
	}
}

/* Handles what a front end has sent, until `end`. Only when all requests in
 * memory are handled, the tool reads more: what a front end sends meanwhile
 * waits in the socket. Returns whether there may be more: something was
 * handled, or the time was over while a request that was read may still be in
 * memory, where poll(2) does not see it. */
static bool hear(struct server *server, struct front_end *front_end,
		 uint64_t end)
{
	struct request request;
	bool any = false, has_read = false;

	while (monotonic_now() < end) {
		if (front_end->errand)
			return any;
		if (!wire_next(front_end->wire, &request)) {
			front_end->is_closing |= front_end->has_ended;
			if (has_read)
				return any;
			front_end_read(front_end, PORTION);
			has_read = true;
			continue;
		}
		server_handle(server, front_end, &request);
		request_deinit(&request);
		any = true;
	}
	return true;
}

void server_forget(struct server *server, struct front_end *front_end)
{
	perftool_session_forget(server->session, &front_end->caller);
	front_end_destroy(front_end);
}

static void forget_dead(struct server *server)
{
	for (size_t i = server->front_ends.count; i-- > 0;) {
		if (!server->front_ends.data[i]->is_dead ||
		    server->front_ends.data[i]->errand)
			continue;
		server_forget(server, server->front_ends.data[i]);
		vec_remove(&server->front_ends, i);
	}
}

/* Handles what each front end has sent, until `end`. A front end that sends a
 * lot does not keep the others waiting: the next turn begins with the front end
 * at which this one has ended. Returns whether there may be more. */
static bool hear_all(struct server *server, uint64_t end)
{
	size_t count = server->front_ends.count;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		uint64_t now = monotonic_now();
		uint64_t share = now + SHARE < end ? now + SHARE : end;

		if (now >= end)
			return true;
		server->turn = (server->turn + 1) % count;
		any |= hear(server, server->front_ends.data[server->turn],
			    share);
	}
	return any;
}

/* Does what front ends have asked for, for a short time. A front end that got a
 * reply will often send the next request at once. */
static void take_turn(void *context)
{
	struct server *server = context;
	uint64_t now = monotonic_now();
	bool any = true, was_any = false;

	accept_all(server);
	was_any = run_errands(server, false);
	while (any && monotonic_now() < now + TURN) {
		any = hear_all(server, now + TURN);
		was_any |= any;
	}
	if (server->page)
		was_any |= live_page_run(server->page);
	server->is_behind = any;
	if (was_any)
		perftool_session_expect(server->session);
	if (is_holding(server) &&
	    ((server->patience && now >= server->patience) ||
	     !perftool_session_is_alive(server->session)))
		perftool_session_let_begin(server->session);
	notices_report(server, now);
	notices_dump(server, monotonic_now());
	for (size_t i = 0; i < server->front_ends.count; i++)
		front_end_write(server->front_ends.data[i]);
	forget_dead(server);
	server->rest_until = monotonic_now();
	server->rest_until += server->rest_until - now;
}

/* ---- waiting ------------------------------------------------------------- */

/* Returns the time of CLOCK_MONOTONIC at which the server must act by itself;
 * UINT64_MAX: never. */
static uint64_t next_time(const struct server *server)
{
	uint64_t next = notices_next(server);

	if (server->end && server->end < next)
		next = server->end;
	if (is_holding(server) && server->patience && server->patience < next)
		next = server->patience;
	return next;
}

/* Waits until a front end has sent something or can be written to, but at most
 * `ns`. Returns whether there is something to do. */
static bool await_front_ends(const struct server *server, uint64_t ns)
{
	VEC(struct pollfd) files = {0};
	int timeout = (int)((ns + MS - 1) / MS), count;
	bool is_due = false;

	vec_push(&files, (struct pollfd){.fd = server->fd, .events = POLLIN});
	for (size_t i = 0; i < server->front_ends.count; i++) {
		const struct front_end *at = server->front_ends.data[i];
		short events = at->is_closing || at->has_ended || at->errand
				       ? 0
				       : POLLIN;

		if (front_end_has_output(at))
			events |= POLLOUT;
		/* The end of the connection is seen behind the errand. */
		vec_push(&files,
			 (struct pollfd){.fd = at->errand && !events ? -1
								     : at->fd,
					 .events = events});
	}
	if (server->page) {
		int patience = live_page_patience(server->page);

		vec_push(&files,
			 (struct pollfd){.fd = live_page_file(server->page),
					 .events = POLLIN});
		if (patience == 0)
			is_due = true;
		else if (patience > 0 && patience < timeout)
			timeout = patience;
	}
	count = poll(files.data, files.count, is_due ? 0 : timeout);
	vec_free(&files);
	return count > 0 || is_due;
}

/* After a turn, the program has the tool for as long as the turn has taken, if
 * it has events all the time. So the program never gets less of the tool's time
 * than all front ends together. */
static bool is_program_first(struct server *server, uint64_t now)
{
	uint64_t events = perftool_session_events(server->session);
	bool has_events = events != server->events;

	server->events = events;
	return has_events && now < server->rest_until;
}

/* Is there something to do besides the events of the program? */
static bool is_due(void *context)
{
	struct server *server = context;
	uint64_t now = monotonic_now();

	if (perftool_session_is_interrupting(server->session))
		return true;
	if (is_errand_due(server))
		return true;
	if (is_program_first(server, now))
		return false;
	return server->is_behind || now >= next_time(server) ||
	       await_front_ends(server, 0);
}

/* The program was killed while it was stopped. It goes on, so that its end is
 * an event like any other. */
static struct error *take_end(struct server *server)
{
	char *output = NULL;
	struct error *error = perftool_error_cause(
		perftool_session_command(server->session, "continue", &output));

	free(output);
	return error;
}

/* Handles events of the program until there is something else to do. */
static struct error *await_something(struct server *server)
{
	const struct perftool_state state = state_of(server);
	struct str told = {0};
	struct error *error;

	if (state.is_held || !state.runs_on) {
		uint64_t now = monotonic_now(), next = next_time(server);

		await_front_ends(server, next <= now         ? 0
					 : next - now < IDLE ? next - now
							     : IDLE);
		return state.is_held || perftool_session_is_alive(
						server->session)
			       ? NULL
			       : take_end(server);
	}
	error = perftool_session_serve(server->session, is_due, server, &told);
	str_deinit(&told);
	return error;
}

bool server_is_time_over(const struct server *server)
{
	return server->end && monotonic_now() >= server->end;
}

/* Is there no program any more, or does somebody want the server to end? */
static bool is_over(const struct server *server)
{
	const struct perftool_state state = state_of(server);

	return !state.has_process || state.is_done ||
	       server_is_time_over(server) ||
	       perftool_session_is_interrupted(server->session);
}

struct error *server_run(struct server *server)
{
	struct error *error = NULL;
	struct str told = {0};

	while (!error && !is_over(server)) {
		error = perftool_session_together(server->session, take_turn,
						  server, &told);
		str_deinit(&told);
		if (!server->end && !is_holding(server))
			server->end =
				perftool_session_begin_limit(server->session);
		if (!error && !state_of(server).is_done)
			error = await_something(server);
	}
	return error;
}

/* ---- the beginning and the end ------------------------------------------- */

/* Makes a server that has no socket yet. */
static struct server *make_server(const struct server_options *options)
{
	struct server *server = xcalloc(1, sizeof(*server));

	server->options = *options;
	server->session = options->session;
	error_destroy(perftool_error_cause(
		perftool_session_pid(server->session, &server->pid)));
	server->fd = -1;
	server->since = host_time();
	return server;
}

struct error *server_create(const struct server_options *options,
			    struct server **out)
{
	struct server *server = make_server(options);
	struct str path = {0};
	struct error *error = NULL;

	if (options->waits && options->patience)
		server->patience = monotonic_now() + options->patience;
	if (options->socket) {
		str_append(&path, options->socket);
	} else {
		error = runtime_folder_make(&path);
		str_printf(&path, "/%d.sock", (int)server->pid);
	}
	if (!error)
		error = socket_listen(str_text(&path), &server->fd);
	if (error) {
		str_deinit(&path);
		server_destroy(server);
		return error;
	}
	server->path = str_take(&path);
	perftool_session_wake_at(server->session, server->fd);
	if (options->has_page)
		error = live_page_create(server, options->port, &server->page);
	if (error) {
		server_destroy(server);
		return error;
	}
	*out = server;
	return NULL;
}

const char *server_socket(const struct server *server)
{
	return server->path;
}

const char *server_page(const struct server *server)
{
	return server->page ? live_page_address(server->page) : NULL;
}

/* Until when does the server, which has begun to end, wait? It waits for front
 * ends that have to read, and for an open page, which gets the last figures
 * when it asks again. There may be several pages, so the first that asks does
 * not end the wait. In ns of CLOCK_MONOTONIC. */
static uint64_t end_of_leave(const struct server *server, uint64_t begin)
{
	uint64_t end = server->front_ends.count ? begin + FAREWELL : begin;
	uint64_t page_end;

	if (!server->page)
		return end;
	page_end = live_page_asked(server->page) < begin
			   ? live_page_attention(server->page)
			   : begin + FAREWELL;
	return page_end > end ? page_end : end;
}

/* Tells the front ends that it is over, and waits a short time until they have
 * read it. */
static void take_leave(struct server *server)
{
	const struct notice notice = {.name = "end", .pid = server->pid};
	const uint64_t begin = monotonic_now();
	uint64_t end, now;

	/* Those that have waited for the end of the program tell of it. */
	while (run_errands(server, false))
		continue;
	run_errands(server, true);
	for (size_t i = 0; i < server->front_ends.count; i++) {
		/* What was sent before the end is answered. */
		hear(server, server->front_ends.data[i], begin + FAREWELL);
		notice_send(server->front_ends.data[i], &notice);
		server->front_ends.data[i]->is_closing = true;
	}
	for (;;) {
		for (size_t i = 0; i < server->front_ends.count; i++)
			front_end_write(server->front_ends.data[i]);
		forget_dead(server);
		now = monotonic_now();
		end = end_of_leave(server, begin);
		if (now >= end)
			return;
		await_front_ends(server, end - now);
		if (server->page)
			live_page_run(server->page);
	}
}

void server_destroy(struct server *server)
{
	if (!server)
		return;
	/* New front ends must not find a server that ends. */
	if (server->fd >= 0)
		close(server->fd);
	server->fd = -1;
	if (server->path)
		socket_remove_stale(server->path);
	take_leave(server);
	while (server->front_ends.count)
		front_end_destroy(
			server->front_ends.data[--server->front_ends.count]);
	errand_free_stack(server);
	vec_free(&server->front_ends);
	live_page_destroy(server->page);
	free(server->path);
	free(server);
}
