/*
 * signals.c - what a process does with a signal, by /proc
 */
#include "internal.h"
#include "proc.h"

static uint64_t bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

struct error *target_get_disposition(struct process *process, int signal,
				     enum disposition *out)
{
	struct proc_status status;

	/* any thread has it; the first may have ended */
	for (size_t i = 0; i < process->threads.count; i++) {
		pid_t tid = process->threads.data[i]->tid;

		if (!proc_status(process->pid, tid, &status) ||
		    status.state == 'Z' || status.state == 'X')
			continue;
		*out = DISPOSITION_DEFAULT;
		if (status.caught & bit(signal))
			*out = DISPOSITION_CAUGHT;
		else if (status.ignored & bit(signal))
			*out = DISPOSITION_IGNORED;
		return NULL;
	}
	return error_create(ERROR_GONE, "process %d is gone", process->pid);
}

/* The mask it has outside of sigsuspend(2) and its like, where that can be
 * had. */
static bool get_blocked(struct thread *thread, uint64_t *mask)
{
	struct proc_status status;

	if (thread->state != THREAD_RUNNING) {
		struct error *error = target_get_signal_mask(thread, mask);

		if (!error)
			return true;
		error_destroy(error);
	}
	if (!proc_status(thread->process->pid, thread->tid, &status) ||
	    status.state == 'Z' || status.state == 'X')
		return false;
	*mask = status.blocked;
	return true;
}

struct thread *target_find_blocking(struct process *process, int signal)
{
	uint64_t mask;

	for (size_t i = 0; i < process->threads.count; i++)
		if (get_blocked(process->threads.data[i], &mask) &&
		    mask & bit(signal))
			return process->threads.data[i];
	return NULL;
}
