/*
 * attach.c - seizing the threads of a process that runs
 *
 * A seized thread's children are traced from their birth, but threads of those
 * not yet seized are not: so the list of threads is read until it shows no new
 * one. Threads that end meanwhile are fine.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "proc.h"

#define PATIENCE 10 /* seconds for all threads to stop */

static struct error *seize(struct process *process, pid_t tid, bool *found)
{
	struct proc_status status;
	int saved;

	if (ptrace(PTRACE_SEIZE, tid, 0, trace_options(process)) == 0) {
		thread_create(process, tid);
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		*found = true;
		return NULL;
	}
	saved = errno;
	if (!proc_status(process->pid, tid, &status) || status.state == 'Z' ||
	    status.state == 'X')
		return NULL;
	if (status.tracer == getpid()) {
		/* born of a seized one, to be told of */
		*found = true;
		return NULL;
	}
	return explain_refusal(process->pid, tid, saved);
}

/* All threads that are there now; `found`: there was a new one. */
static struct error *seize_all(struct process *process, bool *found)
{
	struct error *error = NULL;
	struct dirent *entry;
	char path[64];
	DIR *directory;

	*found = false;
	snprintf(path, sizeof(path), "/proc/%d/task", process->pid);
	directory = opendir(path);
	if (!directory)
		return error_create(ERROR_GONE, "process %d is gone",
				    process->pid);
	while (!error && (entry = readdir(directory))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && !target_find_thread(process->target, tid))
			error = seize(process, tid, found);
	}
	closedir(directory);
	return error;
}

/* The program goes on as it would without us; nothing is missed, for nothing
 * is asked of it yet. */
static struct error *pass(struct event *event)
{
	switch (event->kind) {
	case EVENT_TRAP:
	case EVENT_SIGNAL:
		return target_deliver(event->thread, event->signal, NULL);
	case EVENT_THREAD_NEW:
		/* it was there before anybody could measure it */
		event->thread->first_sp = 0;
		TRY(target_resume(event->thread));
		return target_resume(event->parent);
	case EVENT_FORK:
		target_detach(event->process);
		return target_resume(event->parent);
	default:
		return NULL;
	}
}

static struct error *slow_thread(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];
		struct proc_stat stat;

		if (thread_is_quiet(thread))
			continue;
		if (proc_stat(process->pid, thread->tid, &stat) &&
		    stat.state == 'D')
			return error_create(ERROR_OTHER,
					    "thread %d of process %d waits in "
					    "the kernel and cannot be stopped",
					    thread->tid, process->pid);
	}
	return error_create(ERROR_OTHER,
			    "the threads of process %d do not stop",
			    process->pid);
}

static struct error *wait_until_stopped(struct target *target, pid_t pid)
{
	struct process *process;
	struct timespec start, now;
	struct event event;

	clock_gettime(CLOCK_MONOTONIC, &start);
	target->stopping = true;
	for (;;) {
		TRY(target_wait(target, &event));
		if (event.kind == EVENT_ALL_STOPPED)
			return NULL;
		process = target_find_process(target, pid);
		if (!process)
			return error_create(ERROR_GONE,
					    "process %d ended while it was "
					    "attached to",
					    pid);
		TRY(pass(&event));
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec > PATIENCE)
			return slow_thread(process);
	}
}

static struct error *attach_threads(struct target *target, pid_t pid)
{
	struct process *process;
	bool found;

	do {
		process = target_find_process(target, pid);
		TRY(seize_all(process, &found));
		if (found)
			TRY(wait_until_stopped(target, pid));
	} while (found);
	if (!process->threads.count)
		return error_create(ERROR_GONE, "process %d is gone", pid);
	return NULL;
}

struct error *target_attach(struct target *target, pid_t pid,
			    struct process **out)
{
	struct process *process;
	struct error *error;

	TRY(target_check_attach(pid));
	process = process_create(target, pid);
	process->attached = process->survives = true;
	error = attach_threads(target, pid);
	target->stopping = false;
	process = target_find_process(target, pid);
	if (!error) {
		error = process_open_memory(process);
		if (error && error_errno(error) == EACCES) {
			error_destroy(error);
			error = explain_refusal(pid, pid, EACCES);
		}
	}
	if (!error) {
		*out = process;
		return NULL;
	}
	if (process)
		target_let_go(process);
	target_disarm_tick(target);
	return error;
}
