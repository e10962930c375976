/*
 * http.c - see http.h
 *
 * A request lives from its first line until its reply is sent, or until its
 * connection is closed: struct upload holds its message meanwhile. A connection
 * on which nothing happens is closed after a time, and there is a limit to
 * their number and to the memory of each.
 */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

#include "gate.h"
#include "microhttpd.h"
#include "page_text.h"
#include "peer_user.h"

enum {
	BACKLOG = 64,
	MOST_CONNECTIONS = 64,
	/* seconds without a byte, after which a connection is closed */
	SILENCE = 10,
	/* bytes for the first line and the headers of a request */
	HEAD_MAX = 16384,
	NONCE_LENGTH = 32,
	ADDRESS_MAX = 64 + TOKEN_LENGTH,
};

struct http {
	struct http_options options;
	struct microhttpd library;
	struct MHD_Daemon *daemon;
	struct gate gate;
	int fd, events; /* the listening socket, and the file of epoll(7) */
	char address[ADDRESS_MAX];
	char cookie[32];   /* its name */
	bool has_answered; /* a message, since http_run() was called */
};

/* The message that a request brings. */
struct upload {
	struct str text;
	bool is_too_long;
};

/* ---- replies ------------------------------------------------------------- */

/* What every reply says: the browser keeps no copy, shows it in no frame, tells
 * nobody the address, and loads nothing from anywhere. */
