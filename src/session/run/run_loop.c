/*
 * run_loop.c - the event loop: from a start or a continue to a stop
 *
 * The loop waits for an event, has the probe layer handle the event, and looks
 * about ten times a second whether the user has asked for something. To stop
 * the program, the tool asks each thread once; until all threads have stopped,
 * the loop handles hits as usual.
 *
 * The same loop serves two other purposes. It handles the events of an attached
 * program while nobody waits for the program; the function `enough` then says
 * when the loop ends. The loop also waits until all threads have stopped, when
 * the caller has asked them to stop before (`stopping`).
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "perftool/measure/thread_counts.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/user_interface.h"
#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "run.h"
#include "session/requests/requests.h"

#define LOOK_INTERVAL 100000000u /* ns */
#define QUESTION_INTERVAL 20000000u

static struct error *ask_to_stop(struct session *session, struct run *run,
				 enum stop_reason reason, pid_t tid,
				 uint64_t time)
{
	struct thread *thread = followed_thread(session, tid);

	if (reason == STOP_INTERRUPTED && !session->asked_at)
		session->asked_at = time;
	if (run->stopping || run->over)
		return NULL;
	run->stop->reason = reason;
	run->stop->pid = thread ? thread->process->pid : tid;
	run->stop->tid = tid;
	if ((session->attached || session->ui.program_runs_on) &&
	    reason != STOP_BREAKPOINT) {
		/* The program ran before the tool attached to it, or others
		 * want it to run. Therefore neither an interruption nor the end
		 * of the duration stops the program; they only end the user's
		 * wait. */
		run->over = true;
		enter_state(session, RUN_BACKGROUND);
		return NULL;
	}
	run->stopping = true;
	return stop_threads(session, time);
}

/* Did the kernel send the thread's signal because the user typed a key at the
 * terminal? If not, a process sent the signal. */
static struct error *is_from_terminal(struct thread *thread, bool *result)
{
	siginfo_t info;

	TRY(target_get_siginfo(thread, &info));
	*result = info.si_code == SI_KERNEL;
	return NULL;
}

/* Is a SIGINT or SIGTSTP from a typed key pending for the process? */
static bool has_pending_key(pid_t pid)
{
	const uint64_t keys = 1ull << (SIGINT - 1) | 1ull << (SIGTSTP - 1);
	struct proc_status status;

	return target_read_status(pid, &status) && status.shared_pending & keys;
}

/* The kernel sends the signal of a typed key to every process of the terminal's
 * foreground group. If the tool stopped a process before the process reported
 * the signal, the process reports the signal when it continues. By then the
 * tool has already acted on the key, so this signal must not interrupt the run
 * again. */
static void note_pending_keys(struct session *session)
{
	if (!session->ui.interactive || session->attached)
		return;
	for (size_t i = 0; i < session->followed.count; i++)
		session->followed.data[i].owes_interrupt =
			has_pending_key(session->followed.data[i].pid);
}

static struct error *on_signal(struct session *session, struct run *run,
			       const struct event *event)
{
	struct followed *followed = find_followed(session, event->process->pid);
	bool typed = false;

	if (event->signal == SIGINT || event->signal == SIGTSTP) {
		if (session->ui.interactive && !session->attached)
			TRY(is_from_terminal(event->thread, &typed));
		if (followed)
			followed->interrupted |= event->signal == SIGINT;
	}
	if (!typed)
		return probe_deliver(session->probe, event, event->signal);
	/* The key was meant for the tool, so the program does not get the
	 * signal. */
	if (followed && followed->owes_interrupt)
		followed->owes_interrupt = false;
	else
		TRY(ask_to_stop(session, run, STOP_INTERRUPTED,
				event->thread->tid, event->time));
	return probe_deliver(session->probe, event, 0);
}

static struct error *on_breakpoint(struct session *session, struct run *run,
				   const struct event *event,
				   const struct probe_outcome *outcome)
{
	struct session_stop stop = {.reason = STOP_BREAKPOINT,
				    .breakpoint =
					    breakpoint_id(outcome->breakpoint),
				    .pid = event->process->pid,
				    .tid = event->thread->tid};

	if (run->stopping || run->suspending || session->given_up.count) {
		/* The tool reports one stop at a time. It reports this stop
		 * after the present one. */
		vec_push(&session->pending_stops, stop);
	} else {
		TRY(ask_to_stop(session, run, STOP_BREAKPOINT,
				event->thread->tid, event->time));
		*run->stop = stop;
	}
	return target_resume_at(event->thread, outcome->resume_pc, NULL);
}

