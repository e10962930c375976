/*
 * activity.c - what a thread was doing when it was stopped
 *
 * While the tool stops all threads, a thread that waits in a system call is not
 * held: what it waits for goes on meanwhile. But if it waits for another thread
 * of its process (for a lock, for example), that thread is stopped, too, and
 * the wait takes longer by the stop. This is certain if no thread of the
 * process waits for anything else: then each wait is for a thread that would
 * have run, or for one that waits for such a thread.
 */
#include "activity.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "perftool/target.h"
#include "stop.h"

static bool has_thread(const struct process *process, pid_t tid)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (process->threads.data[i]->tid == tid)
			return true;
	return false;
}

/* Does futex(2) with these arguments wait, without a time-out, until another
 * thread of the process wakes up the thread? The word that pthread_join(3)
 * waits for is not private, because the kernel changes it; it contains the
 * number of the thread that is to end. */
static bool waits_within(const struct process *process,
			 const struct user_regs_struct *regs)
{
	const int operation = (int)regs->rsi & FUTEX_CMD_MASK;

	if (regs->orig_rax != SYS_futex || regs->r10)
		return false;
	if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET &&
	    operation != FUTEX_LOCK_PI)
		return false;
	return regs->rsi & FUTEX_PRIVATE_FLAG ||
	       has_thread(process, (pid_t)regs->rdx);
}

enum activity activity_at(const struct process *process,
			  const struct user_regs_struct *regs)
{
	if (!may_restart(regs))
		return ACTIVITY_RUNS;
	return waits_within(process, regs) ? ACTIVITY_WAITS_WITHIN
					   : ACTIVITY_WAITS;
}

enum activity activity_of(struct thread *thread)
{
	struct user_regs_struct regs;
	struct error *error;

	if (thread->state == THREAD_AT_TRAP)
		return ACTIVITY_RUNS;
	if (thread->state != THREAD_STOPPED)
		return ACTIVITY_WAITS;
	error = target_get_regs(thread, &regs);
	if (!error)
		return activity_at(thread->process, &regs);
	error_destroy(error);
	return ACTIVITY_WAITS;
}

bool activity_is_closed(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (activity_of(process->threads.data[i]) == ACTIVITY_WAITS)
			return false;
	return true;
}
