/*
 * memory_sharers.c - finds other processes that have the memory of a process to
 * which the tool attaches
 *
 * Children of vfork(2), and of clone(2) with only CLONE_VM, execute the same
 * code as their parent. If such a child were not traced, it would run into
 * int3s that no tracer handles. Children that are born while their parent is
 * traced are traced, too. This file finds the children that existed before. The
 * kernel tells whether two processes have the same memory (kcmp(2)). The tool
 * compares every process in /proc, because the parent of such a child may have
 * ended, so that the child now has another parent.
 *
 * Two cases are not found: a process whose first thread has ended before the
 * others, and any process if the kernel or a container forbids kcmp(2).
 */
#include <dirent.h>
#include <linux/kcmp.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach.h"
#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "target/proc/proc.h"
#include "target/target_state.h"

/* Processes that have ended have no memory, and kcmp(2) says that "no memory"
 * is the same for all of them. A kernel thread may use the memory of a process
 * for a time, but executes nothing of it. */
static bool has_memory(pid_t pid)
{
	struct proc_stat stat;

	return proc_stat(pid, pid, &stat) && stat.state != 'Z' &&
	       !(stat.flags & (PROC_KERNEL_THREAD | PROC_EXITING));
}

bool have_one_memory(pid_t one, pid_t other, bool unknown)
{
	long difference = syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0);

	if (difference < 0)
		return unknown;
	/* The order of the two checks matters: a process that has memory now
	 * also had memory at the time of kcmp(2). */
	return difference == 0 && has_memory(other);
}

pid_t living_thread(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (!target_is_dead_leader(process->threads.data[i]))
			return process->threads.data[i]->tid;
	return process->pid;
}

static struct thread *find_stopped(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (process->threads.data[i]->state == THREAD_STOPPED)
			return process->threads.data[i];
	return NULL;
}

bool target_is_any_stopped(const struct process *process)
{
	return find_stopped(process) != NULL;
}

/* ---- the processes ----------------------------------------------------- */

static struct error *seize_sharer(struct process *process, pid_t pid,
				  bool *found)
{
	struct process *sharer = target_find_process(process->target, pid);
	struct error *error;

	if (!sharer) {
		sharer = process_create(process->target, pid);
		sharer->attached = sharer->survives = true;
		sharer->shares_memory = true;
	}
	error = seize_threads(sharer, found);
	if (sharer->threads.count && !error)
		return NULL;
	/* the sharer has ended, or the tool may not trace it */
	if (!sharer->threads.count) {
		map_remove(&process->target->processes, (uint64_t)pid);
		process_destroy(sharer);
	}
	if (error && error_code(error) == ERROR_GONE) {
		error_destroy(error);
		return NULL;
	}
	return error ? error_prefix(error,
				    "process %d, which shares the memory of "
				    "process %d",
				    pid, process->pid)
		     : NULL;
}

/* Note the child for which the thread waits in vfork(2): of the thread's
 * children that share the memory, it is the child that was born last. */
static void note_child(struct thread *thread)
{
	struct target *target = thread->process->target;
	struct pid_list children = {0};

	proc_children(thread->process->pid, thread->tid, &children);
	for (size_t i = 0; i < children.count; i++) {
		const struct process *child =
			target_find_process(target, children.data[i]);

		if (child && child->shares_memory)
			thread->vfork_child = children.data[i];
	}
	vec_free(&children);
}

struct error *seize_sharers(struct process *process, bool *found)
{
	struct target *target = process->target;
	struct thread *thread = find_stopped(process);
	struct error *error = NULL;
	struct dirent *entry;
	DIR *directory = opendir("/proc");

	while (!error && thread && directory && (entry = readdir(directory))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && pid != process->pid &&
		    have_one_memory(thread->tid, pid, false))
			error = seize_sharer(process, pid, found);
	}
	if (directory)
		closedir(directory);
	for (size_t i = 0; i < target->ring.count; i++) {
		thread = target->ring.data[i];
		if (thread->state == THREAD_RUNNING &&
		    is_in_vfork(thread->process->pid, thread->tid))
			note_child(thread);
	}
	return error;
}

void drop_strangers(struct process *process)
{
	const struct thread *thread = find_stopped(process);
	struct process *other;
	size_t cursor = 0;

	while (thread &&
	       (other = target_next_process(process->target, &cursor)))
		if (other->shares_memory && !other->owner &&
		    !have_one_memory(thread->tid, other->pid, true))
			target_let_go(other);
}

/* ---- threads that wait for a vfork child ------------------------------- */

bool is_in_vfork(pid_t pid, pid_t tid)
{
	unsigned long first;
	uint64_t flags;
	char path[80];
	long number;
	FILE *file;
	int fields;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	/* the file contains "running", or the system call in which the thread
	 * waits */
	fields = fscanf(file, "%ld %lx", &number, &first);
	fclose(file);
	if (fields != 2)
		return false;
	switch (number) {
	case SYS_vfork:
		return true;
	case SYS_clone:
		return first & CLONE_VFORK;
	case SYS_clone3:
		/* the flags are the first member of struct clone_args */
		return target_peek(tid, first, &flags, sizeof(flags)) &&
		       flags & CLONE_VFORK;
	default:
		return false;
	}
}