bool take_pending_stop(struct session *session, struct session_stop *stop)
{
	while (session->pending_stops.count) {
		struct session_stop next = session->pending_stops.data[0];
		struct breakpoint *breakpoint;

		vec_remove(&session->pending_stops, 0);
		breakpoint = probe_find(session->probe, next.breakpoint);
		/* A command that the user gave after the thread had reached the
		 * breakpoint may have deleted, disabled or changed the
		 * breakpoint, so that it does not stop the program any more. */
		if (!breakpoint || !breakpoint_facts(breakpoint).enabled ||
		    !hit_stops(session, breakpoint, next.pid, next.tid) ||
		    !followed_thread(session, next.tid))
			continue;
		*stop = session->stop = next;
		session->selected = followed_thread(session, next.tid);
		return true;
	}
	return false;
}

/* ---- the user ---------------------------------------------------------- */

static void show_progress(struct session *session, uint64_t now)
{
	struct session_progress progress = {0};
	const struct measure_node *node;
	struct measure_summary summary;

	measure_get_summary(session->measure, now, &summary);
	for (size_t i = 0; (node = measure_node_at(session->measure, i)); i++)
		progress.hits += node->count;
	progress.elapsed = summary.elapsed;
	progress.breaks = summary.breaks;
	session->ui.progress(session->ui.context, &progress);
}

static struct error *suspend(struct session *session, struct run *run,
			     uint64_t now)
{
	if (session->attached) {
		session_note(session,
			     "perftool is not suspended, because process %d "
			     "would stand still; Ctrl-C ends the %s",
			     session_pid(session),
			     session->ui.interactive ? "waiting" : "measuring");
		return NULL;
	}
	if (run->stopping || run->suspending)
		return NULL;
	run->suspending = true;
	return stop_threads(session, now);
}

/* Takes the terminal back when the main process and all processes of its group
 * have ended, although children in other groups still run. From then on, what
 * the user types is for the tool. */
static void reclaim_terminal(struct session *session)
{
	if (!session->group || session->process ||
	    kill(-session->group, 0) == 0 || errno != ESRCH)
		return;
	session->group = 0;
	session->ui.program_stopped(session->ui.context);
}

/* Looks whether the user has asked for something, whether the duration is over,
 * and whether the live status is due. */
static struct error *look_around(struct session *session, struct run *run,
				 uint64_t now)
{
	struct session_ui *ui = &session->ui;
	uint64_t deadline = deadline_of(session, run);

	if (ui->interrupted(ui->context))
		TRY(ask_to_stop(session, run, STOP_INTERRUPTED,
				session_pid(session), now));
	if (ui->suspended && ui->suspended(ui->context))
		TRY(suspend(session, run, now));
	if (now >= deadline)
		TRY(ask_to_stop(session, run, STOP_DURATION,
				session_pid(session), now));
	set_deadline(session, run, now);
	if (now < session->next_look || session->state == RUN_STARTING)
		return NULL;
	session->next_look = now + LOOK_INTERVAL;
	reclaim_terminal(session);
	if (ui->progress && !is_over(session))
		show_progress(session, now);
	return NULL;
}

/* Asks whether the loop shall end. A signal that comes just before a wait
 * begins does not end the wait. Where the caller expects to be needed soon
 * (session_expect()), the loop therefore asks again after a short time, and
 * then after ever longer times. */
static void ask(struct session *session, struct run *run,
		const struct event *event)
{
	if (event->kind != EVENT_NONE && event->time < run->next_question)
		return;
	run->next_question = event->time + QUESTION_INTERVAL;
	if (run->enough(run->context)) {
		run->over = true;
		return;
	}
	session->ask_step *= 2;
	if (session->ask_step > QUESTION_INTERVAL)
		session->ask_step = 0;
	session->ask_at = session->ask_step ? event->time + session->ask_step
					    : UINT64_MAX;
}

/* ---- events ------------------------------------------------------------ */

/* Returns the error, or NULL if the error only says that a thread or process no
 * longer exists. A thread or process may be killed while the tool handles its
 * event. This is no failure: the kernel reports the end of the thread or
 * process as usual. */
static struct error *unless_gone(struct error *error)
{
	return error_unless(error, ERROR_GONE);
}

