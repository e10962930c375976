/*
 * resume.c - lets threads go on, and stops all of them
 *
 * While a stop of all threads is under way, every thread gets a
 * PTRACE_INTERRUPT before it is resumed, so that it reports a stop before it
 * executes an instruction. The tool must ask again at every resume, because any
 * trap clears a pending interrupt.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "perftool/target/target_events.h"
#include "target_state.h"

long thread_continue(const struct thread *thread, int signal)
{
	bool tells_calls =
		thread->tells_return || thread->process->target->tells_calls;

	thread->process->target->resumptions++;
	return ptrace(tells_calls ? PTRACE_SYSCALL : PTRACE_CONT, thread->tid,
		      0, (long)signal);
}

struct error *thread_go_on(struct thread *thread, int signal)
{
	if (thread->process->target->kept.pages.count)
		TRY(target_settle(thread->process->target));
	if (target_is_stopping(thread->process->target))
		ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	if (thread_continue(thread, signal) < 0)
		return ptrace_error(thread, "continue");
	return NULL;
}

/* Handle the result of an attempt to resume a thread. If the thread was
 * killed meanwhile, this is no failure: its end will be reported. After any
 * other failure the thread has not gone on, so it gets its old state
 * `before` back. */
static struct error *still(struct thread *thread, enum thread_state before,
			   struct error *error)
{
	error = error_unless(error, ERROR_GONE);
	if (error)
		thread->state = before;
	return error;
}

struct error *target_resume_at(struct thread *thread, uint64_t pc,
			       uint64_t *resumed)
{
	struct target *target = thread->process->target;
	enum thread_state before = thread->state;

	thread->state = THREAD_RUNNING;
	if (ptrace(PTRACE_POKEUSER, thread->tid,
		   offsetof(struct user_regs_struct, rip), pc) < 0)
		return still(thread, before,
			     ptrace_error(thread, "set the pc"));
	if (resumed)
		*resumed = clock_now(target->clock);
	return still(thread, before, thread_go_on(thread, 0));
}

struct error *target_hold(struct thread *thread, uint64_t pc)
{
	if (ptrace(PTRACE_POKEUSER, thread->tid,
		   offsetof(struct user_regs_struct, rip), pc) < 0)
		return ptrace_error(thread, "set the pc");
	return settle_after_event(thread);
}

struct error *target_deliver(struct thread *thread, int signal,
			     uint64_t *resumed)
{
	enum thread_state before = thread->state;

	thread->state = THREAD_RUNNING;
	if (resumed)
		*resumed = clock_now(thread->process->target->clock);
	return still(thread, before, thread_go_on(thread, signal));
}

struct error *target_resume(struct thread *thread)
{
	struct error *error = NULL;

	/* A thread inside a system call must go on to the point where its
	 * registers are those of the program, even while all threads are to
	 * stop. */
	if (thread->state != THREAD_STOPPED ||
	    (target_is_stopping(thread->process->target) && !thread->in_call))
		return NULL;
	thread->state = THREAD_RUNNING;
	if (!thread->stopped_by)
		error = thread_go_on(thread, 0);
	else if (ptrace(PTRACE_LISTEN, thread->tid, 0, 0) < 0)
		error = ptrace_error(thread, "listen");
	error = still(thread, THREAD_STOPPED, error);
	if (!error)
		thread->in_call = false;
	return error;
}

void target_finish_calls(struct target *target)
{
	for (size_t i = 0; i < target->ring.count; i++) {
		struct thread *thread = target->ring.data[i];

		if (thread->state == THREAD_STOPPED && thread->in_call)
			error_destroy(target_resume(thread));
	}
}

struct error *target_stop_all(struct target *target)
{
	if (!target->stopping)
		stuck_begin(target);
	target->stopping = true;
	for (size_t i = 0; i < target->ring.count; i++) {
		struct thread *thread = target->ring.data[i];

		/* A thread that is AT_TRAP is interrupted by thread_go_on(). An
		 * error is ignored: a thread that has ended will report its
		 * end. */
		if (thread->state == THREAD_RUNNING)
			ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	}
	return NULL;
}

bool target_is_stopping(const struct target *target)
{
	return target->stopping;
}

struct error *target_resume_all(struct target *target)
{
	target->stopping = false;
	for (size_t i = 0; i < target->ring.count; i++)
		TRY(target_resume(target->ring.data[i]));
	return NULL;
}

struct error *target_step(struct thread *thread)
{
	uint64_t mask;
	struct error *error;
	int status;

	if (thread->process->target->kept.pages.count)
		TRY(target_settle(thread->process->target));
	TRY(target_get_signal_mask(thread, &mask));
	TRY(target_set_signal_mask(thread, ~SYNCHRONOUS));
	thread->process->target->resumptions++;
	if (ptrace(PTRACE_SINGLESTEP, thread->tid, 0, 0) < 0)
		return ptrace_error(thread, "step");
	error = wait_for_thread(thread, &status);
	if (!error && status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP) {
		/* The instruction has faulted. Deliver the signal, so that the
		 * signal handler is next, and stop the thread before the
		 * handler executes anything. */
		ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
		ptrace(PTRACE_CONT, thread->tid, 0, (long)WSTOPSIG(status));
		error = wait_for_thread(thread, &status);
		thread->state = THREAD_STOPPED;
	} else if (!error && status >> 16 != PTRACE_EVENT_STOP) {
		error = settle_after_event(thread);
	}
	if (error)
		return error;
	return target_set_signal_mask(thread, mask);
}
