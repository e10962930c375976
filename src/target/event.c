/*
 * event.c - what the kernel reports, made into events
 *
 * Each thread is resumed, by its event's handler or here, before the next
 * wait; so none is reported twice.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "internal.h"
#include "proc.h"

/* An event in the form of a ptrace status shifted right by 8. */
#define EVENT_CODE(event) (SIGTRAP | (event) << 8)

/* The stack a program or thread begins on, as seen before it executes
 * anything. */
static struct error *note_first_sp(struct thread *thread)
{
	uint64_t sp;

	TRY(target_get_reg(thread, offsetof(struct user_regs_struct, rsp),
			   &sp));
	thread->first_sp = sp;
	return NULL;
}

struct error *settle_thread(struct thread *thread, int status)
{
	while (status >> 16 != PTRACE_EVENT_STOP) {
		int signal = 0;

		/* a signal is delivered first; the stop comes right after */
		if (is_signal_stop(status)) {
			restart_call(thread);
			signal = WSTOPSIG(status);
		}
		if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) < 0 ||
		    ptrace(PTRACE_CONT, thread->tid, 0, (long)signal) < 0)
			return ptrace_error(thread, "interrupt");
		TRY(wait_for_thread(thread, &status));
	}
	note_event_stop(thread, WSTOPSIG(status));
	thread->state = THREAD_STOPPED;
	thread->in_call = false;
	return NULL;
}

struct error *settle_after_event(struct thread *thread)
{
	return settle_thread(thread, 0);
}

/* A stop that came before its creator's event told us whose it is. */
static void note_early(struct target *target, pid_t tid, int stop_signal)
{
	map_set(&target->early, (uint64_t)tid, (void *)(intptr_t)stop_signal);
}

/* The first stop of a thread that was just announced. */
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
	thread->group_stopped = stop_signal != SIGTRAP;
	thread->state = THREAD_STOPPED;
	return note_first_sp(thread);
}

/* It was killed before it was born: only its parent is left to go on. */
static struct error *forget_unborn(struct thread *thread, struct thread *parent,
				   struct error *error)
{
	struct process *process = thread->process;

	if (error_code(error) != ERROR_GONE)
		return error;
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

/* A process or thread `tid` that `parent` has made. */
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
		error = process_open_memory(process);
	if (error)
		return forget_unborn(thread, parent, error);
	event->kind = new_process ? EVENT_FORK : EVENT_THREAD_NEW;
	event->process = process;
	event->thread = thread;
	event->parent = parent;
	return NULL;
}

static struct error *on_clone(struct thread *parent, int ptrace_event,
			      struct event *event)
{
	struct target *target = parent->process->target;
	unsigned long message;

	parent->state = THREAD_STOPPED;
	parent->in_call = true;
	parent->group_stopped = false;
	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &message) < 0)
		return ptrace_error(parent, "new thread");
	if (map_get(&target->threads, message))
		/* it was taken for another's orphan: see find_orphan() */
		return target_resume(parent);
	return on_birth(parent, (pid_t)message, ptrace_event, event);
}

/* Who waited in vfork for this one waits no more. */
static void free_vfork_parent(struct target *target,
			      const struct process *child)
{
	for (size_t i = 0; i < target->ring.count; i++)
		if (target->ring.data[i]->vfork_child == child->pid)
			target->ring.data[i]->vfork_child = 0;
}

/*
 * An orphan's parent is whoever takes in orphans. If that is a process of ours,
 * it may just as well have made the child and be about to say so; then it does
 * no harm to take this for a child of the dead one if that has run the same
 * program, at the same addresses.
 */
static bool is_taken_in(struct target *target, const struct process *maker,
			pid_t tid, pid_t parent)
{
	struct proc_stat stat;

	return !map_get(&target->processes, (uint64_t)parent) ||
	       (proc_stat(tid, tid, &stat) &&
		stat.start_brk == maker->start_brk &&
		!have_one_memory(parent, tid, true));
}

/* Is it traced by us, and will its maker not tell of it? */
static bool is_orphan(struct target *target, const struct process *maker,
		      bool has_ended, pid_t tid)
{
	struct proc_status status;

	return proc_status(tid, tid, &status) && status.pid == tid &&
	       status.tracer == getpid() &&
	       (status.parent == maker->pid ||
		(has_ended && is_taken_in(target, maker, tid, status.parent)));
}

/* One that has not stopped yet is found only where all are. */
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

/*
 * A child whose maker was killed before it could tell of it: with its process,
 * or by the exec of another thread. `status` is that of the end or the exec. A
 * thread alone that goes of its own will has told of all its children.
 */