/* Will the tool detach from the process because of an error, of which it has
 * told the user? */
static bool is_given_up(const struct session *session, pid_t pid)
{
	for (size_t i = 0; i < session->given_up.count; i++)
		if (session->given_up.data[i] == pid)
			return true;
	return false;
}

void note_unmeasured(struct session *session, const struct process *process,
		     const char *why)
{
	if (!is_given_up(session, process->pid))
		session_note(session, "process %d is not measured any more: %s",
			     process->pid, why);
}

/* Detaches from the processes that the tool could not measure any more. All
 * threads are stopped. */
static void release_given_up(struct session *session)
{
	for (size_t i = 0; i < session->given_up.count; i++) {
		pid_t pid = session->given_up.data[i];
		struct process *process =
			target_find_process(session->target, pid);
		struct error *error = NULL;

		if (process) {
			recorded_process_left(session, process);
			await_if_main(session, process);
			error = probe_release(session->probe, process);
		}
		if (error)
			session_note(session, "%s", error_message(error));
		error_destroy(error);
		process_left(session, process, pid);
	}
	vec_clear(&session->given_up);
}

static void note_stuck(struct session *session)
{
	struct str text = {0};

	while (target_next_stuck(session->target, &text)) {
		session_note(session, "%s; the other threads go on without it",
			     str_text(&text));
		str_deinit(&text);
	}
}

/* Does what all threads were stopped for, now that they have stopped, and
 * continues them unless the user wanted the stop. */
static struct error *on_stopped(struct session *session, struct run *run)
{
	bool resume = !run->stopping;
	bool changes = recorded_changes(session);
	bool paused = run->suspending || session->must_ask || changes;
	struct error *error;

	note_stuck(session);
	release_given_up(session);
	if (session->must_ask)
		ask_pending(session, run->foreground);
	if (changes)
		recorded_change(session);
	if (run->suspending && resume)
		session->ui.suspend(session->ui.context);
	/* A thread may have reached a breakpoint while the tool was stopping
	 * all threads. */
	if (resume && take_pending_stop(session, run->stop))
		resume = false;
	if (!resume || paused)
		probe_stop_is_kept(session->probe);
	if (resume) {
		if (paused && session->state != RUN_STARTING &&
		    !is_over(session))
			run_clock(session, true, clock_now(&session->clock));
		run->suspending = false;
		error = probe_resume_all(session->probe);
		if (changes)
			recorded_changed(session);
		return error;
	}
	if (changes)
		recorded_changed(session);
	if (session->clock_runs)
		run_clock(session, false, clock_now(&session->clock));
	note_pending_keys(session);
	enter_state(session, RUN_STOPPED);
	run->over = true;
	return NULL;
}

static struct error *handle(struct session *session, struct run *run,
			    const struct event *event,
			    struct probe_outcome *outcome)
{
	profile_note_end(session, event);
	TRY(unless_gone(probe_handle(session->probe, event, outcome)));
	recorded_event(session, event);
	if (event->kind == EVENT_CALL)
		TRY(unless_gone(target_resume(event->thread)));
	if (event->kind == EVENT_THREAD_GONE) {
		measure_thread_gone(session->measure, event->thread->serial);
		profile_thread_gone(session, event->thread);
		if (session->selected == event->thread)
			session->selected = NULL;
	}
	switch (outcome->action) {
	case PROBE_HANDLED:
		return NULL;
	case PROBE_STOP:
		return unless_gone(on_breakpoint(session, run, event, outcome));
	case PROBE_SIGNAL:
		return unless_gone(on_signal(session, run, event));
	case PROBE_END:
		process_ended(session, event->process, event->status);
		return NULL;
	case PROBE_STOPPED:
		return on_stopped(session, run);
	}
	return NULL;
}

void bystander_event(void *context, const struct event *event)
{
	struct probe_outcome outcome = {.action = PROBE_HANDLED};
	struct session *session = context;
	struct session_stop stop;
	struct run run = {.stop = &stop, .deadline = UINT64_MAX};

	/* All measured threads stand still while the caller attaches to another
	 * process, so only the end of a thread or process can happen. */
	if (event->kind == EVENT_THREAD_GONE ||
	    event->kind == EVENT_PROCESS_GONE)
		error_destroy(handle(session, &run, event, &outcome));
}

