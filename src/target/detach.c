/*
 * detach.c - detaches from threads
 *
 * When the tool detaches, the kernel clears the settings of the tracer (the
 * flags for single steps and system call stops). If the process is
 * group-stopped, the kernel makes the detached thread stop with the other
 * threads.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/target/process_status.h"
#include "perftool/target/remote_calls.h"
#include "perftool/target/target_events.h"
#include "target/proc/proc.h"
#include "target_state.h"

#define PATIENCE 1000 /* ms */

/*
 * Ask a RUNNING thread to stop. Does the thread report anything within a
 * second? A thread that waits in the kernel for its vfork child reports only
 * when the child has its own memory.
 */
static bool reports_soon(const struct thread *thread)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	/* the tool has already waited for a thread that is stuck, so one look
	 * is enough */
	int most = thread->is_stuck ? 1 : PATIENCE;

	if (target_is_dead_leader(thread))
		return false;
	ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	for (int tries = 0; tries < most; tries++) {
		siginfo_t info = {0};

		if (waitid(P_PID, (id_t)thread->tid, &info,
			   WEXITED | WSTOPPED | __WALL | WNOWAIT | WNOHANG) < 0)
			return errno != EINTR;
		if (info.si_pid)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* Note that the tool must detach from a thread later: in target_wait(), in
 * target_release_waiting(), or when the tool ends. */
static void leave_later(struct target *target, pid_t tid)
{
	static char present;

	map_set(&target->leaving, (uint64_t)tid, &present);
}

/* Detach from a stopped thread. If this fails, the thread was killed. The tool
 * must still consume the report of its end: before that, the kernel does not
 * report the end to the parent of the process. */
static void detach(struct target *target, pid_t tid, int signal)
{
	if (ptrace(PTRACE_DETACH, tid, 0, (long)signal) < 0)
		leave_later(target, tid);
}

/* Take the report of a thread that the tool still traces, if there is one, and
 * detach from the thread. Returns whether the thread needs no more attention.
 */
static bool release_reported(pid_t tid)
{
	int status;
	pid_t found = waitpid(tid, &status, __WALL | WNOHANG);

	if (found == 0 || (found < 0 && errno == EINTR))
		return false;
	if (found > 0 && WIFSTOPPED(status)) {
		watch_nothing(tid);
		ptrace(PTRACE_DETACH, tid, 0,
		       is_signal_stop(status) ? (long)WSTOPSIG(status) : 0);
	}
	return true;
}

bool target_release_waiting(struct target *target)
{
	size_t cursor = 0;
	uint64_t tid;

	while (map_next(&target->leaving, &cursor, &tid)) {
		if (!release_reported((pid_t)tid))
			continue;
		map_remove(&target->leaving, tid);
		/* the removal has changed the order of the map, so the
		 * iteration begins anew */
		cursor = 0;
	}
	return target->leaving.count != 0;
}

static void release_left(void *context, pid_t tid)
{
	const pid_t *pid = context;

	if (tid != *pid)
		release_reported(tid);
}

void release_threads_left(pid_t pid)
{
	proc_each_thread(pid, release_left, &pid);
}

static struct error *await_parent(struct thread *thread)
{
	int status;

	if (!reports_soon(thread))
		return NULL;
	TRY(wait_for_thread(thread, &status));
	thread->vfork_child = 0;
	return settle_thread(thread, status);
}

void target_await_parents(struct process *process)
{
	/* one STOPPED thread is enough for the work that the caller has left to
	 * do */
	if (target_is_any_stopped(process))
		return;
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];

		if (thread->state == THREAD_RUNNING && thread->vfork_child)
			/* the error means that the thread has ended, so there
			 * is nothing left to do for it */
			error_destroy(await_parent(thread));
	}
}

/* Detach from the thread or process that `parent` has just created. */
static void release_newborn(struct thread *parent)
{
	struct target *target = parent->process->target;
	unsigned long tid;
	int status;

	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &tid) < 0)
		return;
	if (!map_remove(&target->early, tid))
		while (waitpid((pid_t)tid, &status, __WALL) < 0 &&
		       errno == EINTR)
			;
	detach(target, (pid_t)tid, 0);
}

/* The thread has executed an int3 that the tool has removed since. Set the pc
 * back, so that the thread executes the original instruction. False: the trap
 * was not caused by an int3, or the registers cannot be set. */
