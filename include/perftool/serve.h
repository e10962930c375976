/*
 * serve.h - takes commands from front ends on a Unix socket, and from the live
 * page in a browser, while the program is measured
 *
 * Source of the rules: doc/PROTOCOL.md, which is generated from the table of
 * operations (src/operations/).
 */
#ifndef PERFTOOL_SERVE_H
#define PERFTOOL_SERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/base/string_list.h"
#include "perftool/library.h"

/* ---- the server ---------------------------------------------------------- */

struct server;

struct server_options {
	/* It works on the caller's thread, and must exist as long as the
	 * server. */
	struct perftool_session *session;
	/* The path of the socket; NULL: the usual one, which is named by the
	 * pid of the program. */
	const char *socket;
	/* The program is held before its first instruction until a front end
	 * has answered START. `patience`: how long, in ns; 0: no limit. */
	bool waits;
	uint64_t patience;
	/* The live page is served at this port of 127.0.0.1; 0: at one that is
	 * free. */
	bool has_page;
	uint16_t port;
};

/* Opens the socket. The session has a process. The caller calls
 * server_destroy(). Errors: the socket cannot be made, or another perftool
 * serves at the same path. */
struct error *server_create(const struct server_options *options,
			    struct server **out);

/* Returns the path of the socket. The server owns it. */
const char *server_socket(const struct server *server);
/* Returns the address of the live page, with its secret token, or NULL. The
 * server owns it. */
const char *server_page(const struct server *server);

/* Serves the front ends until the program has ended, or the user has asked to
 * interrupt, or a front end has given the command `quit`, or the time limit of
 * the session is over. It begins when the program does. */
struct error *server_run(struct server *server);
bool server_is_time_over(const struct server *server);

/* Appends the sections of doc/PROTOCOL.md on the operations, from their table.
 */
void serve_document(struct str *out);

/* Tells the front ends that it is over, gives them a short time to read what is
 * left, and removes the socket. */
void server_destroy(struct server *server);

/* ---- the other side ------------------------------------------------------ */

/* `perftool who`: appends a line, or one element of a JSON array, for each
 * perftool of this user that serves and answers. Removes the sockets that
 * servers which died have left. */
struct error *serve_who(bool json, struct str *out);

/* A connection to a server, for `perftool ctl`. */
struct control;
/* Connects to the server of the process `pid`; 0: to the only one that there
 * is. `socket`: the path of its socket, or NULL. The caller calls
 * control_destroy(). */
struct error *control_create(pid_t pid, const char *socket,
			     struct control **out);
void control_destroy(struct control *control);
/* Has the server run one line of commands. `columns`: the width that tables
 * shall fit; 0: any. `output` gets what the commands have
 * printed and said. An error is one that the server has reported, or means that
 * the connection is lost. `*ended`: the program has ended, and with it the
 * server. */
struct error *control_line(struct control *control, const char *line,
			   size_t columns, struct str *output, bool *ended);

/* What a prompt has to do before it has a line run. All NULL: nothing. The
 * caller calls control_question_deinit(). */
struct control_question {
	char *line; /* the line to run, which lacks nothing */
	/* what the line lacks, as a prompt calls it, and the text after which
	 * that comes */
	char *name, *before;
};
void control_question_deinit(struct control_question *question);
/* Finds what a line lacks, when the user has given these answers so far.
 * `output` gets the answer to a `?`: see the operation ASK. A server that is
 * older than this operation finds nothing. */
struct error *control_ask(struct control *control, const char *line,
			  const struct string_list *answers,
			  struct control_question *out, struct str *output,
			  bool *ended);

/* For a prompt, which waits for more than the server. `await` waits until the
 * file can be read; it returns false if the user has interrupted, and the
 * function that has called it then returns ERROR_INTERRUPTED. What the server
 * replies to the interrupted request is passed over later. */
typedef bool control_await_fn(void *context, int fd);
void control_set_await(struct control *control, control_await_fn *await,
		       void *context);
/* Returns the file that can be read when the server has sent something. */
int control_file(const struct control *control);
/* Reads what the server has sent by itself, without waiting for it. `*ended`:
 * the server has closed the connection. */
struct error *control_listen(struct control *control, bool *ended);
/* Appends a line that says which process is served. */
struct error *control_describe(struct control *control, struct str *out);
/* Appends the candidates for the last word of `line`, the beginning of a
 * command. `*start` gets the index in `line` at which that word begins. */
struct error *control_complete(struct control *control, const char *line,
			       size_t *start, struct string_list *words);

#endif