/* Has the attempt to handle the event, which failed, given the thread another
 * pc? That pc is either in the out-of-line slot, which holds the displaced
 * instruction, or in the program. If the function returns true, the thread can
 * continue at that pc. */
static bool is_moved(const struct event *event)
{
	uint64_t pc = event->pc;

	error_destroy(target_get_reg(
		event->thread, offsetof(struct user_regs_struct, rip), &pc));
	return pc != event->pc;
}

/* Continues a thread after the tool has failed to handle its trap. A thread
 * that stays at its trap would be reported again and again. */
static void leave_trap(struct session *session, const struct event *event,
		       const struct probe_outcome *outcome)
{
	bool passes_signal =
		event->kind == EVENT_SIGNAL || outcome->action == PROBE_SIGNAL;
	struct thread *thread = event->thread;
	struct probe_outcome again;

	if ((event->kind != EVENT_TRAP && event->kind != EVENT_SIGNAL) ||
	    thread->state != THREAD_AT_TRAP)
		return;
	if (passes_signal) {
		/* The thread gets a signal. When the signal's handler returns,
		 * the thread continues at the pc that the signal has saved,
		 * which must not be in code of the tool. The first attempt
		 * could not move the pc out of that code, but a second attempt
		 * may succeed. */
		error_destroy(probe_handle(session->probe, event, &again));
		if (thread->state == THREAD_AT_TRAP)
			error_destroy(target_deliver(thread,
						     event->kind == EVENT_TRAP
							     ? SIGTRAP
							     : event->signal,
						     NULL));
	} else if (is_moved(event)) {
		error_destroy(target_deliver(thread, 0, NULL));
	} else {
		/* The thread continues at the address of the int3, and executes
		 * the program's own instruction as soon as the tool has put the
		 * original byte back. */
		error_destroy(target_resume_at(thread, event->pc - 1, NULL));
	}
}

/* A thread of the process has executed an int3 of the tool, and cannot be led
 * to the instruction that the int3 has displaced. It would report the int3 for
 * ever, and without the instruction the program would be another one. */
static void end_at_trap(struct session *session, struct process *process,
			const struct error *why)
{
	if (!is_given_up(session, process->pid))
		session_note(session,
			     "process %d cannot go on and is killed: %s",
			     process->pid, error_message(why));
	target_kill(process);
}

/* Handles a failure of the tool. If the failure concerns a process, the tool
 * detaches from that process and goes on measuring the others. If the main
 * process has not begun yet, or the failure concerns no process, it is returned
 * to the caller. */
static struct error *failed(struct session *session, const struct event *event,
			    const struct probe_outcome *outcome,
			    struct error *error)
{
	const struct process *process = event->process;
	bool costs_process =
		process && event->kind != EVENT_PROCESS_GONE &&
		session->state != RUN_KILLING &&
		(session->state != RUN_STARTING || process != session->process);

	error_destroy(target_stop_all(session->target));
	target_finish_calls(session->target);
	leave_trap(session, event, outcome);
	if (!costs_process)
		return error;
	if (event->thread && event->thread->state == THREAD_AT_TRAP)
		end_at_trap(session, event->process, error);
	else
		note_unmeasured(session, event->process, error_message(error));
	if (!is_given_up(session, event->process->pid))
		vec_push(&session->given_up, event->process->pid);
	error_destroy(error);
	return NULL;
}

/* Notes that the target layer has no process any more, so that no process is
 * measured from now on. */
static void forget_all(struct session *session)
{
	session->selected = NULL;
	while (session->followed.count)
		process_left(session, session->followed.data[0].process,
			     session->followed.data[0].pid);
}

void kill_followed(struct session *session)
{
	enter_state(session, RUN_KILLING);
	session->kill_since = clock_now(&session->clock);
	for (size_t i = 0; i < session->followed.count; i++)
		target_kill(session->followed.data[i].process);
}

/* Has all threads stop if functions are to get or lose nodes by `set detail
 * auto`. */
static struct error *look_at_detail(struct session *session,
				    const struct run *run, uint64_t now)
{
	if (run->stopping || run->suspending || run->over ||
	    session->given_up.count || session->must_ask ||
	    session->state == RUN_STARTING || is_over(session) ||
	    !recorded_look(session, now))
		return NULL;
	return stop_threads(session, now);
}

static struct error *one_event(struct session *session, struct run *run)
{
	struct probe_outcome outcome = {.action = PROBE_HANDLED};
	struct error *error;
	struct event event;
	uint64_t now;