static bool take_back_trap(struct thread *thread)
{
	struct user_regs_struct regs;
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &info) < 0 ||
	    info.si_code != SI_KERNEL ||
	    ptrace(PTRACE_GETREGS, thread->tid, 0, &regs) < 0)
		return false;
	regs.rip--;
	return ptrace(PTRACE_SETREGS, thread->tid, 0, &regs) == 0;
}

/* Without the tool, a trap of the thread's debug registers would end the
 * program. */
static void unwatch(struct thread *thread)
{
	if (thread->is_watching)
		target_forget_watches(thread);
}

void release_thread(struct thread *thread, bool restored)
{
	struct target *target = thread->process->target;
	struct error *error;
	int status, signal = 0;

	if (thread->state == THREAD_STOPPED) {
		unwatch(thread);
		detach(target, thread->tid, 0);
		return;
	}
	if (thread->state == THREAD_RUNNING && !reports_soon(thread)) {
		leave_later(target, thread->tid);
		return;
	}
	error = wait_for_thread(thread, &status);
	if (!error && restored && status >> 16 == PTRACE_EVENT_STOP &&
	    has_queued_fault(thread)) {
		note_event_stop(thread, WSTOPSIG(status));
		ptrace(PTRACE_CONT, thread->tid, 0, 0);
		error = wait_for_thread(thread, &status);
	}
	if (error) {
		error_destroy(error);
		return;
	}
	unwatch(thread);
	switch (status >> 16) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		release_newborn(thread);
		break;
	case PTRACE_EVENT_STOP:
		note_event_stop(thread, WSTOPSIG(status));
		break;
	default:
		if (is_signal_stop(status) &&
		    !(restored && WSTOPSIG(status) == SIGTRAP &&
		      take_back_trap(thread))) {
			restart_call(thread);
			signal = WSTOPSIG(status);
		}
	}
	detach(target, thread->tid, signal);
}

/* The kernel also traces a thread that was killed before its creator could
 * report it. Note that the tool must still consume the report of the end of
 * such a thread. */
static void leave_if_unborn(void *context, pid_t tid)
{
	struct process *process = context;
	struct proc_status status;
	struct proc_stat stat;

	if (!map_get(&process->target->threads, (uint64_t)tid) &&
	    proc_stat(process->pid, tid, &stat) &&
	    (proc_has_ended(stat.state) || stat.flags & PROC_EXITING) &&
	    proc_status(process->pid, tid, &status) &&
	    status.tracer == gettid())
		leave_later(process->target, tid);
}

static void forget(struct process *process)
{
	proc_each_thread(process->pid, leave_if_unborn, process);
	map_remove(&process->target->processes, (uint64_t)process->pid);
	process_destroy(process);
}

void target_detach(struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];

		unwatch(thread);
		if (ptrace(PTRACE_DETACH, thread->tid, 0, 0) < 0) {
			ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
			leave_later(process->target, thread->tid);
		}
	}
	forget(process);
}

/* Write the script by which the thread asks its parent to trace it, and have
 * the thread begin with it. */
static struct error *ask_parent(struct thread *thread)
{
	struct process *process = thread->process;
	struct user_regs_struct regs, start;
	struct arch_script script;
	uint64_t mask, address = 0;

	TRY(target_get_regs(thread, &regs));
	TRY(target_get_signal_mask(thread, &mask));
	/* The first script only shows how much room is needed. */
	TRY(arch_script_trace(UINT64_MAX, &regs, mask, &script));
	TRY(target_find_script_room(process, script.length, &address));
	TRY(arch_script_trace(address, &regs, mask, &script));
	TRY(target_write(process, address, script.code, script.length));
	start = regs;
	start.rip = script.start;
	start.orig_rax = UINT64_MAX;
	TRY(target_set_regs(thread, &start));
	return target_set_signal_mask(thread, UINT64_MAX);
}

struct error *target_detach_to_parent(struct process *process)
{
	struct proc_status status;
	struct error *error = NULL;

	/* A parent that has ended would have left the process untraced. Who has
	 * taken in the process does not expect to trace it. */
	if (proc_status(process->pid, process->pid, &status) &&
	    status.parent == process->asks_parent)
		error = ask_parent(process->threads.data[0]);
	target_detach(process);
	return error;
}

void target_let_go(struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		release_thread(process->threads.data[i], true);
	forget(process);
}
