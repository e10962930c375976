/*
 * http.h - serves the live page: one HTML page, and one JSON-RPC message at a
 * time, to a web browser on this machine
 *
 * The address is http://127.0.0.1:PORT/?token=TOKEN. Whoever knows the token
 * can do what a front end on the socket can do, so the token has 128 random
 * bits, and opens the page once. gate.h has the rules by which requests are
 * refused, and peer_user.h those by which users are.
 *
 * libmicrohttpd reads and writes HTTP. It has no thread of its own: the server
 * calls http_run() when the file http_file() can be read. This folder does not
 * know what a message means: a function of the caller answers it.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* How long a message may be, in bytes. */
#define HTTP_MESSAGE_MAX (1u << 20)

struct http;

struct http_options {
	/* The port of 127.0.0.1; 0: a port that is free. */
	uint16_t port;
	void *context;
	/* Answers one message, which is `length` bytes long. `reply` stays
	 * empty if the message needs no reply. Returns false if the text is no
	 * message at all. */
	bool (*answer)(void *context, const char *text, size_t length,
		       struct str *reply);
	/* A connection was opened, and this is its file. */
	void (*opened)(void *context, int fd);
};

/* Listens. The caller calls http_destroy(). Errors: the port is in use, or
 * libmicrohttpd is not installed. */
struct error *http_create(const struct http_options *options,
			  struct http **out);
void http_destroy(struct http *http);

/* Returns the address of the page, with the present token. The text belongs to
 * the page, and changes when somebody has used the token. */
const char *http_address(const struct http *http);

/* Returns the file that can be read when http_run() has something to do. */
int http_file(const struct http *http);
/* Returns the file on which browsers connect. */
int http_listener(const struct http *http);
/* Returns in how many ms http_run() must be called although the file cannot be
 * read; -1: it need not. */
int http_patience(const struct http *http);

/* Reads, answers and writes as much as is possible without waiting. Returns
 * whether a message was answered. */
bool http_run(struct http *http);

#endif
