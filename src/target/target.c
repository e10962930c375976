/*
 * target.c - keeps the tables of processes and threads
 */
#include "perftool/target.h"
#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "target/memory/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "target/proc/proc.h"
#include "target_state.h"

/*
 * When a traced thread stops, the kernel sends SIGCHLD to the tool. The tool
 * does not use this signal: waitid() tells it of the stops. With SA_NOCLDSTOP
 * the kernel does not send the signal at each hit. A SIG_IGN that the tool has
 * inherited is not changed, because the programs that the tool launches inherit
 * it from the tool. They do not inherit the flag.
 */
static void decline_stop_signals(void)
{
	struct sigaction action;

	if (sigaction(SIGCHLD, NULL, &action) < 0 ||
	    action.sa_handler != SIG_DFL)
		return;
	action.sa_flags |= SA_NOCLDSTOP;
	sigaction(SIGCHLD, &action, NULL);
}

struct target *target_create(const struct clock *clock)
{
	struct target *target = xcalloc(1, sizeof(*target));

	decline_stop_signals();
	target->clock = clock;
	target->deadline.time = target->alarm.time = UINT64_MAX;
	return target;
}

/*
 * Kill the launched processes, and wait some seconds for their ends. The kernel
 * reports the end of a leader only when the process has no other thread, so the
 * tool must reap the other threads, too.
 */
static void kill_all(struct target *target)
{
	uint64_t since = clock_now(target->clock);
	struct process *process;
	size_t cursor = 0;
	int status;

	while ((process = target_next_process(target, &cursor)))
		target_kill(process);
	target_arm_tick(target);
	while (target->processes.count && stuck_may_end(target, since)) {
		pid_t tid = waitpid(-1, &status, __WALL | __WNOTHREAD);

		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			break;
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, tid, 0, 0);
		else
			process_destroy(
				map_remove(&target->processes, (uint64_t)tid));
	}
}

/* Detach from the attached processes. They existed before the tool attached, so
 * they go on, whatever state they are in. */
static void release_attached(struct target *target)
{
	struct process *process;
	size_t cursor = 0;

	while ((process = target_next_process(target, &cursor))) {
		if (!process->attached)
			continue;
		for (size_t j = 0; j < process->threads.count; j++)
			release_thread(process->threads.data[j], false);
		map_remove(&target->processes, (uint64_t)process->pid);
		process_destroy(process);
	}
}

void target_destroy(struct target *target)
{
	struct process *process;
	size_t cursor = 0;

	if (!target)
		return;
	release_attached(target);
	kill_all(target);
	while ((process = target_next_process(target, &cursor)))
		process_destroy(process);
	robust_words_deinit(target);
	target_disarm_tick(target);
	wait_limit_deinit(&target->deadline);
	wait_limit_deinit(&target->alarm);
	vec_free(&target->alarms);
	vec_free(&target->glances);
	free(target->dead_thread);
	process_destroy(target->dead_process);
	map_deinit(&target->threads);
	map_deinit(&target->processes);
	map_deinit(&target->early);
	map_deinit(&target->leaving);
	vec_free(&target->ends);
	vec_free(&target->ring);
	free(target);
}

long trace_options(const struct process *process)
{
	return TRACE_OPTIONS | (process->survives ? 0 : PTRACE_O_EXITKILL);
}

struct process *process_create(struct target *target, pid_t pid)
{
	struct process *process = xcalloc(1, sizeof(*process));

	process->pid = pid;
	process->target = target;
	process->mem = process->stat = -1;
	process->served = served_pages_create();
	map_set(&target->processes, (uint64_t)pid, process);
	return process;
}

/* File descriptors that the tool keeps free for files that it opens and closes
 * again: maps, libraries, and the memory of rings (in which threads record
 * their hits for the tool). */
#define FREE_FILES 16

bool takes_free_file(int file)
{
	struct rlimit limit;
	rlim_t spare;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	spare = limit.rlim_cur / 4 < FREE_FILES ? limit.rlim_cur / 4
						: FREE_FILES;
	return (rlim_t)file >= limit.rlim_cur - spare;
}

/* Does the process still have a stopped thread? The registers of a stopped
 * thread can be read as long as the thread exists. */
static bool has_thread(const struct process *process)
{
	errno = 0;
	return process->threads.count &&
	       (ptrace(PTRACE_PEEKUSER, process->threads.data[0]->tid, 0, 0) !=
			-1 ||
		!errno);
}

struct error *process_open_memory(struct process *process)
{
	struct proc_stat stat;
	int failure;
	char path[64];

	kept_forget(process);
	served_pages_forget(process->served);
	if (process->mem >= 0)
		close(process->mem);
	proc_path(process->pid, "mem", path, sizeof(path));
	process->mem = open(path, O_RDWR | O_CLOEXEC);
	failure = errno;
	if (process->mem < 0 && (failure == ESRCH || failure == ENOENT) &&
	    !has_thread(process))
		return error_create(ERROR_GONE, "process %d is gone",
				    process->pid);
	if (process->mem < 0)
		return error_system(failure, "%s", path);
	process->is_too_many = takes_free_file(process->mem);
	if (proc_stat(process->pid, process->pid, &stat))
		process->start_brk = stat.start_brk;
	return NULL;
}