static pid_t find_orphan(struct target *target, const struct process *maker,
			 int status)
{
	bool has_ended = !WIFSTOPPED(status);
	size_t cursor = 0;
	uint64_t tid;

	if (!WIFSIGNALED(status) && !maker->had_threads)
		return 0;
	while (map_next(&target->early, &cursor, &tid))
		if (is_orphan(target, maker, has_ended, (pid_t)tid))
			return (pid_t)tid;
	return find_new_orphan(target, maker, has_ended);
}

/* It is told of first; what was reported of its maker comes after it. */
static struct error *tell_of_orphan(struct thread *maker, pid_t orphan,
				    int status, struct event *event)
{
	vec_push(&maker->process->target->ends,
		 (struct found_end){maker->tid, status});
	maker->state = THREAD_RUNNING;
	return on_birth(maker, orphan, PTRACE_EVENT_FORK, event);
}

static struct error *on_exec(struct thread *thread, int status,
			     struct event *event)
{
	struct process *process = thread->process;
	struct target *target = process->target;
	pid_t orphan = find_orphan(target, process, status);

	/* of a thread that the exec has ended */
	if (orphan)
		return tell_of_orphan(thread, orphan, status, event);

	/* the others are gone, and whoever called exec now has this tid */
	for (size_t i = process->threads.count; i-- > 0;) {
		struct thread *other = process->threads.data[i];

		if (other != thread) {
			thread_unlink(other);
			free(other);
		}
	}
	free_vfork_parent(target, process);
	process->had_threads = false;
	thread->serial = ++target->next_serial;
	thread->first_sp = thread->stack_low = 0;
	thread->vfork_child = 0;
	process->shares_memory = false;
	process->scripts = process->scripts_size = 0;
	TRY(settle_after_event(thread));
	TRY(note_first_sp(thread));
	TRY(process_open_memory(process));
	event->kind = EVENT_EXEC;
	event->process = process;
	event->thread = thread;
	return NULL;
}

/*
 * exec by a thread of a process whose leader had ended before it was attached
 * to: it has the leader's tid now.
 */
static struct thread *find_former(struct target *target, pid_t tid)
{
	struct thread *thread;
	unsigned long former;

	if (ptrace(PTRACE_GETEVENTMSG, tid, 0, &former) < 0)
		return NULL;
	thread = map_remove(&target->threads, former);
	if (thread) {
		thread->tid = tid;
		map_set(&target->threads, (uint64_t)tid, thread);
	}
	return thread;
}

bool has_queued_trap(const struct thread *thread)
{
	struct __ptrace_peeksiginfo_args args = {.nr = 8};
	siginfo_t infos[8];

	for (;;) {
		long count =
			ptrace(PTRACE_PEEKSIGINFO, thread->tid, &args, infos);

		if (count <= 0)
			return false;
		for (long i = 0; i < count; i++)
			if (infos[i].si_signo == SIGTRAP &&
			    infos[i].si_code > 0)
				return true;
		args.off += (uint64_t)count;
	}
}

/* A stop by PTRACE_INTERRUPT, or of job control. */
static void on_event_stop(struct thread *thread, int stop_signal)
{
	note_event_stop(thread, stop_signal);
	if (thread->process->target->stopping) {
		if (has_queued_trap(thread))
			/* reported next; then it is interrupted again */
			thread_continue(thread, 0);
		else
			thread->state = THREAD_STOPPED;
	} else if (thread->group_stopped) {
		ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
	} else {
		thread_continue(thread, 0);
	}
}

static struct error *on_process_end(struct thread *thread, int status,
				    struct event *event)
{
	struct process *process = thread->process;
	struct target *target = process->target;
	pid_t orphan = find_orphan(target, process, status);

	if (orphan)
		return tell_of_orphan(thread, orphan, status, event);
	event->kind = EVENT_PROCESS_GONE;
	event->process = process;
	event->status = status;
	free_vfork_parent(target, process);
	map_remove(&target->processes, (uint64_t)process->pid);
	target->dead_process = process;
	if (!target->processes.count)
		/* whoever reads a terminal next wants no ticks */
		target_disarm_tick(target);
	return NULL;
}

static struct error *on_end(struct thread *thread, int status,
			    struct event *event)
{
	struct process *process = thread->process;

	/* the leader's end comes last; a leader that had ended before the
	 * process was attached to is never told of */
	if (thread->tid == process->pid || process->threads.count == 1)
		return on_process_end(thread, status, event);
	event->kind = EVENT_THREAD_GONE;
	event->process = process;
	event->status = status;
	event->thread = thread;
	thread_unlink(thread);
	process->target->dead_thread = thread;
	return NULL;
}

static struct error *on_signal_stop(struct thread *thread, int signal,
				    struct event *event)
{
	thread->state = THREAD_AT_TRAP;
	event->thread = thread;
	event->process = thread->process;
	event->signal = signal;
	if (signal != SIGTRAP) {
		restart_call(thread);
		event->kind = EVENT_SIGNAL;
		return NULL;
	}
	event->kind = EVENT_TRAP;
	return target_get_reg(thread, offsetof(struct user_regs_struct, rip),
			      &event->pc);
}