	TRY(target_wait(session->target, &event));
	now = event.time;
	clock_keep(&session->clock, now);
	session->events += event.kind != EVENT_NONE;
	error = handle(session, run, &event, &outcome);
	if (error)
		TRY(failed(session, &event, &outcome, error));
	if (session->failure && session->state != RUN_KILLING) {
		error = session->failure;
		session->failure = NULL;
		/* The tool kills the program, so that the result is the same as
		 * if the command had failed before the program began. */
		if (!session->attached)
			enter_state(session, RUN_KILLING);
		return error;
	}
	if (event.kind == EVENT_EMPTY)
		forget_all(session);
	if (!session->followed.count) {
		run_clock(session, false, event.time);
		session->process = NULL;
		enter_state(session, RUN_NOTHING);
		describe_last_end(session, run->stop);
		run->over = true;
	} else if (session->kill_since) {
		return target_check_end(session->followed.data[0].process,
					session->kill_since);
	} else if (run->over || session->state == RUN_KILLING ||
		   session->given_up.count) {
		;
	} else if (run->foreground) {
		if (!run->stopping)
			now = look_at_reports(session, event.time);
		TRY(look_at_detail(session, run, now));
		return look_around(session, run, now);
	} else if (run->enough && !run->stopping) {
		now = look_at_reports(session, event.time);
		TRY(look_at_detail(session, run, now));
		/* The threads are being stopped, and must soon go on. */
		if (!recorded_changes(session))
			ask(session, run, &event);
		set_deadline(session, run, now);
	}
	return NULL;
}

/* Handles events until all threads are stopped or all processes have ended. */
static struct error *last_events(struct session *session, bool stopping)
{
	struct session_stop stop = {0};
	struct run last = {
		.stop = &stop, .deadline = UINT64_MAX, .stopping = stopping};
	struct error *error = NULL;

	while (session->followed.count && !last.over && !error)
		error = one_event(session, &last);
	return error;
}

/* Lets the program go on without the tool: the tool restores the program's own
 * bytes, and does not measure the program any more. */
static struct error *let_go(struct session *session, const struct error *why)
{
	const struct process *program = session->process;
	pid_t pid = program ? program->pid : 0;
	struct error *error = target_stop_all(session->target);

	target_finish_calls(session->target);
	if (!error)
		error = last_events(session, true);
	if (error || !pid || session->process != program)
		return error;
	session_note(session,
		     "process %d goes on, but is not measured any more: %s",
		     pid, error_message(why));
	if (!session->attached && !session->ui.interactive)
		session->awaited = pid;
	return NULL;
}

/* Ends a run after a failure. Only one thing still matters: when the tool
 * detaches from a process, no code of the tool may stay in the process. */
static void abandon(struct session *session, struct run *run,
		    const struct error *why)
{
	struct error *error = NULL;

	bool must_die = session->state == RUN_KILLING;

	if (!must_die)
		enter_state(session, RUN_ENDING);
	run_clock(session, false, clock_now(&session->clock));
	if (!must_die)
		error = let_go(session, why);
	/* If `kill_since` is set, the tool killed the processes before, and has
	 * already waited for their end. It does not wait for them again. */
	if (!session->attached && (error || must_die) && !session->kill_since) {
		kill_followed(session);
		error = error_first(error, last_events(session, false));
	}
	error_destroy(error);
	release_everything(session);
	enter_state(session, RUN_ENDING);
	session->kill_since = 0;
	describe_last_end(session, run->stop);
}

struct error *run_events(struct session *session, struct run *run)
{
	struct error *error = NULL;

	session->in_loop = true;
	/* A new run forgets an earlier request of the user. But when the user
	 * has asked for the end of a run, and the tool then detaches from an
	 * attached program, stop_everything() runs a loop with `stopping`: that
	 * loop must keep the time of the request. */
	if (!run->stopping)
		session->asked_at = 0;
	target_set_tick(session->target,
			run->enough ? QUESTION_INTERVAL : LOOK_INTERVAL);
	set_deadline(session, run, clock_now(&session->clock));
	while (!run->over && !error)
		error = one_event(session, run);
	target_set_deadline(session->target, UINT64_MAX);
	if (error)
		abandon(session, run, error);
	session->in_loop = false;
	note_uncounted(session);
	return error;
}
