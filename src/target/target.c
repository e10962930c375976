/*
 * target.c - the tables of processes and threads
 */
#include "perftool/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"
#include "perftool/base/alloc.h"
#include "proc.h"

struct target *target_create(const struct clock *clock)
{
	struct target *target = xcalloc(1, sizeof(*target));

	target->clock = clock;
	return target;
}

/*
 * Kill all there is and wait for it. A leader is reported only when no other
 * thread of its process is left, and those must be reaped too.
 */
static void kill_all(struct target *target)
{
	struct process *process;
	size_t cursor = 0;
	int status;

	while ((process = map_next(&target->processes, &cursor, NULL)))
		target_kill(process);
	while (target->processes.count) {
		pid_t tid = waitpid(-1, &status, __WALL);

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

void target_destroy(struct target *target)
{
	struct process *process;
	size_t cursor = 0;

	if (!target)
		return;
	target_disarm_tick(target);
	kill_all(target);
	while ((process = map_next(&target->processes, &cursor, NULL)))
		process_destroy(process);
	free(target->dead_thread);
	process_destroy(target->dead_process);
	map_deinit(&target->threads);
	map_deinit(&target->processes);
	map_deinit(&target->early);
	vec_free(&target->ends);
	free(target);
}

struct process *process_create(struct target *target, pid_t pid)
{
	struct process *process = xcalloc(1, sizeof(*process));

	process->pid = pid;
	process->target = target;
	process->mem = -1;
	map_set(&target->processes, (uint64_t)pid, process);
	return process;
}

struct error *process_open_memory(struct process *process)
{
	char path[64];

	if (process->mem >= 0)
		close(process->mem);
	snprintf(path, sizeof(path), "/proc/%d/mem", process->pid);
	process->mem = open(path, O_RDWR | O_CLOEXEC);
	if (process->mem < 0)
		return error_system(errno, "%s", path);
	return NULL;
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
	if (process->mem >= 0)
		close(process->mem);
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
	return thread;
}

bool thread_is_quiet(struct thread *thread)
{
	struct process *process = thread->process;
	struct proc_stat stat;

	if (thread->state == THREAD_STOPPED || process->shares_memory)
		return true;
	if (thread->vfork_child &&
	    target_find_process(process->target, thread->vfork_child))
		return true;
	return thread->tid == process->pid && process->threads.count > 1 &&
	       proc_stat(process->pid, thread->tid, &stat) && stat.state == 'Z';
}

void thread_unlink(struct thread *thread)
{
	struct process *process = thread->process;
	struct target *target = process->target;

	if (target->last == thread)
		target->last = NULL;
	map_remove(&target->threads, (uint64_t)thread->tid);
	for (size_t i = 0; i < process->threads.count; i++) {
		if (process->threads.data[i] == thread) {
			vec_remove(&process->threads, i);
			break;
		}
	}
}

struct process *target_process_at(const struct target *target, size_t index)
{
	struct process *process;
	size_t cursor = 0;

	while ((process = map_next(&target->processes, &cursor, NULL)))
		if (index-- == 0)
			return process;
	return NULL;
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

void target_let_go(struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];
		struct user_regs_struct regs;
		int status;

		if (thread->state != THREAD_RUNNING)
			continue;
		ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
		error_destroy(wait_for_thread(thread, &status));
		/* one that had just run into an int3 executes what is there
		 * now */
		if (WIFSTOPPED(status) && status >> 8 == SIGTRAP &&
		    ptrace(PTRACE_GETREGS, thread->tid, 0, &regs) == 0) {
			regs.rip--;
			ptrace(PTRACE_SETREGS, thread->tid, 0, &regs);
		}
	}
	target_detach(process);
}

void target_detach(struct process *process)
{
	struct target *target = process->target;

	for (size_t i = 0; i < process->threads.count; i++)
		ptrace(PTRACE_DETACH, process->threads.data[i]->tid, 0, 0);
	map_remove(&target->processes, (uint64_t)process->pid);
	process_destroy(process);
}

struct error *ptrace_error(const struct thread *thread, const char *what)
{
	if (errno == ESRCH)
		return error_create(ERROR_GONE, "thread %d is gone",
				    thread->tid);
	return error_system(errno, "%s of thread %d", what, thread->tid);
}
