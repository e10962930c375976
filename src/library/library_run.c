/*
 * library_run.c - the runs of a session's program, and the ends of these runs
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "library_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"
#include "perftool/session/measurements.h"

void library_tell_stop(struct perftool_session *session,
		       const struct session_stop *stop)
{
	struct str text = {0};

	session_describe_stop(session->session, stop, &text);
	library_tell(session, PERFTOOL_EVENT_STOP, str_text(&text));
	str_deinit(&text);
}

/* ---- one run ------------------------------------------------------------- */

/* Returns how long the program may run until the run is over or a notice is
 * due, in ns; 0: there is no limit. `end`: when the run is over, as a time of
 * CLOCK_MONOTONIC. */
static uint64_t slice(const struct perftool_session *session, uint64_t end)
{
	uint64_t now = monotonic_now(), next = library_notice_time(session);

	if (next > end)
		next = end;
	if (next == UINT64_MAX)
		return 0;
	return next > now ? next - now : 1;
}

/* Lets the program run, also past breakpoints that stop it. It stands still for
 * each notice. */
static struct error *let_run(struct perftool_session *session, uint64_t ns)
{
	uint64_t end = ns ? monotonic_now() + ns : UINT64_MAX;
	struct session_stop stop;

	do {
		TRY(session_continue(session->session, slice(session, end),
				     &stop));
		if (stop.reason != STOP_DURATION)
			library_tell_stop(session, &stop);
		library_send_notices(session);
	} while ((stop.reason == STOP_BREAKPOINT ||
		  stop.reason == STOP_DURATION) &&
		 monotonic_now() < end);
	if (stop.reason == STOP_INTERRUPTED)
		return error_create(ERROR_INTERRUPTED, "interrupted");
	return NULL;
}

static struct error *run(struct perftool_session *session, void *argument)
{
	const int64_t *ns = argument;
	struct session_stop end;

	library_forget_figures(session);
	if (!session_has_process(session->session))
		return session_last_end(session->session, &end)
			       ? error_create(ERROR_GONE,
					      "the program has ended; launch "
					      "it again")
			       : error_create(ERROR_USAGE,
					      "there is no program to run; "
					      "launch one, or attach to one");
	TRY(session_monitor(session->session, true));
	return *ns ? let_run(session, *ns < 0 ? 0 : (uint64_t)*ns) : NULL;
}

struct perftool_error *perftool_session_run(struct perftool_session *session,
					    int64_t ns)
{
	NEED(session);
	if (ns < -1)
		return library_error(error_create(
			ERROR_USAGE,
			"%" PRId64 " is no duration; -1 runs the program to "
			"its end",
			ns));
	return library_error(session_call(session, run, &ns));
}

static struct error *get_pid(struct perftool_session *session, void *argument)
{
	*(pid_t *)argument = session_pid(session->session);
	return NULL;
}

struct perftool_error *perftool_session_pid(struct perftool_session *session,
					    pid_t *pid)
{
	NEED(session);
	NEED(pid);
	return library_error(session_call(session, get_pid, pid));
}

/* ---- a whole measurement ------------------------------------------------- */

struct measuring {
	uint64_t limit;
	bool in_time;
};

/* Starts the program, or continues the process that is being measured. */
static struct error *begin(struct session *session, uint64_t limit,
			   struct session_stop *stop)
{
	TRY(session_monitor(session, true));
	if (session_has_process(session))
		return session_continue(session, limit, stop);
	return session_run(session, NULL, 0, NULL, NULL, limit, stop);
}

/* Lets an attached process go, and tells of it. */
static void let_go(struct perftool_session *session)
{
	struct str text = {0};
	struct error *error;

	if (!session_has_process(session->session) ||
	    !session_is_attached(session->session))
		return;
	error = session_detach(session->session, &text);
	if (text.length)
		library_tell(session, PERFTOOL_EVENT_STOP, str_text(&text));
	if (error)
		library_tell(session, PERFTOOL_EVENT_NOTE,
			     error_message(error));
	error_destroy(error);
	str_deinit(&text);
}

static bool is_end(const struct session_stop *stop)
{
	return stop->reason == STOP_EXITED || stop->reason == STOP_SIGNALED ||
	       stop->reason == STOP_DETACHED;
}

static struct error *measure(struct perftool_session *session, void *argument)
{
	struct measuring *measuring = argument;
	uint64_t limit = measuring->limit, began = monotonic_now();
	struct session *of = session->session;
	struct session_stop stop;

	/* The process that the session was attached to has ended. The
	 * measurement is complete, and the same program is not started instead.
	 */
	if (!session_has_process(of) && session_last_end(of, &stop))
		return NULL;
	library_forget_figures(session);
	TRY(begin(of, limit, &stop));
	while (stop.reason == STOP_BREAKPOINT) {
		uint64_t gone = monotonic_now() - began;

		library_tell_stop(session, &stop);
		if (limit && gone >= limit)
			break;
		TRY(session_continue(of, limit ? limit - gone : 0, &stop));
	}
	let_go(session);
	measuring->in_time = stop.reason == STOP_DURATION;
	if (!is_end(&stop) && session_has_process(of))
		TRY(session_end_program(of, &stop));
	/* An ordinary end is not told. */
	if (stop.reason == STOP_SIGNALED || stop.reason == STOP_DETACHED)
		library_tell_stop(session, &stop);
	return NULL;
}

