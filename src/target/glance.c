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

#include "target_state.h"

/* For how long the tool only gives its CPU to others while it waits, and how
 * long it sleeps after that, in ns. */
#define SPIN 50000
#define PAUSE 50000

void target_set_glance(struct target *target, target_glance_fn *look,
		       void *context)
{
	for (size_t i = target->watchers.count; i-- > 0;)
		if (target->watchers.data[i].context == context)
			vec_remove(&target->watchers, i);
	if (look)
		vec_push(&target->watchers,
			 (struct glance_watcher){look, context});
}

static void forget(struct target *target, pid_t tid)
{
	for (size_t i = 0; i < target->glanced.count; i++)
		if (target->glanced.data[i] == tid) {
			vec_remove(&target->glanced, i);
			return;
		}
}

static void look_at(struct thread *thread)
{
	struct target *target = thread->process->target;
	struct user_regs_struct regs;
	struct error *error = target_get_regs(thread, &regs);

	for (size_t i = 0; !error && i < target->watchers.count; i++)
		target->watchers.data[i].look(target->watchers.data[i].context,
					      thread, &regs);
	error_destroy(error);
}

void glance_at(struct thread *thread)
{
	if (!thread->is_glanced_at)
		return;
	thread->is_glanced_at = false;
	forget(thread->process->target, thread->tid);
	look_at(thread);
}

struct error *target_glance(struct thread *thread)
{
	if (thread->state != THREAD_RUNNING) {
		look_at(thread);
		return NULL;
	}
	if (thread->is_glanced_at)
		return NULL;
	if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) < 0)
		return ptrace_error(thread, "interrupt");
	thread->is_glanced_at = true;
	vec_push(&thread->process->target->glanced, thread->tid);
	return NULL;
}

/* Take the report of a thread that was asked, if it has one. False: it has
 * none. */
static bool take(struct target *target, pid_t tid)
{
	struct thread *thread = target_find_thread(target, tid);
	siginfo_t info = {0};
	int status;

	if (!thread || !thread->is_glanced_at) {
		forget(target, tid);
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
		return true;
	}
	/* It has something else to report, which target_wait() takes. */
	if (info.si_code == CLD_TRAPPED && info.si_status >> 8 == 0)
		glance_at(thread);
	else
		forget(target, tid);
	return true;
}

void target_await_glances(struct target *target, uint64_t ns)
{
	const struct timespec pause = {.tv_nsec = PAUSE};
	uint64_t begin = clock_now(target->clock), passed;

	for (;;) {
		for (size_t i = target->glanced.count; i-- > 0;)
			take(target, target->glanced.data[i]);
		if (!target->glanced.count)
			return;
		passed = clock_now(target->clock) - begin;
		if (passed >= ns)
			return;
		if (passed < SPIN)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}