struct error *process_open_new_memory(struct process *process)
{
	struct error *error = process_open_memory(process);
	int failure = error ? error_errno(error) : 0;

	process->is_too_many |= failure == EMFILE || failure == ENFILE;
	return error_unless(error, ERROR_SYSTEM);
}

void process_destroy(struct process *process)
{
	if (!process)
		return;
	while (process->threads.count) {
		struct thread *thread = process->threads.data[0];

		thread_unlink(thread);
		free(thread);
	}
	vec_free(&process->threads);
	kept_forget(process);
	if (process->mem >= 0)
		close(process->mem);
	if (process->stat >= 0)
		close(process->stat);
	served_pages_destroy(process->served);
	free(process);
}

struct thread *thread_create(struct process *process, pid_t tid)
{
	struct thread *thread = xcalloc(1, sizeof(*thread));
	struct target *target = process->target;

	thread->tid = tid;
	thread->serial = ++target->next_serial;
	thread->process = process;
	thread->state = THREAD_RUNNING;
	map_set(&target->threads, (uint64_t)tid, thread);
	vec_push(&process->threads, thread);
	process->had_threads |= process->threads.count > 1;
	vec_push(&target->ring, thread);
	return thread;
}

bool target_is_dead_leader(const struct thread *thread)
{
	const struct process *process = thread->process;
	struct proc_stat stat;

	return thread->tid == process->pid && process->threads.count > 1 &&
	       proc_stat(process->pid, thread->tid, &stat) && stat.state == 'Z';
}

bool target_is_at_rest(const struct thread *thread)
{
	return thread->state == THREAD_STOPPED || thread->is_stuck ||
	       (thread->vfork_child &&
		target_find_process(thread->process->target,
				    thread->vfork_child)) ||
	       target_is_dead_leader(thread);
}

bool thread_is_quiet(const struct thread *thread)
{
	/* The tool needs the registers of a thread that is STOPPED, so the
	 * thread must not be inside a system call. */
	return target_is_at_rest(thread) &&
	       (thread->state != THREAD_STOPPED || !thread->in_call);
}

static void unlist(struct thread_list *list, const struct thread *thread)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->data[i] == thread) {
			vec_remove(list, i);
			return;
		}
	}
}

void thread_unlink(struct thread *thread)
{
	struct process *process = thread->process;
	struct target *target = process->target;

	if (target->last == thread)
		target->last = NULL;
	map_remove(&target->threads, (uint64_t)thread->tid);
	unlist(&process->threads, thread);
	unlist(&target->ring, thread);
}

struct process *target_next_process(const struct target *target, size_t *cursor)
{
	return map_next(&target->processes, cursor, NULL);
}

struct process *target_find_process(const struct target *target, pid_t pid)
{
	return map_get(&target->processes, (uint64_t)pid);
}

struct thread *target_find_thread(const struct target *target, pid_t tid)
{
	return map_get(&target->threads, (uint64_t)tid);
}

void target_kill(struct process *process)
{
	kill(process->pid, SIGKILL);
}

void target_signal(struct process *process, int signal)
{
	kill(process->pid, signal);
}

struct error *ptrace_error(const struct thread *thread, const char *what)
{
	/* ECHILD: the tool cannot wait for the thread, because the thread has
	 * ended */
	if (errno == ESRCH || errno == ECHILD)
		return error_create(ERROR_GONE, "thread %d is gone",
				    thread->tid);
	return error_system(errno, "cannot trace thread %d (%s)", thread->tid,
			    what);
}

/* Does SIGKILL end the thread, or has it done so? Only SIGKILL lets a thread
 * leave a stop that the tool has not ended. Until the thread begins to exit,
 * nothing but the pending signal tells. */
static bool is_killed(const struct thread *thread)
{
	pid_t pid = thread->process->pid;
	struct proc_status status;

	if (proc_status(pid, thread->tid, &status) &&
	    (status.pending | status.shared_pending) & 1ULL << (SIGKILL - 1))
		return true;
	errno = 0;
	return thread->state == THREAD_STOPPED &&
	       ptrace(PTRACE_PEEKUSER, thread->tid, 0, 0) == -1 &&
	       errno == ESRCH;
}

/* Such a thread executes nothing of the program any more, but it may be in the
 * kernel for long: it unmaps the memory. */
static bool is_exiting(const struct thread *thread)
{
	struct proc_stat stat;

	return !proc_stat(thread->process->pid, thread->tid, &stat) ||
	       proc_has_ended(stat.state) || stat.flags & PROC_EXITING;
}

bool process_is_ending(const struct process *process)
{
	bool all_exit = true;

	for (size_t i = 0; i < process->threads.count; i++) {
		const struct thread *thread = process->threads.data[i];

		if (is_killed(thread))
			return true;
		all_exit &= is_exiting(thread);
	}
	return all_exit;
}
