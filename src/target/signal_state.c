/*
 * signal_state.c - tells what a process does with a signal, according to /proc
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "target/proc/proc.h"
#include "target_state.h"

/* The signals that the C library uses itself (nptl(7)). */
#define SIGNAL_CANCEL 32
#define SIGNAL_SETXID 33

static uint64_t bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

static enum disposition disposition_of(int signal, uint64_t ignored,
				       uint64_t caught)
{
	if (caught & bit(signal))
		return DISPOSITION_CAUGHT;
	return ignored & bit(signal) ? DISPOSITION_IGNORED
				     : DISPOSITION_DEFAULT;
}

/* Read the dispositions of the signals. This must be fast, because the tool
 * reads them at every hit of some programs. */
static bool read_signals(struct process *process, struct proc_signals *out)
{
	if (process->stat >= 0) {
		if (proc_signals(process->stat, out))
			return true;
		close(process->stat);
		process->stat = -1;
	}
	/* Each thread of the process shows the same dispositions. The first
	 * thread may have ended. */
	for (size_t i = 0; i < process->threads.count; i++) {
		int stat = proc_open_stat(process->pid,
					  process->threads.data[i]->tid);

		bool found = stat >= 0 && proc_signals(stat, out);

		if (found && !takes_free_file(stat)) {
			process->stat = stat;
			return true;
		}
		if (stat >= 0)
			close(stat);
		if (found)
			return true;
	}
	return false;
}

static bool read_all_signals(struct process *process, struct proc_signals *out)
{
	struct proc_status status;

	for (size_t i = 0; i < process->threads.count; i++) {
		pid_t tid = process->threads.data[i]->tid;

		if (!proc_status(process->pid, tid, &status) ||
		    proc_has_ended(status.state))
			continue;
		*out = (struct proc_signals){status.ignored, status.caught};
		return true;
	}
	return false;
}

struct error *target_get_disposition(struct process *process, int signal,
				     enum disposition *out)
{
	struct proc_signals signals;

	if (signal <= PROC_SIGNALS ? !read_signals(process, &signals)
				   : !read_all_signals(process, &signals))
		return error_create(ERROR_GONE, "process %d is gone",
				    process->pid);
	*out = disposition_of(signal, signals.ignored, signals.caught);
	return NULL;
}

/* Read the signal mask of a thread. The best source is the mask that the thread
 * has outside of sigsuspend(2) and similar calls; the tool can read this mask
 * only while the thread is stopped. */
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
	    proc_has_ended(status.state))
		return false;
	*mask = status.blocked;
	return true;
}

/* Has the C library blocked all signals, as it does for a moment while it
 * creates a thread or a process? Only then the two signals that it uses itself
 * are blocked, too: pthread_sigmask() and sigprocmask() leave them out. */
static bool is_momentary(uint64_t mask)
{
	const uint64_t own = bit(SIGNAL_CANCEL) | bit(SIGNAL_SETXID);

	return (mask & own) == own;
}

struct thread *target_find_blocking(struct process *process, int signal)
{
	uint64_t mask;

	for (size_t i = 0; i < process->threads.count; i++)
		if (get_blocked(process->threads.data[i], &mask) &&
		    mask & bit(signal) && !is_momentary(mask))
			return process->threads.data[i];
	return NULL;
}

bool target_is_pending(const struct thread *thread, int signal)
{
	struct proc_status status;

	return proc_status(thread->process->pid, thread->tid, &status) &&
	       (status.pending | status.shared_pending) & bit(signal);
}

struct error *target_send(struct thread *thread, int signal)
{
	if (tgkill(thread->process->pid, thread->tid, signal) < 0)
		return error_create(errno == ESRCH ? ERROR_GONE : ERROR_OTHER,
				    "cannot send a signal to thread %d: %s",
				    thread->tid, strerror(errno));
	return NULL;
}
