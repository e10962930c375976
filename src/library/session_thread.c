/*
 * session_thread.c - the thread of a session: it does the jobs that the callers
 * hand to it, and serves the processes that the session is attached to
 *
 * A job exists from the moment when a caller sets `job` until the thread sets
 * it back to NULL. The caller waits for that. While there is no job, the thread
 * waits for one; if a process runs meanwhile, the thread handles its events, so
 * that the process does not wait at its breakpoints.
 *
 * The thread ends when a caller has set `is_ending`. It carries out no further
 * job then, and sets `is_over` last of all.
 */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "library_state.h"
#include "perftool/base/monotonic.h"

/* How often a caller wakes the thread that serves a process, until the thread
 * has noticed the job; and how long the thread waits for a job before it serves
 * again, if a process could not be served. In ns. */
#define WAKE_INTERVAL 1000000
#define REST_INTERVAL 20000000

/* Waits for a change, at most `ns`; 0: for any time. The caller has the lock.
 */
static void await_change(struct perftool_session *session, long ns)
{
	struct timespec until;

	if (!ns) {
		pthread_cond_wait(&session->changed, &session->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ns;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&session->changed, &session->lock, &until);
}

/* ---- the session's thread ------------------------------------------------ */

/* Blocks all signals but those that the thread itself can cause, and the one
 * that wakes it. The other signals of the process are for its other threads. */
static void block_signals(const struct perftool_session *session)
{
	static const int kept[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
				   SIGTRAP, SIGABRT, SIGSYS};
	sigset_t blocked;

	sigfillset(&blocked);
	sigdelset(&blocked, session->wake_signal);
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		sigdelset(&blocked, kept[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

/* Lets the processes go on that stood still. */
static void go_on(struct perftool_session *session)
{
	struct session_stop stop;
	struct error *error;
	uint64_t stood;
	bool stopped;

	error = session_go_on(session->session, &stood, &stopped, &stop);
	if (!error && stopped)
		library_tell_stop(session, &stop);
	if (error)
		library_tell(session, PERFTOOL_EVENT_NOTE,
			     error_message(error));
	error_destroy(error);
}

static bool is_needed(void *context)
{
	struct perftool_session *session = context;
	bool result = monotonic_now() >= library_notice_time(session);

	pthread_mutex_lock(&session->lock);
	result |= session->job || session->is_ending;
	pthread_mutex_unlock(&session->lock);
	return result;
}

/* Handles the events of the processes that run, until there is a job or a
 * notice is due. */
static void serve(struct perftool_session *session)
{
	struct str told = {0};
	struct error *error = interpreter_serve(session->interpreter, is_needed,
						session, &told);

	if (told.length)
		library_tell(session, PERFTOOL_EVENT_STOP, str_text(&told));
	if (error)
		library_tell(session, PERFTOOL_EVENT_NOTE,
			     error_message(error));
	error_destroy(error);
	str_deinit(&told);
}

/* Sends the notices that are due. Returns whether there were any. */
static bool notify(struct perftool_session *session)
{
	if (monotonic_now() < library_notice_time(session))
		return false;
	library_send_notices(session);
	go_on(session);
	return true;
}

/* Waits for a job. The caller has the lock. */
static void await_job(struct perftool_session *session)
{
	bool served = false;

	while (!session->job && !session->is_ending) {
		bool serves = session_runs_on(session->session) &&
			      !session_is_to_begin(session->session);

		if (!serves || served) {
			await_change(session, serves ? REST_INTERVAL : 0);
			served = false;
			continue;
		}
		session->is_serving = true;
		pthread_mutex_unlock(&session->lock);
		serve(session);
		pthread_mutex_lock(&session->lock);
		session->is_serving = false;
		pthread_mutex_unlock(&session->lock);
		served = !notify(session);
		pthread_mutex_lock(&session->lock);
	}
}

/* Does a job on the session's thread. A job that a callback of another job
 * wants leaves the processes as they are. */
static struct error *do_job(struct perftool_session *session,
			    session_job_fn *job, void *argument)
{
	struct error *error;

	session->depth++;
	error = job(session, argument);
	session->depth--;
	if (!session->depth)
		go_on(session);
	return error;
}

static struct error *closed(void)
{
	return error_create(ERROR_USAGE, "the session is closed");
}

/* Ends the current job, if there is one, with the error. The caller has the
 * lock. */
static void end_job(struct perftool_session *session, struct error *error)
{
	session->error = error;
	session->job = NULL;
	pthread_cond_broadcast(&session->changed);
}

static void *run(void *context)
{
	struct perftool_session *session = context;

	library_session_begin(session);
	block_signals(session);
	pthread_mutex_lock(&session->lock);
	session->is_ready = true;
	pthread_cond_broadcast(&session->changed);
	for (;;) {
		struct error *error;

		await_job(session);
		if (session->is_ending)
			break;
		pthread_mutex_unlock(&session->lock);
		error = do_job(session, session->job, session->argument);
		pthread_mutex_lock(&session->lock);
		end_job(session, error);
	}
	if (session->job)
		end_job(session, closed());
	pthread_mutex_unlock(&session->lock);
	/* The jobs were interrupted, and the end is not to be. */
	atomic_store(&session->is_interrupted, false);
	library_session_end(session);
	pthread_mutex_lock(&session->lock);
	session->is_over = true;
	pthread_cond_broadcast(&session->changed);
	pthread_mutex_unlock(&session->lock);
	return NULL;
}

/* ---- the callers --------------------------------------------------------- */

/* Wakes the thread if it serves a process. The caller has the lock. */
static void wake(struct perftool_session *session)
{
	if (session->is_serving)
		pthread_kill(session->thread, session->wake_signal);
}

/* Returns an error if the current thread cannot wait for that of the session.
 */
static struct error *check_caller(const struct perftool_session *session)
{
	if (session->process != getpid())
		return error_create(ERROR_USAGE,
				    "the session belongs to the parent "
				    "process");
	if (pthread_equal(pthread_self(), session->thread))
		return error_create(ERROR_USAGE,
				    "a handler of events may not call the "
				    "session; return from the handler first");
	return NULL;
}

/* Waits until the session's thread has done the job. The caller has the lock.
 */
static void await_end_of_job(struct perftool_session *session)
{
	while (session->job) {
		wake(session);
		await_change(session, session->is_serving ? WAKE_INTERVAL : 0);
	}
}

struct error *session_call(struct perftool_session *session,
			   session_job_fn *job, void *argument)
{
	struct error *error;

	if (session->is_here)
		return pthread_equal(pthread_self(), session->thread)
			       ? do_job(session, job, argument)
			       : error_create(ERROR_USAGE, "another thread has "
							   "made the session");
	TRY(check_caller(session));
	pthread_mutex_lock(&session->turn);
	pthread_mutex_lock(&session->lock);
	if (session->is_ending) {
		error = closed();
	} else {
		session->argument = argument;
		session->job = job;
		pthread_cond_broadcast(&session->changed);
		await_end_of_job(session);
		error = session->error;
		session->error = NULL;
	}
	pthread_mutex_unlock(&session->lock);
	pthread_mutex_unlock(&session->turn);
	return error;
}

struct error *session_thread_create(struct perftool_session *session)
{
	pthread_condattr_t attributes;
	int failure;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&session->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&session->lock, NULL);
	pthread_mutex_init(&session->turn, NULL);
	session->process = getpid();
	failure = pthread_create(&session->thread, NULL, run, session);
	if (failure)
		return error_system(failure, "cannot start the thread of the "
					     "session");
	pthread_setname_np(session->thread, "perftool");
	pthread_mutex_lock(&session->lock);
	while (!session->is_ready)
		await_change(session, 0);
	pthread_mutex_unlock(&session->lock);
	return NULL;
}

struct error *session_thread_end(struct perftool_session *session)
{
	TRY(check_caller(session));
	pthread_mutex_lock(&session->lock);
	session->is_ending = true;
	pthread_cond_broadcast(&session->changed);
	while (!session->is_over) {
		/* A job may wait in several places, one after another, so it
		 * is interrupted until it ends. */
		if (session->job)
			perftool_session_interrupt(session);
		wake(session);
		await_change(session, session->job || session->is_serving
					      ? WAKE_INTERVAL
					      : 0);
	}
	pthread_mutex_unlock(&session->lock);
	return NULL;
}

struct error *session_thread_join(struct perftool_session *session)
{
	TRY(session_thread_end(session));
	pthread_join(session->thread, NULL);
	pthread_cond_destroy(&session->changed);
	pthread_mutex_destroy(&session->lock);
	pthread_mutex_destroy(&session->turn);
	return NULL;
}
