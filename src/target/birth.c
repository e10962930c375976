/*
 * birth.c - notices new processes and threads
 *
 * The kernel traces each process and each thread that a traced thread creates,
 * from its birth on. There are two reports: the creator reports the birth, and
 * the new thread stops before its first instruction. Either report may come
 * first. If the creator is killed before it has reported the birth, its child
 * is an orphan. The tool looks for orphans when the end of the creator is
 * reported.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "target/attach/attach.h"
#include "target/proc/proc.h"
#include "target_state.h"

struct error *note_first_sp(struct thread *thread)
{
	struct error *error =
		target_get_reg(thread, offsetof(struct user_regs_struct, rsp),
			       &thread->first_sp);

	/* if the register cannot be read, first_sp stays 0 */
	return error_unless(error, ERROR_SYSTEM);
}

void note_early(struct target *target, pid_t tid, int stop_signal)
{
	map_set(&target->early, (uint64_t)tid, (void *)(intptr_t)stop_signal);
}

/* Wait for the first stop of a thread that was just reported by its creator. */
static struct error *wait_for_birth(struct thread *thread)
{
	struct target *target = thread->process->target;
	int stop_signal = (int)(intptr_t)map_remove(&target->early,
						    (uint64_t)thread->tid);
	int status;

	if (!stop_signal) {
		TRY(wait_for_thread(thread, &status));
		stop_signal = WSTOPSIG(status);
	}
	thread->stopped_by = stop_signal == SIGTRAP ? 0 : stop_signal;
	thread->state = THREAD_STOPPED;
	return note_first_sp(thread);
}

/* Resume the creator after an error, too: the creator is in the middle of a
 * system call, and the tool must not leave it there. */
static struct error *go_on_after(struct thread *parent, struct error *error)
{
	return error_first(error, target_resume(parent));
}

/* If the new thread was killed before its first stop (ERROR_GONE), forget the
 * new thread. After any error the creator goes on. */
static struct error *forget_unborn(struct thread *thread, struct thread *parent,
				   struct error *error)
{
	struct process *process = thread->process;

	if (error_code(error) != ERROR_GONE)
		return go_on_after(parent, error);
	error_destroy(error);
	if (process == parent->process) {
		thread_unlink(thread);
		free(thread);
	} else {
		map_remove(&process->target->processes, (uint64_t)process->pid);
		process_destroy(process);
	}
	return target_resume(parent);
}

/* Handle the birth of a process or thread `tid` that `parent` has created. */
static struct error *on_birth(struct thread *parent, pid_t tid,
			      int ptrace_event, struct event *event)
{
	struct process *process = parent->process;
	struct thread *thread;
	struct error *error;
	bool new_process;

	new_process = ptrace_event != PTRACE_EVENT_CLONE ||
		      proc_tgid(tid) != process->pid;
	if (new_process) {
		process = process_create(process->target, tid);
		process->shares_memory = have_one_memory(
			parent->tid, tid, ptrace_event != PTRACE_EVENT_FORK);
		process->attached = parent->process->attached;
		process->survives = parent->process->survives;
		if (ptrace_event == PTRACE_EVENT_VFORK)
			parent->vfork_child = tid;
		if (process->shares_memory) {
			process->scripts = parent->process->scripts;
			process->scripts_size = parent->process->scripts_size;
		}
	}
	thread = thread_create(process, tid);
	error = wait_for_birth(thread);
	if (!error && new_process)
		error = process_open_new_memory(process);
	if (error)
		return forget_unborn(thread, parent, error);
	event->kind = new_process ? EVENT_FORK : EVENT_THREAD_NEW;
	event->process = process;
	event->thread = thread;
	event->parent = parent;
	return NULL;
}

struct error *on_clone(struct thread *parent, int ptrace_event,
		       struct event *event)
{
	struct target *target = parent->process->target;
	unsigned long message;

