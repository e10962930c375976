/*
 * control.c - run control: continue, kill, and the end of a program
 *
 * Each function starts the event loop (run_loop.c), tells it what ends the run,
 * and leaves the session in the state that belongs to that end.
 */
#include <signal.h>

#include "perftool/session/user_interface.h"
#include "perftool/target/target_events.h"
#include "run.h"

#define LAST_WORDS 2000000000u /* ns that a program has to end after SIGINT */

struct error *stop_everything(struct session *session)
{
	struct session_stop stop = {0};
	struct run run = {
		.stop = &stop, .deadline = UINT64_MAX, .stopping = true};

	TRY(stop_threads(session, clock_now(&session->clock)));
	return run_events(session, &run);
}

/* Must the tool stop waiting for the end of the program? The terminal sends the
 * user's Ctrl-C to the program, too, so the program will probably end by
 * itself. The tool still waits for that, but not longer than LAST_WORDS. A
 * second Ctrl-C ends the wait at once. */
static bool is_enough(struct session *session, uint64_t *deadline, bool *asked)
{
	struct session_ui *ui = &session->ui;
	uint64_t now = clock_now(&session->clock);

	look_at_reports(session, now);
	if (ui->suspended && ui->suspended(ui->context))
		ui->suspend(ui->context);
	if (ui->interrupted(ui->context)) {
		if (*asked)
			return true;
		*asked = true;
		session->asked_at = now;
		if (*deadline > now + LAST_WORDS)
			*deadline = now + LAST_WORDS;
	}
	return now >= *deadline;
}

/*
 * Waits for the end of a program that is not measured any more. A user or a
 * script that starts the tool instead of the program expects that the tool ends
 * when the program ends, and with the exit status of the program.
 */
static struct error *await_program(struct session *session, uint64_t deadline,
				   struct session_stop *stop)
{
	bool ended = false, asked = false;
	struct error *error = NULL;
	int status;

	while (!ended && !error && !is_enough(session, &deadline, &asked)) {
		target_set_deadline(session->target, deadline);
		error = target_await_child(session->target, session->awaited,
					   &ended, &status);
	}
	target_set_deadline(session->target, UINT64_MAX);
	if (error)
		return error;
	if (!ended)
		return NULL;
	awaited_ended(session, status);
	describe_last_end(session, stop);
	return NULL;
}

struct error *run_in_foreground(struct session *session, uint64_t duration,
				struct session_stop *stop)
{
	struct run run = {
		.stop = stop, .deadline = UINT64_MAX, .foreground = true};
	struct error *error;

	*stop = (struct session_stop){0};
	run.still_ns = session->still_ns;
	if (duration)
		run.deadline = clock_now(&session->clock) + duration;
	session->started = clock_now(&session->clock);
	error = run_events(session, &run);
	if (!session->followed.count && session->awaited)
		error = error_first(error,
				    await_program(session, run.deadline, stop));
	stop->is_asked = session->asked_at != 0;
	if (!error)
		session->selected =
			goes_on(session) ? NULL
					 : followed_thread(session, stop->tid);
	session->ui.program_stopped(session->ui.context);
	session->stop = *stop;
	return error;
}

/* Lets the program go on without waiting for it. */
static struct error *run_in_background(struct session *session,
				       struct session_stop *stop)
{
	*stop = (struct session_stop){.reason = STOP_RUNS_ON,
				      .pid = session_pid(session)};
	if (session->state == RUN_STOPPED)
		enter_state(session, RUN_HELD);
	return go_on(session);
}

/* What ends a wait that its caller does for the session. */
struct away {
	struct session *session;
	uint64_t until; /* ns of the tool's clock */
};

static bool is_back(void *context)
{
	const struct away *away = context;

	return !session_runs_on(away->session) ||
	       clock_now(&away->session->clock) >= away->until;
}

/* Lets the program go on, and has others wait until the duration is over. */
static struct error *run_elsewhere(struct session *session,
				   uint64_t duration_ns,
				   struct session_stop *stop)
{
	struct away away = {.session = session,
			    .until = clock_now(&session->clock) + duration_ns};

	TRY(run_in_background(session, stop));
	TRY(wait_elsewhere(session, is_back, &away));
	if (!session->followed.count)
		describe_last_end(session, stop);
	else if (session_runs_on(session))
		stop->reason = STOP_DURATION;
	else
		*stop = session->stop;
	return NULL;
}

struct error *session_continue(struct session *session, uint64_t duration_ns,
			       struct session_stop *stop)
{
	TRY(need_process(session));
	if (take_pending_stop(session, stop)) {
		enter_state(session, RUN_STOPPED);
		return NULL;
	}
	session->was_run = true;
	session->next_look = 0;
	session_let_begin(session);
	if (session->ui.program_runs_on && !duration_ns)
		return run_in_background(session, stop);
	if (session->wait && duration_ns)
		return run_elsewhere(session, duration_ns, stop);
	session->ui.program_runs(session->ui.context, session->group);
	if (session->state != RUN_BACKGROUND) {
		if (session->state == RUN_HELD)
			enter_state(session, RUN_BACKGROUND);
		run_clock(session, true, clock_now(&session->clock));
		TRY(probe_resume_all(session->probe));
	}
	/* From now on a stop of the program is a stop that the user waits for.
	 */
	enter_state(session, RUN_FOREGROUND);
	return run_in_foreground(session, duration_ns, stop);
}

/* ---- ending ------------------------------------------------------------ */

struct error *session_kill(struct session *session)
{
	struct session_stop stop = {0};
	struct run run = {.stop = &stop, .deadline = UINT64_MAX};
	struct error *error;

	TRY(need_process(session));
	enter_state(session, RUN_ENDING);
	run_clock(session, false, clock_now(&session->clock));
	kill_followed(session);
	error = run_events(session, &run);
	enter_state(session, RUN_ENDING);
	session->kill_since = 0;
	session->ui.program_stopped(session->ui.context);
	session->stop = stop;
	return error;
}

static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 &&
	       action.sa_handler == SIG_IGN;
}

struct error *session_end_program(struct session *session,
				  struct session_stop *stop)
{
	bool is_asked;

	TRY(need_process(session));
	if (session->attached) {
		TRY(session_detach(session, NULL));
		describe_last_end(session, stop);
		return NULL;
	}
	if (session->state == RUN_HELD && is_ignored(SIGINT)) {
		/* The program has executed nothing yet, and so it ignores what
		 * this process ignores: SIGINT would let it run. */
		TRY(session_kill(session));
		*stop = session->stop;
		return NULL;
	}
	TRY(stand_still(session));
	enter_state(session, RUN_ENDING);
	for (size_t i = 0; i < session->followed.count; i++)
		if (!session->followed.data[i].interrupted)
			target_signal(session->followed.data[i].process,
				      SIGINT);
	TRY(probe_resume_all(session->probe));
	TRY(run_in_foreground(session, LAST_WORDS, stop));
	if (!session->followed.count)
		return NULL;
	session_note(session,
		     "the program has not ended within 2 seconds of SIGINT, "
		     "and is killed");
	is_asked = stop->is_asked;
	TRY(session_kill(session));
	*stop = session->stop;
	stop->is_asked = is_asked;
	return NULL;
}
