/*
 * stop_text.c - describes a stop for the user, in one line
 */
#include <string.h>

#include "perftool/probe/breakpoint_requests.h"
#include "perftool/target/process_status.h"
#include "run.h"

static void describe_exit(const struct session_stop *stop, struct str *out)
{
	if (stop->reason == STOP_SIGNALED)
		str_printf(out, "The program was killed by signal %d, %s.",
			   stop->signal, strsignal(stop->signal));
	else if (stop->reason == STOP_DETACHED)
		str_printf(out,
			   "Process %d goes on by itself and is not measured "
			   "any more.",
			   stop->pid);
	else if (stop->status)
		str_printf(out, "The program exited with status %d.",
			   stop->status);
	else
		str_append(out, "The program exited normally.");
}

/* Returns the thread that a stop is about. If that thread no longer exists,
 * returns another thread in its place. */
static struct thread *thread_of(struct session *session,
				const struct session_stop *stop)
{
	struct thread *thread = followed_thread(session, stop->tid);

	if (thread || !session->followed.count)
		return thread;
	return session->followed.data[0].process->threads.data[0];
}

static void describe_place(struct session *session, struct thread *thread,
			   struct str *out)
{
	struct user_regs_struct regs;
	struct str place = {0};
	struct error *error;

	if (session->followed.count > 1) {
		char name[17], state;

		target_thread_info(thread, &state, name);
		str_printf(out, "process %d (%s), ", thread->process->pid,
			   name);
	}
	if (thread->process->threads.count > 1)
		str_printf(out, "thread %d, ", thread->tid);
	error = probe_get_regs(session->probe, thread, &regs);
	if (error) {
		str_append(out, error_message(error));
		error_destroy(error);
		return;
	}
	describe_address(session, thread->process, regs.rip, &place);
	if (str_starts(str_text(&place), "??"))
		str_printf(out, "0x%llx in ", regs.rip);
	str_append(out, str_text(&place));
	str_deinit(&place);
}

/* If the user has given the breakpoint a condition, the user may have wanted to
 * measure there and not to stop, so the text tells how to turn the monitor on.
 */
static void describe_monitor(const struct session *session, uint32_t id,
			     struct str *out)
{
	const struct breakpoint *breakpoint = probe_find(session->probe, id);

	if (breakpoint && breakpoint_facts(breakpoint).condition &&
	    !measure_monitor(session->measure))
		str_append(out, "\n"
				"The monitor is off: a breakpoint with a "
				"condition stops the program. With `monitor "
				"on' it measures instead.");
}

void session_describe_stop(struct session *session,
			   const struct session_stop *stop, struct str *out)
{
	struct thread *thread = thread_of(session, stop);

	switch (stop->reason) {
	case STOP_EXITED:
	case STOP_SIGNALED:
	case STOP_DETACHED:
		describe_exit(stop, out);
		return;
	case STOP_BREAKPOINT:
		str_printf(out, "Breakpoint %u, ", stop->breakpoint);
		break;
	case STOP_INTERRUPTED:
		str_append(out, goes_on(session) ? "Interrupted; "
						 : "Interrupted in ");
		break;
	case STOP_RUNS_ON:
		str_append(out, "Now ");
		break;
	case STOP_DURATION:
		str_append(out, goes_on(session) ? "Time is over; "
						 : "Time is over, in ");
		break;
	}
	if (goes_on(session))
		str_printf(out, "process %d goes on.", stop->pid);
	else if (thread)
		describe_place(session, thread, out);
	if (stop->reason == STOP_BREAKPOINT)
		describe_monitor(session, stop->breakpoint, out);
}
