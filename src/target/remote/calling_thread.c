/*
 * calling_thread.c - chooses the thread that makes remote calls
 *
 * If a thread in a system call makes a remote call, the interrupted system call
 * is restarted afterwards as if nothing had happened. A thread that is in no
 * system call is better, though. A seccomp filter may kill the process for a
 * system call that it does not expect. If the tool is under a filter itself,
 * this filter came with the container, and the tool need not fear it.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "perftool/target/process_status.h"
#include "perftool/target/remote_calls.h"
#include "remote.h"
#include "target/proc/proc.h"
#include "target/target_state.h"

/* How much a remote call would disturb the thread, the least first. */
enum {
	IN_NO_CALL,
	SIGNAL_PENDING,
	IN_CALL,
	WAITS_FOR_SIGNAL,
	STEPS_ITSELF,
	UNFIT
};

static bool waits_for_signal(uint64_t number)
{
	return number == SYS_rt_sigsuspend || number == SYS_rt_sigtimedwait ||
	       number == SYS_pause;
}

static int disturbance(struct thread *thread, const struct proc_status *status)
{
	uint64_t number, flags;
	struct error *error;

	error = target_get_reg(
		thread, offsetof(struct user_regs_struct, orig_rax), &number);
	if (!error)
		error = target_get_reg(
			thread, offsetof(struct user_regs_struct, eflags),
			&flags);
	if (error) {
		error_destroy(error);
		return UNFIT;
	}
	if (flags & ARCH_TRAP_FLAG)
		return STEPS_ITSELF;
	if ((int64_t)number >= 0)
		return waits_for_signal(number) ? WAITS_FOR_SIGNAL : IN_CALL;
	return status->pending & ~status->blocked ? SIGNAL_PENDING : IN_NO_CALL;
}

/* Might a seccomp filter kill the thread for a remote call? */
static bool is_guarded(const struct proc_status *status)
{
	struct proc_status own;

	if (status->seccomp == SECCOMP_MODE_DISABLED)
		return false;
	return status->seccomp == SECCOMP_MODE_STRICT ||
	       !proc_status(0, 0, &own) || proc_is_filtered(status, &own);
}

/* Suspend the seccomp filters of a thread, or let them work again. The filters
 * stay suspended until the next call of this function for the thread, or until
 * the tool ends. */
static bool set_suspended(struct thread *thread, bool on)
{
	return ptrace(PTRACE_SETOPTIONS, thread->tid, 0,
		      trace_options(thread->process) |
			      (on ? (long)PTRACE_O_SUSPEND_SECCOMP : 0)) == 0;
}

/* Is the thread that was chosen last still the right one? That is certain if
 * all threads of the process have been stopped since then: such a thread gets
 * no filter, and nothing else of it changes but the signals that are pending.
 * (Hundreds of calls may be made one after the other.) */
static bool is_chosen(const struct process *process)
{
	bool found = false;

	if (!process->caller ||
	    process->caller_at != process->target->resumptions)
		return false;
	for (size_t i = 0; i < process->threads.count; i++) {
		const struct thread *thread = process->threads.data[i];

		if (thread->state != THREAD_STOPPED || thread->in_call)
			return false;
		found |= thread == process->caller;
	}
	return found;
}

struct error *suspend_filters(struct thread *thread, bool *suspended)
{
	pid_t pid = thread->process->pid;
	struct proc_status status;

	*suspended = false;
	if (thread->process->caller == thread &&
	    thread->process->caller_is_free && is_chosen(thread->process))
		return NULL;
	if (!proc_status(pid, thread->tid, &status))
		return proc_error(errno, pid, "the status of a thread");
	if (!is_guarded(&status))
		return NULL;
	if (!set_suspended(thread, true))
		return error_create(
			ERROR_OTHER,
			"thread %d of process %d is under a seccomp filter, "
			"which might kill the thread for a system call that "
			"perftool makes in it (with CAP_SYS_ADMIN perftool "
			"could suspend the filter)",
			thread->tid, thread->process->pid);
	*suspended = true;
	return NULL;
}

void resume_filters(struct thread *thread)
{
	set_suspended(thread, false);
}

static struct error *nobody_is_stopped(const struct process *process)
{
	if (process_is_ending(process))
		return error_create(ERROR_GONE, "process %d ends",
				    process->pid);
	return error_create(ERROR_OTHER, "no thread of process %d is stopped",
			    process->pid);
}

struct error *target_calling_thread(struct process *process,
				    struct thread **out)
{
	struct error *error = NULL;
	struct thread *best = NULL;
	bool is_free = false;
	int least = UNFIT;

	if (is_chosen(process)) {
		*out = process->caller;
		return NULL;
	}
	process->caller = NULL;
	for (size_t i = 0; i < process->threads.count && least; i++) {
		struct thread *thread = process->threads.data[i];
		struct proc_status status;
		bool suspended;
		int how;

		if (thread->state != THREAD_STOPPED || thread->in_call ||
		    !proc_status(process->pid, thread->tid, &status))
			continue;
		how = disturbance(thread, &status);
		if (how >= least)
			continue;
		error_destroy(error);
		error = suspend_filters(thread, &suspended);
		if (error)
			continue;
		if (suspended)
			resume_filters(thread);
		best = thread;
		is_free = !suspended;
		least = how;
	}
	if (best) {
		error_destroy(error);
		process->caller = best;
		process->caller_is_free = is_free;
		process->caller_at = process->target->resumptions;
		*out = best;
		return NULL;
	}
	return error ? error : nobody_is_stopped(process);
}
