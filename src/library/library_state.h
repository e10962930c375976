/*
 * library_state.h - struct perftool_session, as the files of the library share
 * it
 *
 * The kernel lets only the thread that has attached to a process trace it. So
 * a session has a thread of its own, on which all work is done
 * (session_thread.c). A function of the public header hands this thread a job,
 * and waits until it is done. A session of perftool_session_create_here() does
 * its jobs on the thread of its callers.
 */
#ifndef LIBRARY_LIBRARY_STATE_H
#define LIBRARY_LIBRARY_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/base/vec.h"
#include "perftool/command.h"
#include "perftool/library.h"
#include "perftool/operations.h"
#include "perftool/session.h"
#include "perftool/session/user_interface.h"

struct perftool_leg;
struct perftool_node;
VEC_STRUCT(leg_list, struct perftool_leg *);
VEC_STRUCT(node_list, struct perftool_node *);

typedef struct error *session_job_fn(struct perftool_session *session,
				     void *argument);

struct perftool_session {
	/* the session's own thread or, if `is_here`, that of its callers; then
	 * the members down to `error` are not used */
	pthread_t thread;
	bool is_here;
	pid_t process; /* whose thread it is: not that of a child of fork(2) */
	/* A caller holds `turn` for the whole of its call. */
	pthread_mutex_t turn;
	/* `lock` protects the members down to `error`. `changed` tells of each
	 * change. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	session_job_fn *job; /* NULL: the thread has nothing to do */
	void *argument;
	bool is_ready;  /* the thread has begun */
	bool is_ending; /* the thread is to end */
	bool is_over;   /* the thread has freed what the session worked with */
	/* The thread handles events of an attached process, and must be woken
	 * by `wake_signal` to take a job. */
	bool is_serving;
	struct error *error; /* of the last job */

	int wake_signal;
	atomic_bool is_interrupted;

	/* The members from here on are for the session's thread alone. */
	struct perftool_options options;
	struct session *session;
	struct session_ui ui;
	struct interpreter *interpreter;
	struct desk *desk; /* NULL: no operation was carried out yet */
	/* when the time limit ends, as a time of CLOCK_MONOTONIC; 0: it has not
	 * begun, or there is none */
	uint64_t end;
	/* who asks for operations by perftool_session_operation() */
	struct caller caller;
	/* how many jobs are being done, each one for a callback of the one
	 * before; 0 or 1 if the session has a thread of its own */
	unsigned depth;
	/* The interpreter writes to `stream`, which is `text`; NULL: it writes
	 * to the files of `options`. */
	FILE *stream;
	char *text;
	size_t length;
	perftool_event_fn *handler;
	void *handler_context;
	struct leg_list legs;
	struct node_list nodes;
};

/* ---- session_thread.c ---------------------------------------------------- */

/* Has the session's thread do the job, and returns its error. Returns an error
 * if the caller must not do so: a handler of events and a child of fork(2) must
 * not call a session that has its own thread, and a session that has none must
 * not be called by other threads. */
struct error *session_call(struct perftool_session *session,
			   session_job_fn *job, void *argument);
/* Starts the session's thread. */
struct error *session_thread_create(struct perftool_session *session);
/* Interrupts the job of the thread, and waits until the thread has ended the
 * session. Later jobs are refused. Returns an error if the thread that calls
 * cannot wait, as session_call() does. */
struct error *session_thread_end(struct perftool_session *session);
/* The same, and frees what belongs to the thread. */
struct error *session_thread_join(struct perftool_session *session);

/* ---- library_session.c --------------------------------------------------- */

/* Makes what the thread works with, and frees it. Both are called on the
 * session's thread. */
void library_session_begin(struct perftool_session *session);
void library_session_end(struct perftool_session *session);

/* Tells the handler of events of a stop. */
void library_tell_stop(struct perftool_session *session,
		       const struct session_stop *stop);

/* ---- library_operations.c ------------------------------------------------ */

/* Makes what the operations remember, and frees it. */
void library_operations_begin(struct perftool_session *session);
void library_operations_end(struct perftool_session *session);

/* ---- library_notices.c --------------------------------------------------- */

/* Returns the time of CLOCK_MONOTONIC at which the handler of events is to get
 * the next report or dump; UINT64_MAX: never. */
uint64_t library_notice_time(const struct perftool_session *session);
/* Sends what is due. The program may then stand still. */
void library_send_notices(struct perftool_session *session);

/* ---- library_user.c ------------------------------------------------------ */

/* Makes `session->ui`, which hands on what the session layer has for the user.
 */
void library_user_begin(struct perftool_session *session);

/* Tells the user that the text of a command is about to be written. `context`
 * is a struct perftool_session. */
void library_user_before_output(void *context);

/* Calls the handler of events, if there is one. */
void library_tell(struct perftool_session *session,
		  enum perftool_event_kind kind, const char *text);

/* ---- library_tables.c ---------------------------------------------------- */

/* Frees the figures that callers have got of legs and nodes. */
void library_forget_figures(struct perftool_session *session);

/* ---- library_error.c ----------------------------------------------------- */

/* Hands an error to the caller of the library. */
struct perftool_error *library_error(struct error *error);
/* The error for a pointer that is NULL, and must not be. `function` has it as
 * its parameter `name`. */
struct perftool_error *library_null(const char *function, const char *name);

/* If the pointer is NULL, return the error that says so. */
#define NEED(pointer)                                                          \
	do {                                                                   \
		if (!(pointer))                                                \
			return library_null(__func__, #pointer);               \
	} while (0)

#endif