static const char *const headers[][2] = {
	{"Cache-Control", "no-store"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
};

#define POLICY_OF_TEXT "default-src 'none'; frame-ancestors 'none'"

/* Sends a reply, and takes over what `body` holds. */
static enum MHD_Result reply(struct http *http,
			     struct MHD_Connection *connection, unsigned status,
			     const char *type, const char *policy,
			     struct str *body)
{
	const struct microhttpd *library = &http->library;
	size_t length = body->length;
	char *text = str_take(body);
	struct MHD_Response *response =
		library->create_response(length, text, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result result;

	if (!response) {
		free(text);
		return MHD_NO;
	}
	library->add_response_header(response, "Content-Type", type);
	library->add_response_header(response, "Content-Security-Policy",
				     policy);
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		library->add_response_header(response, headers[i][0],
					     headers[i][1]);
	result = library->queue_response(connection, status, response);
	library->destroy_response(response);
	return result;
}

static enum MHD_Result refuse(struct http *http,
			      struct MHD_Connection *connection,
			      unsigned status, const char *why)
{
	struct str body = {0};

	str_printf(&body, "perftool: %s\n", why);
	return reply(http, connection, status, "text/plain; charset=utf-8",
		     POLICY_OF_TEXT, &body);
}

static enum MHD_Result send_page(struct http *http,
				 struct MHD_Connection *connection)
{
	CLEANUP(str_deinit) struct str policy = {0};
	char nonce[NONCE_LENGTH + 1];
	struct str body = {0};
	struct error *error = gate_make_secret(nonce, NONCE_LENGTH);

	if (error) {
		enum MHD_Result result =
			refuse(http, connection, 500, error_message(error));

		error_destroy(error);
		return result;
	}
	page_text(nonce, &body);
	str_printf(&policy,
		   "default-src 'none'; script-src 'nonce-%s'; style-src "
		   "'nonce-%s'; connect-src 'self'; img-src data:; base-uri "
		   "'none'; form-action 'none'; frame-ancestors 'none'",
		   nonce, nonce);
	return reply(http, connection, 200, "text/html; charset=utf-8",
		     str_text(&policy), &body);
}

/* Makes a new token, and the address that has it. */
static struct error *renew_token(struct http *http)
{
	TRY(gate_make_secret(http->gate.token, TOKEN_LENGTH));
	snprintf(http->address, sizeof(http->address),
		 "http://127.0.0.1:%u/?token=%s", (unsigned)http->gate.port,
		 http->gate.token);
	return NULL;
}

/* Gives the browser the key, and sends it to the address without the token. */
static enum MHD_Result open_page(struct http *http,
				 struct MHD_Connection *connection)
{
	const struct microhttpd *library = &http->library;
	struct error *error = renew_token(http);
	struct MHD_Response *response;
	enum MHD_Result result;
	char cookie[128];

	if (error) {
		result = refuse(http, connection, 500, error_message(error));
		error_destroy(error);
		return result;
	}
	response = library->create_response(0, NULL, MHD_RESPMEM_PERSISTENT);
	if (!response)
		return MHD_NO;
	/* With SameSite=Strict, a browser would not send the cookie if a link
	 * on another page was followed. Only GET / is answered in this case. */
	snprintf(cookie, sizeof(cookie),
		 "%s=%s; Path=/; HttpOnly; SameSite=Lax", http->cookie,
		 http->gate.key);
	library->add_response_header(response, "Set-Cookie", cookie);
	library->add_response_header(response, "Location", "/");
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		library->add_response_header(response, headers[i][0],
					     headers[i][1]);
	result = library->queue_response(connection, 303, response);
	library->destroy_response(response);
	return result;
}

static enum MHD_Result send_answer(struct http *http,
				   struct MHD_Connection *connection,
				   const struct upload *upload)
{
	struct str body = {0};

	if (upload->is_too_long)
		return refuse(http, connection, 413,
			      "a message has at most 1 MiB");
	http->has_answered = true;
	if (!http->options.answer(http->options.context,
				  str_text(&upload->text), upload->text.length,
				  &body)) {
		str_deinit(&body);
		return refuse(http, connection, 400,
			      "the text is no JSON-RPC message");
	}
	return reply(http, connection, body.length ? 200 : 204,
		     "application/json", POLICY_OF_TEXT, &body);
}

/* ---- requests ------------------------------------------------------------ */

static const char *header(const struct http *http,
			  struct MHD_Connection *connection, const char *name)
{
	return http->library.lookup_connection_value(connection,
						     MHD_HEADER_KIND, name);
}

/* Returns 200 if the user of the connection may use the page, else 403. */
static unsigned check_user(const struct http *http,
			   struct MHD_Connection *connection, const char **why)
{
	const union MHD_ConnectionInfo *info =
		http->library.get_connection_info(
			connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	uid_t user;

	*why = "the kernel does not say whose connection this is";
	if (!info || !peer_user_of(info->connect_fd, &user))
		return 403;
	*why = "the connection is that of another user";
	return peer_user_is_allowed(user, geteuid(), getenv("SUDO_UID")) ? 200
									 : 403;
}

static unsigned check(const struct http *http,
		      struct MHD_Connection *connection, const char *method,
		      const char *path, const char **why)
{
	const struct visit visit = {
		.method = method,
		.path = path,
		.token = http->library.lookup_connection_value(
			connection, MHD_GET_ARGUMENT_KIND, "token"),
		.key = http->library.lookup_connection_value(
			connection, MHD_COOKIE_KIND, http->cookie),
		.host = header(http, connection, "Host"),
		.origin = header(http, connection, "Origin"),
		.site = header(http, connection, "Sec-Fetch-Site"),
		.type = header(http, connection, "Content-Type")};
	const char *length = header(http, connection, "Content-Length");
	unsigned status = check_user(http, connection, why);

	if (status == 200)
		status = gate_check(&http->gate, &visit, why);
	if (status == 200 && length &&
	    strtoull(length, NULL, 10) > HTTP_MESSAGE_MAX) {
		*why = "a message has at most 1 MiB";
		return 413;
	}
	return status;
}

/* libmicrohttpd calls this when it knows the headers of a request, then for
 * each part of its message, and at last when the message is complete. */
static enum MHD_Result on_request(void *context,
				  struct MHD_Connection *connection,
				  const char *path, const char *method,
				  const char *version, const char *part,
				  size_t *length, void **request)
{
	struct http *http = context;
	struct upload *upload = *request;
	const char *why;
	unsigned status;

	(void)version;
	if (!upload) {
		status = check(http, connection, method, path, &why);
		if (status == 303)
			return open_page(http, connection);
		if (status != 200)
			return refuse(http, connection, status, why);
		*request = xcalloc(1, sizeof(*upload));
		return MHD_YES;
	}
	if (!*length)
		return str_equal(method, "POST")
			       ? send_answer(http, connection, upload)
			       : send_page(http, connection);
	if (upload->text.length + *length > HTTP_MESSAGE_MAX) {
		upload->is_too_long = true;
		str_deinit(&upload->text);
	}
	if (!upload->is_too_long)
		str_append_n(&upload->text, part, *length);
	*length = 0;
	return MHD_YES;
}

static void on_end(void *context, struct MHD_Connection *connection,
		   void **request, enum MHD_RequestTerminationCode how)
{
	struct upload *upload = *request;

	(void)context, (void)connection, (void)how;
	if (!upload)
		return;
	str_deinit(&upload->text);
	free(upload);
	*request = NULL;
}

static void on_connection(void *context, struct MHD_Connection *connection,
			  void **data, enum MHD_ConnectionNotificationCode what)
{
	const struct http *http = context;
	const union MHD_ConnectionInfo *info;

	(void)data;
	if (what != MHD_CONNECTION_NOTIFY_STARTED)
		return;
	info = http->library.get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (info && http->options.opened)
		http->options.opened(http->options.context, info->connect_fd);
}

/* libmicrohttpd asks this before it counts a connection, and closes the
 * connection at once if the answer is no. If the kernel does not tell whose
 * connection it is, each request on it is refused, which says why. */
static enum MHD_Result on_peer(void *context, const struct sockaddr *address,
			       socklen_t length)
{
	const struct http *http = context;
	const struct sockaddr_in own = {.sin_family = AF_INET,
					.sin_port = htons(http->gate.port),
					.sin_addr.s_addr =
						htonl(INADDR_LOOPBACK)};
	struct sockaddr_in peer;
	uid_t user;

	if (length < sizeof(peer) || address->sa_family != AF_INET)
		return MHD_NO;
	memcpy(&peer, address, sizeof(peer));
	if (!peer_user_find(&peer, &own, &user))
		return MHD_YES;
	return peer_user_is_allowed(user, geteuid(), getenv("SUDO_UID"))
		       ? MHD_YES
		       : MHD_NO;
}

/* ---- the beginning and the end ------------------------------------------- */

static struct error *open_port(struct http *http)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(http->options.port),
				      .sin_addr.s_addr =
					      htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	const int on = 1;

	http->fd =
		socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (http->fd < 0)
		return error_system(errno, "cannot make a socket for the page");
	setsockopt(http->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(http->fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(http->fd, BACKLOG) != 0)
		return error_system(errno,
				    "cannot serve the page at port %u of "
				    "127.0.0.1 (--http alone takes a port that "
				    "is free)",
				    (unsigned)http->options.port);
	if (getsockname(http->fd, (struct sockaddr *)&address, &length) != 0)
		return error_system(errno, "cannot find the port of the page");
	http->gate.port = ntohs(address.sin_port);
	return NULL;
}

static struct error *start(struct http *http)
{
	const union MHD_DaemonInfo *info;

	http->daemon = http->library.start_daemon(
		MHD_USE_EPOLL, 0, on_peer, http, on_request, http,
		MHD_OPTION_LISTEN_SOCKET, http->fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)SILENCE, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)HEAD_MAX, MHD_OPTION_NOTIFY_COMPLETED, on_end, http,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
		MHD_OPTION_END);
	if (!http->daemon)
		return error_create(ERROR_OTHER,
				    "libmicrohttpd cannot serve the page");
	info = http->library.get_daemon_info(http->daemon,
					     MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return error_create(ERROR_OTHER,
				    "libmicrohttpd cannot wait by epoll(7)");
	http->events = info->epoll_fd;
	return NULL;
}

struct error *http_create(const struct http_options *options, struct http **out)
{
	struct http *http = xcalloc(1, sizeof(*http));
	struct error *error;

	http->options = *options;
	http->fd = -1;
	error = microhttpd_load(&http->library);
	if (!error)
		error = gate_make_secret(http->gate.key, TOKEN_LENGTH);
	if (!error)
		error = open_port(http);
	if (!error)
		error = renew_token(http);
	if (!error)
		error = start(http);
	if (error) {
		http_destroy(http);
		return error;
	}
	/* A browser sends the cookies of all ports of a host to each of them.
	 */
	snprintf(http->cookie, sizeof(http->cookie), "perftool-%u",
		 (unsigned)http->gate.port);
	*out = http;
	return NULL;
}

void http_destroy(struct http *http)
{
	if (!http)
		return;
	/* libmicrohttpd closes the listening socket. */
	if (http->daemon)
		http->library.stop_daemon(http->daemon);
	else if (http->fd >= 0)
		close(http->fd);
	microhttpd_unload(&http->library);
	free(http);
}

const char *http_address(const struct http *http)
{
	return http->address;
}

int http_file(const struct http *http)
{
	return http->events;
}

int http_listener(const struct http *http)
{
	return http->fd;
}

int http_patience(const struct http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (http->library.get_timeout(http->daemon, &ms) != MHD_YES)
		return -1;
	return ms < 1000 ? (int)ms : 1000;
}

bool http_run(struct http *http)
{
	http->has_answered = false;
	/* When there were as many connections as there may be, and one has
	 * ended now, libmicrohttpd listens again only at its next run. */
	for (int i = 0; i < 2; i++)
		http->library.run(http->daemon);
	return http->has_answered;
}
