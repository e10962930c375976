/*
 * standstill.c - the program stands still for a command, and goes on after it
 *
 * An attached program runs while the user enters commands (BACKGROUND). A
 * command that needs its threads to be stopped calls stand_still() (HELD). The
 * head of session_state.h describes the states.
 */
#include <time.h>

#include "perftool/base/monotonic.h"
#include "perftool/session/measurements.h"
#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "session/run/run.h"
#include "session_state.h"

#define FIRST_QUESTION 100000u /* ns */

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
	session->worked_before = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
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
	if (session->state != RUN_HELD || session->pending_stops.count ||
	    session->holds_start)
		return NULL;
	enter_state(session, RUN_BACKGROUND);
	run_clock(session, true, clock_now(&session->clock));
	TRY(probe_resume_all(session->probe));
	session->stood += clock_now(&session->clock) - session->still_since;
	return NULL;
}

/* How much time on a CPU the tool takes for a command before session_relent()
 * lets the program go on, and how long it goes on, ns. (By the wall clock, a
 * busy machine would make the portions smaller, and each costs an update of the
 * sites.) */
#define MOST_WORK 100000000u
#define RESPITE 30000000u

/* Is the time over until which the program goes on? */
static bool is_respite_over(void *context)
{
	struct session *session = context;

	return clock_now(&session->clock) >= session->respite_until;
}

struct error *session_relent(struct session *session)
{
	struct session_stop stop;
	bool stopped;

	if (session->state != RUN_HELD || session->in_loop ||
	    nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - session->worked_before <
		    MOST_WORK)
		return NULL;
	TRY(go_on(session));
	session->respite_until = clock_now(&session->clock) + RESPITE;
	session_expect(session);
	TRY(session_serve(session, is_respite_over, session, &stopped, &stop));
	/* The caller of session_go_on() is told of a stop and of the end. */
	if (stopped && session->state == RUN_STOPPED) {
		vec_push(&session->pending_stops, stop);
		enter_state(session, RUN_HELD);
	} else if (stopped) {
		keep_end(session);
	}
	return NULL;
}

void session_let_begin(struct session *session)
{
	session->holds_start = false;
}

bool session_is_to_begin(const struct session *session)
{
	return session->holds_start;
}

bool session_is_alive(const struct session *session)
{
	return target_is_alive(session_pid(session));
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

void session_set_wait(struct session *session, session_wait_fn *wait,
		      void *context)
{
	session->wait = wait;
	session->wait_context = context;
}

static struct error *served_no_longer(void)
{
	return error_create(ERROR_INTERRUPTED, "interrupted: perftool serves "
					       "the program no longer");
}

struct error *wait_elsewhere(struct session *session, session_enough_fn *enough,
			     void *context)
{
	return session->wait(session->wait_context, enough, context)
		       ? NULL
		       : served_no_longer();
}

void session_wake_at(struct session *session, int fd)
{
	(void)session;
	target_wake_at(fd);
}

int session_wake_signal(struct session *session)
{
	(void)session;
	return target_catch_wake_signal();
}

void session_expect(struct session *session)
{
	session->ask_step = FIRST_QUESTION;
	session->ask_at = clock_now(&session->clock) + FIRST_QUESTION;
}

uint64_t session_events(const struct session *session)
{
	return session->events;
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
	if (session->wait) {
		TRY(wait_elsewhere(session, enough, context));
		return enough(context) ? NULL : served_no_longer();
	}
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