struct error *perftool_session_measure(struct perftool_session *session,
				       uint64_t ns, bool *in_time)
{
	struct measuring measuring = {.limit = ns};
	struct error *error = session_call(session, measure, &measuring);

	*in_time = measuring.in_time;
	return error;
}

static struct error *start(struct perftool_session *session, void *argument)
{
	struct session_stop stop;
	bool stopped = false;

	(void)argument;
	TRY(session_monitor(session->session, true));
	if (!session_has_process(session->session))
		TRY(session_start(session->session, true, &stopped, &stop));
	return NULL;
}

struct error *perftool_session_start(struct perftool_session *session)
{
	return session_call(session, start, NULL);
}

static struct error *let_begin(struct perftool_session *session, void *argument)
{
	(void)argument;
	session_let_begin(session->session);
	return NULL;
}

void perftool_session_let_begin(struct perftool_session *session)
{
	error_destroy(session_call(session, let_begin, NULL));
}

static struct error *begin_limit(struct perftool_session *session,
				 void *argument)
{
	uint64_t end = interpreter_begin_limit(session->interpreter);

	if (end != UINT64_MAX)
		session->end = end;
	if (session->desk)
		desk_set_end(session->desk, session->end);
	*(uint64_t *)argument = end;
	return NULL;
}

uint64_t perftool_session_begin_limit(struct perftool_session *session)
{
	uint64_t end = UINT64_MAX;

	error_destroy(session_call(session, begin_limit, &end));
	return end;
}

/* ---- detaching and ending ------------------------------------------------ */

static struct error *detach(struct perftool_session *session, void *argument)
{
	return session_detach(session->session, argument);
}

static struct error *end(struct perftool_session *session, void *argument)
{
	struct session_stop stop;

	if (session_has_process(session->session) &&
	    session_is_attached(session->session))
		return session_detach(session->session, argument);
	return session_end_program(session->session, &stop);
}

/* Has the session do a job that appends to a text, and hands the text out. */
static struct perftool_error *call_for_text(struct perftool_session *session,
					    session_job_fn *job, char **text)
{
	struct str said = {0};
	struct error *error = session_call(session, job, &said);

	if (text && !error)
		*text = xstrdup(str_text(&said));
	str_deinit(&said);
	return library_error(error);
}

struct perftool_error *perftool_session_detach(struct perftool_session *session,
					       char **text)
{
	NEED(session);
	return call_for_text(session, detach, text);
}

struct perftool_error *perftool_session_end(struct perftool_session *session,
					    char **text)
{
	NEED(session);
	return call_for_text(session, end, text);
}

/* ---- the state ----------------------------------------------------------- */

static int status_of(const struct session_stop *end)
{
	return end->reason == STOP_SIGNALED ? 128 + end->signal : end->status;
}

static struct error *fill_state(struct perftool_session *session,
				void *argument)
{
	const struct interpreter *interpreter = session->interpreter;
	struct session *of = session->session;
	struct perftool_state *state = argument;
	struct session_stop end;
	struct name_parts parts;

	session_name_parts(of, &parts);
	*state = (struct perftool_state){
		.pid = parts.pid,
		.has_program = session_program(of) != NULL,
		.has_process = session_has_process(of),
		.is_attached = session_is_attached(of),
		.runs_on = session_runs_on(of),
		.is_held = session_is_to_begin(of),
		.was_run = session_was_run(of),
		.is_monitored = session_monitor_is_on(of),
		.has_requests = session_has_requests(of),
		.commands = interpreter_commands(interpreter),
		.is_done = interpreter_is_done(interpreter) ||
			   (session->desk && desk_is_done(session->desk)),
		.is_time_over = interpreter_time_is_over(interpreter),
		.is_ended_by_user = interpreter_is_ended_by_user(interpreter),
		.ran_after_end = interpreter_ran_after_end(interpreter),
		.unseen_profile = interpreter_unseen_profile(interpreter),
	};
	state->has_ended = !state->has_process && session_last_end(of, &end);
	if (state->has_ended)
		state->exit_status = status_of(&end);
	return NULL;
}

void perftool_session_state(struct perftool_session *session,
			    struct perftool_state *state)
{
	*state = (struct perftool_state){0};
	error_destroy(session_call(session, fill_state, state));
}

static struct error *get_status(struct perftool_session *session,
				void *argument)
{
	struct session_stop end;

	if (session_has_process(session->session))
		return error_create(ERROR_OTHER, "the program has not ended");
	if (!session_last_end(session->session, &end))
		return error_create(ERROR_OTHER, "no program was run");
	if (end.reason != STOP_EXITED && end.reason != STOP_SIGNALED)
		return error_create(ERROR_OTHER,
				    "the program goes on without the session");
	*(int *)argument = status_of(&end);
	return NULL;
}

struct perftool_error *
perftool_session_exit_status(struct perftool_session *session, int *status)
{
	NEED(session);
	NEED(status);
	return library_error(session_call(session, get_status, status));
}