/* A thread of nobody, or of nobody yet, has stopped: `status` is consumed. */
static void on_stranger(struct target *target, pid_t tid, int status)
{
	if (map_remove(&target->leaving, (uint64_t)tid))
		ptrace(PTRACE_DETACH, tid, 0,
		       is_signal_stop(status) ? (long)WSTOPSIG(status) : 0);
	else
		note_early(target, tid, WSTOPSIG(status));
}

/* At a system call of a thread that tells of returns. */
static struct error *on_call_stop(struct thread *thread, struct event *event)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, sizeof(info), &info) <
	    0)
		return ptrace_error(thread, "system call");
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && thread->in_return) {
		thread->in_return = false;
		thread->state = THREAD_STOPPED;
		event->kind = EVENT_RETURN;
		event->process = thread->process;
		event->thread = thread;
		event->pc = info.instruction_pointer;
		return NULL;
	}
	thread->in_return = info.op == PTRACE_SYSCALL_INFO_ENTRY &&
			    info.entry.nr == SYS_rt_sigreturn;
	return thread_go_on(thread, 0);
}

/* One report of the kernel; event->kind stays EVENT_NONE if it was handled. */
static struct error *dispatch(struct target *target, pid_t tid, int status,
			      struct event *event)
{
	struct thread *thread = target->last;

	if (!thread || thread->tid != tid)
		thread = map_get(&target->threads, (uint64_t)tid);
	if (thread)
		/* whoever reports anything waits for nobody */
		thread->vfork_child = 0;
	if (is_signal_stop(status) && thread) {
		target->last = thread;
		return on_signal_stop(thread, WSTOPSIG(status), event);
	}
	if (!target->consumed && !consume(tid, &status))
		return NULL;
	if (!WIFSTOPPED(status)) {
		map_remove(&target->early, (uint64_t)tid);
		map_remove(&target->leaving, (uint64_t)tid);
		return thread ? on_end(thread, status, event) : NULL;
	}
	if (!thread && status >> 8 == EVENT_CODE(PTRACE_EVENT_EXEC))
		thread = find_former(target, tid);
	if (!thread) {
		on_stranger(target, tid, status);
		return NULL;
	}
	switch (status >> 8) {
	case EVENT_CODE(PTRACE_EVENT_FORK):
	case EVENT_CODE(PTRACE_EVENT_VFORK):
	case EVENT_CODE(PTRACE_EVENT_CLONE):
		return on_clone(thread, status >> 16, event);
	case EVENT_CODE(PTRACE_EVENT_EXEC):
		return on_exec(thread, status, event);
	default:
		if (status >> 16 == PTRACE_EVENT_STOP)
			on_event_stop(thread, WSTOPSIG(status));
		else
			return on_call_stop(thread, event);
		return NULL;
	}
}

static void bury(struct target *target)
{
	free(target->dead_thread);
	target->dead_thread = NULL;
	process_destroy(target->dead_process);
	target->dead_process = NULL;
}

static bool all_are_quiet(const struct target *target)
{
	for (size_t i = 0; i < target->ring.count; i++)
		if (!thread_is_quiet(target->ring.data[i]))
			return false;
	return true;
}

/* Until there is an event, or the wait was interrupted. */
static struct error *find_event(struct target *target, struct event *event)
{
	struct error *error;
	bool got = true;
	pid_t tid;
	int status;

	while (event->kind == EVENT_NONE && got) {
		if (!target->processes.count) {
			event->kind = EVENT_EMPTY;
			break;
		}
		if (target->stopping && all_are_quiet(target)) {
			event->kind = EVENT_ALL_STOPPED;
			break;
		}
		target->consumed = target->ends.count > 0;
		TRY(next_report(target, &tid, &status, &got));
		event->time = clock_now(target->clock);
		if (!got)
			break;
		error = dispatch(target, tid, status, event);
		if (error && error_code(error) == ERROR_GONE) {
			/* killed meanwhile: its end will be reported */
			error_destroy(error);
			event->kind = EVENT_NONE;
		} else if (error) {
			return error;
		}
	}
	return NULL;
}

struct error *target_wait(struct target *target, struct event *event)
{
	*event = (struct event){.kind = EVENT_NONE};
	bury(target);
	target_arm_tick(target);
	TRY(find_event(target, event));
	if (event->kind == EVENT_EMPTY || event->kind == EVENT_ALL_STOPPED) {
		target->stopping = false;
		target_disarm_tick(target);
		event->time = clock_now(target->clock);
	}
	return NULL;
}
