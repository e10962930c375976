/*
 * server.h - the server as the files of this layer share it
 */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <time.h>

#include "perftool/base/vec.h"
#include "perftool/operations.h"
#include "perftool/serve.h"

#include "front_end.h"
#include "live_page.h"

struct server {
	struct server_options options;
	struct perftool_session *session;
	pid_t pid;
	char *path; /* of the socket */
	int fd;
	VEC(struct front_end *) front_ends;
	uint32_t serial;        /* of the last front end */
	size_t turn;            /* the front end that was heard last */
	struct live_page *page; /* NULL: there is none */
	struct timespec since;  /* when the server began, as the time of day */
	/* The program is held until a front end has answered START, or until
	 * this time of CLOCK_MONOTONIC; 0: there is no such time. */
	uint64_t patience;
	/* When the time limit of the session ends, as a time of
	 * CLOCK_MONOTONIC; 0: it has not begun, because the program is held;
	 * UINT64_MAX: there is none. */
	uint64_t end;
	/* The time of a turn was over before all requests were handled, so that
	 * there are more in memory. */
	bool is_behind;
	/* Until this time of CLOCK_MONOTONIC the program comes first if it has
	 * events; how many it had when the server was asked last. */
	uint64_t rest_until, events;
	void *spare_stack; /* of errands (errand.h), or NULL */
};

/* Makes a front end, which server_forget() destroys; `fd`: as for
 * front_end_create(). */
struct front_end *server_front_end(struct server *server, int fd);
/* Carries out what a front end has asked for, and sends it the reply. */
void server_handle(struct server *server, struct front_end *front_end,
		   struct request *request);
/* Destroys a front end, and removes what it has asked for as its own. */
void server_forget(struct server *server, struct front_end *front_end);

#endif
