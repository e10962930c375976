/*
 * standstill.c - the program stands still for a command, and goes on after it
 *
 * An attached program runs while the user enters commands (BACKGROUND). A
 * command that needs its threads to be stopped calls stand_still() (HELD). The
 * head of session_state.h describes the states.
 */
#include <time.h>

#include "session/run/run.h"
#include "session_state.h"

void enter_state(struct session *session, enum run_state state)
{
	/* What threads have counted by themselves until the end of the run
	 * counts. What is told later does not. */
	if (!is_over(session) && state >= RUN_ENDING)
		probe_read_counts(session->probe);
	if (!is_over(session) || state >= RUN_ENDING)
		session->state = state;
}

struct error *stop_threads(struct session *session, uint64_t time)
{
	if (session->clock_runs)
		run_clock(session, false, time);
	return target_stop_all(session->target);
}

void keep_end(struct session *session)
{
	describe_last_end(session, &session->untold);
	session->has_untold = true;
}

bool session_runs_on(const struct session *session)
{
	return goes_on(session) && session->followed.count;
}

struct error *stand_still(struct session *session)
{
	if (!session_runs_on(session) || session->state == RUN_HELD ||
	    session->in_loop)
		return NULL;
	session->still_since = clock_now(&session->clock);
	TRY(stop_everything(session));
	if (session->followed.count)
		enter_state(session, RUN_HELD);
	else
		keep_end(session);
	return NULL;
}

struct error *need_still(struct session *session)
{
	TRY(need_process(session));
	TRY(stand_still(session));
	return need_process(session);
}

struct error *go_on(struct session *session)
{
	if (session->state != RUN_HELD || session->pending_stops.count)
		return NULL;
	enter_state(session, RUN_BACKGROUND);
	run_clock(session, true, clock_now(&session->clock));
	TRY(probe_resume_all(session->probe));
	session->stood += clock_now(&session->clock) - session->still_since;
	return NULL;
}

struct error *session_go_on(struct session *session, uint64_t *stood,
			    bool *stopped, struct session_stop *stop)
{
	*stopped = session->has_untold;
	if (session->has_untold) {
		*stop = session->stop = session->untold;
		session->has_untold = false;
	}
	if (session->state == RUN_HELD && take_pending_stop(session, stop)) {
		enter_state(session, RUN_STOPPED);
		*stopped = true;
	}
	TRY(go_on(session));
	if (session_runs_on(session))
		session->selected = NULL;
	*stood = session->stood;
	session->stood = 0;
	return NULL;
}

/* Lets go of threads that were still suspended by the kernel (they wait for a
 * vfork child) when the tool detached from their process. */
static void let_go(struct session *session, session_enough_fn *enough,
		   void *context)
{
	const struct timespec pause = {.tv_nsec = 20000000};

	while (target_release_waiting(session->target) && !enough(context))
		nanosleep(&pause, NULL);
}

void session_reap(pid_t pid)
{
	target_reap(pid);
}

struct error *session_serve(struct session *session, session_enough_fn *enough,
			    void *context, bool *stopped,
			    struct session_stop *stop)
{
	struct run run = {.stop = stop,
			  .deadline = UINT64_MAX,
			  .enough = enough,
			  .context = context};

	*stopped = false;
	if (!session_runs_on(session) || session->state == RUN_HELD ||
	    session->in_loop) {
		let_go(session, enough, context);
		return NULL;
	}
	TRY(run_events(session, &run));
	*stopped = !goes_on(session);
	if (*stopped) {
		session->selected = followed_thread(session, stop->tid);
		session->stop = *stop;
	}
	return NULL;
}
