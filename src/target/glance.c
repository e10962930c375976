/*
 * glance.c - glances at threads: a thread stops for a moment, a function looks
 * at it, and the thread goes on
 *
 * The stop is that of PTRACE_INTERRUPT. Its report may come while the tool
 * waits for other things, so each place where such a stop is handled calls
 * glance_at(). The thread may also stop for another reason first, and the
 * function looks at it then; the stop that was asked for comes later, and means
 * nothing any more.
 */
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "perftool/target/target_events.h"
#include "target_state.h"

/* For how long the tool only gives its CPU to others while it waits, and how
 * long it sleeps after that, in ns. */
#define SPIN 50000
#define PAUSE 50000

static void look_at(struct thread *thread, target_glance_fn *look,
		    void *context)
{
	struct user_regs_struct regs;
	struct error *error = target_get_regs(thread, &regs);

	if (!error)
		look(context, thread, &regs);
	error_destroy(error);
}

/* The glance that was asked for first, of this thread or of one that had its
 * number before. False: there is none. */
static bool take_glance(struct target *target, pid_t tid, struct glance *out)
{
	for (size_t i = 0; i < target->glances.count; i++)
		if (target->glances.data[i].tid == tid) {
			*out = target->glances.data[i];
			vec_remove(&target->glances, i);
			return true;
		}
	return false;
}

void glance_at(struct thread *thread)
{
	struct target *target = thread->process->target;
	struct glance glance;

	if (!thread->is_glanced_at)
		return;
	thread->is_glanced_at = false;
	while (take_glance(target, thread->tid, &glance))
		if (glance.serial == thread->serial)
			look_at(thread, glance.look, glance.context);
}

struct error *target_glance(struct thread *thread, target_glance_fn *look,
			    void *context)
{
	struct target *target = thread->process->target;

	if (thread->state != THREAD_RUNNING) {
		look_at(thread, look, context);
		return NULL;
	}
	if (!thread->is_glanced_at &&
	    ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) < 0)
		return ptrace_error(thread, "interrupt");
	thread->is_glanced_at = true;
	vec_push(&target->glances,
		 (struct glance){thread->tid, thread->serial, look, context});
	return NULL;
}

void target_forget_glances(struct target *target, const void *context)
{
	for (size_t i = target->glances.count; i-- > 0;)
		if (target->glances.data[i].context == context)
			vec_remove(&target->glances, i);
}

/* Take the report of a thread that was asked, if it has one. False: it is still
 * to be waited for. */
static bool take_report(struct target *target, pid_t tid)
{
	struct thread *thread = target_find_thread(target, tid);
	struct glance glance;
	siginfo_t info = {0};
	int status;

	if (!thread || !thread->is_glanced_at) {
		while (take_glance(target, tid, &glance))
			;
		return true;
	}
	if (waitid(P_PID, (id_t)tid, &info,
		   WEXITED | WSTOPPED | __WALL | WNOWAIT | WNOHANG) < 0 ||
	    !info.si_pid)
		return false;
	if (info.si_code == CLD_TRAPPED &&
	    info.si_status >> 8 == PTRACE_EVENT_STOP && consume(tid, &status)) {
		thread->vfork_child = 0;
		thread->is_stuck = thread->is_stuck_told = false;
		on_event_stop(thread, WSTOPSIG(status));
	} else if (info.si_code == CLD_TRAPPED && info.si_status >> 8 == 0) {
		/* It has a signal to report, which target_wait() takes. */
		glance_at(thread);
	}
	/* Else it has another event to report, or its end. */
	return true;
}

/* Is a thread still to be waited for? */
static bool take_reports(struct target *target)
{
	bool is_waited_for = false;

	for (size_t i = target->glances.count; i-- > 0;)
		if (i < target->glances.count)
			is_waited_for |= !take_report(
				target, target->glances.data[i].tid);
	return is_waited_for;
}

void target_await_glances(struct target *target, uint64_t ns)
{
	const struct timespec pause = {.tv_nsec = PAUSE};
	uint64_t begin = clock_now(target->clock), passed;

	while (target->glances.count && take_reports(target)) {
		passed = clock_now(target->clock) - begin;
		if (passed >= ns)
			return;
		if (passed < SPIN)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}