	parent->state = THREAD_STOPPED;
	parent->in_call = true;
	parent->stopped_by = 0;
	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &message) < 0)
		return go_on_after(parent, ptrace_error(parent, "new thread"));
	if (map_get(&target->threads, message))
		/* The tool has handled this birth already, because it took the
		 * child for an orphan of another process: find_orphan(). */
		return target_resume(parent);
	return on_birth(parent, (pid_t)message, ptrace_event, event);
}

/* ---- orphans ----------------------------------------------------------- */

/*
 * When the creator of an orphan has ended, another process takes in the orphan
 * and is its parent then. May `tid`, whose parent is now `parent`, be an orphan
 * of `maker`?
 *
 * If `parent` is a traced process, it may just as well have created the child
 * itself, and be about to report it. The tool then takes the child for an
 * orphan of `maker` if the child runs the same program at the same addresses as
 * `maker` did, and does not share the memory of `parent`. The event of the
 * birth says that this is a guess (`is_guess`).
 */
static bool is_taken_in(struct target *target, const struct process *maker,
			pid_t tid, pid_t parent)
{
	const struct process *taker = target_find_process(target, parent);
	struct proc_stat stat;

	return !taker || (proc_stat(tid, tid, &stat) &&
			  stat.start_brk == maker->start_brk &&
			  !have_one_memory(living_thread(taker), tid, true));
}

/* Is `tid` a process that the tool traces, and will its creator never report
 * it, because the creator was a thread of `maker` that was killed? `has_ended`:
 * the whole process `maker` has ended, so `tid` may have another parent now. */
static bool is_orphan(struct target *target, const struct process *maker,
		      bool has_ended, pid_t tid)
{
	struct proc_status status;
	struct proc_stat stat;

	/* the kernel reports the end of `tid` even if no creator reports its
	 * birth */
	if (!proc_stat(tid, tid, &stat) || proc_has_ended(stat.state))
		return false;
	return proc_status(tid, tid, &status) && status.pid == tid &&
	       status.tracer == gettid() &&
	       (status.parent == maker->pid ||
		(has_ended && is_taken_in(target, maker, tid, status.parent)));
}

/* Search all processes of /proc for an orphan of `maker` (a process whose birth
 * `maker` was killed too early to report). The table of threads that stopped
 * before their birth was reported does not suffice: an orphan that has not
 * stopped yet is not in it. */
static pid_t find_new_orphan(struct target *target, const struct process *maker,
			     bool has_ended)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (directory && !found && (entry = readdir(directory))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && !map_get(&target->threads, (uint64_t)tid) &&
		    !map_get(&target->leaving, (uint64_t)tid) &&
		    is_orphan(target, maker, has_ended, tid))
			found = tid;
	}
	if (directory)
		closedir(directory);
	return found;
}

pid_t find_orphan(struct target *target, const struct process *maker,
		  int status)
{
	bool has_ended = !WIFSTOPPED(status);
	size_t cursor = 0;
	uint64_t tid;

	/* If the process had only one thread and this thread has ended or
	 * called exec by itself, it has reported all its children. */
	if (!WIFSIGNALED(status) && !maker->had_threads)
		return 0;
	while (map_next(&target->early, &cursor, &tid))
		if (is_orphan(target, maker, has_ended, (pid_t)tid))
			return (pid_t)tid;
	return find_new_orphan(target, maker, has_ended);
}

struct error *tell_of_orphan(struct thread *maker, pid_t orphan, int status,
			     struct event *event)
{
	struct target *target = maker->process->target;
	struct proc_status found;

	vec_push(&target->ends, (struct found_end){maker->tid, status});
	maker->state = THREAD_RUNNING;
	event->is_guess =
		proc_status(orphan, orphan, &found) &&
		found.parent != maker->process->pid &&
		map_get(&target->processes, (uint64_t)found.parent) != NULL;
	return on_birth(maker, orphan, PTRACE_EVENT_FORK, event);
}
