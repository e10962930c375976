/*
 * event.c - turns the reports of the kernel into events
 *
 * Each thread that has reported is resumed before the next wait, either by this
 * file or by the handler of its event. So the tool takes no report twice.
 */
#include <errno.h>
#include <linux/audit.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "perftool/target/target_events.h"
#include "target/proc/proc.h"
#include "target_state.h"

/* A ptrace event in the form that it has in a status of wait(2), shifted right
 * by 8. */
#define EVENT_CODE(event) (SIGTRAP | (event) << 8)

struct error *settle_thread(struct thread *thread, int status)
{
	while (status >> 16 != PTRACE_EVENT_STOP) {
		int signal = 0;

		/* The tool delivers the signal, and the stop by
		 * PTRACE_INTERRUPT follows immediately. */
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
	struct error *error = settle_thread(thread, 0);

	/* after this error the thread has not gone on: it is still stopped */
	if (error && error_code(error) == ERROR_SYSTEM)
		thread->state = THREAD_STOPPED;
	return error;
}

/* The child has ended or has executed a program, so no thread waits in vfork
 * for the child any more. */
static void free_vfork_parent(struct target *target,
			      const struct process *child)
{
	for (size_t i = 0; i < target->ring.count; i++)
		if (target->ring.data[i]->vfork_child == child->pid)
			target->ring.data[i]->vfork_child = 0;
}

static struct error *on_exec(struct thread *thread, int status,
			     struct event *event)
{
	struct process *process = thread->process;
	struct target *target = process->target;
	pid_t orphan = find_orphan(target, process, status);

	/* the creator of the orphan is a thread that the exec has ended */
	if (orphan)
		return tell_of_orphan(thread, orphan, status, event);

	/* The other threads have ended, and the thread that called exec now has
	 * the tid of the leader. */
	for (size_t i = process->threads.count; i-- > 0;) {
		struct thread *other = process->threads.data[i];

		if (other != thread) {
			thread_unlink(other);
			free(other);
		}
	}
	free_vfork_parent(target, process);
	process->had_threads = false;
	thread->is_watching = false;
	thread->watches = 0;
	thread->serial = ++target->next_serial;
	thread->first_sp = thread->stack_low = 0;
	thread->vfork_child = 0;
	process->shares_memory = false;
	process->scripts = process->scripts_size = 0;
	TRY(settle_after_event(thread));
	TRY(note_first_sp(thread));
	TRY(process_open_new_memory(process));
	event->kind = EVENT_EXEC;
	event->process = process;
	event->thread = thread;
	return NULL;
}

/*
 * A thread has called exec in a process whose leader had ended before the tool
 * attached to the process. The thread now has the tid of the leader. Find the
 * thread by its former tid, and enter the new tid.
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

static bool is_fault(const siginfo_t *info, uint64_t mask)
{
	return info->si_code > 0 && info->si_signo < SIGRTMIN &&
	       SYNCHRONOUS & ~mask & SIGNAL_BIT(info->si_signo);
}

bool has_queued_fault(const struct thread *thread)
{
	struct __ptrace_peeksiginfo_args args = {.nr = 8};
	siginfo_t infos[8];
	uint64_t mask;

	if (ptrace(PTRACE_GETSIGMASK, thread->tid, sizeof(mask), &mask) < 0)
		return false;
	for (;;) {
		long count =
			ptrace(PTRACE_PEEKSIGINFO, thread->tid, &args, infos);

		if (count <= 0)
			return false;
		for (long i = 0; i < count; i++)
			if (is_fault(&infos[i], mask))
				return true;
		args.off += (uint64_t)count;
	}
}

void on_event_stop(struct thread *thread, int stop_signal)
{
	note_event_stop(thread, stop_signal);
	glance_at(thread);
	if (thread->process->target->stopping) {
		if (has_queued_fault(thread))
			/* The thread reports the fault next. When the tool
			 * resumes the thread after that, the tool interrupts it
			 * again. */
			thread_continue(thread, 0);
		else
			thread->state = THREAD_STOPPED;
	} else if (thread->stopped_by) {
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
		/* The next code that reads from a terminal must not be
		 * interrupted by ticks. */
		target_disarm_tick(target);
	return NULL;
}

static struct error *on_end(struct thread *thread, int status,
			    struct event *event)
{
	struct process *process = thread->process;

	/* The end of the leader is reported last. If the leader had ended
	 * before the tool attached to the process, the end of the leader is
	 * never reported, so the process ends with its last thread. */
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
	glance_at(thread);
	event->thread = thread;
	event->process = thread->process;
	event->signal = signal;
	if (signal != SIGTRAP) {
		restart_call(thread);
		event->kind = EVENT_SIGNAL;
		return NULL;
	}
	event->kind = EVENT_TRAP;
	if (thread->regs_wanted) {
		TRY(target_get_regs(thread, &event->regs));
		event->has_regs = true;
		event->pc = event->regs.rip;
		event->sp = event->regs.rsp;
		return NULL;
	}
	return target_get_pc(thread, &event->pc, &event->sp);
}

/* An unknown thread has stopped, or a thread whose creator has not reported it
 * yet. The report is consumed, and had this `status`. */
static void on_stranger(struct target *target, pid_t tid, int status)
{
	if (map_remove(&target->leaving, (uint64_t)tid)) {
		watch_nothing(tid);
		ptrace(PTRACE_DETACH, tid, 0,
		       is_signal_stop(status) ? (long)WSTOPSIG(status) : 0);
	} else {
		note_early(target, tid, WSTOPSIG(status));
	}
}

/* Does target_tell_calls() name this system call? */
static bool is_told(const struct target *target, uint64_t number)
{
	return target->tells_calls && number < TARGET_MOST_CALLS &&
	       target->told_calls[number / 64] >> number % 64 & 1;
}

/* Remember a call that is to be told when the thread returns from it. */
static void note_call(struct thread *thread,
		      const struct __ptrace_syscall_info *info)
{
	thread->in_told_call = false;
	if (info->op != PTRACE_SYSCALL_INFO_ENTRY ||
	    info->arch != AUDIT_ARCH_X86_64 ||
	    !is_told(thread->process->target, info->entry.nr))
		return;
	thread->in_told_call = true;
	thread->call.number = (int)info->entry.nr;
	memcpy(thread->call.args, info->entry.args, sizeof(thread->call.args));
}

static struct error *handle_call(struct thread *thread, struct event *event)
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
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && thread->in_told_call) {
		thread->in_told_call = false;
		thread->call.result = info.exit.rval;
		thread->state = THREAD_STOPPED;
		event->kind = EVENT_CALL;
		event->process = thread->process;
		event->thread = thread;
		return NULL;
	}
	thread->in_return = info.op == PTRACE_SYSCALL_INFO_ENTRY &&
			    info.entry.nr == SYS_rt_sigreturn;
	note_call(thread, &info);
	return thread_go_on(thread, 0);
}

/* Handle a system call stop of a thread with `tells_return`. */
static struct error *on_call_stop(struct thread *thread, struct event *event)
{
	struct target *target = thread->process->target;
	struct error *error = handle_call(thread, event);

	if (target->tells_calls) {
		target->call_stops.count++;
		if (event->kind == EVENT_NONE)
			target->call_stops.ns +=
				clock_now(target->clock) - event->time;
	}
	/* After the error the thread stays in this stop and reports nothing
	 * more. With this state target_finish_calls() finds the thread and lets
	 * it go on; otherwise a stop of all threads would wait for this thread
	 * for ever. */
	if (error) {
		thread->state = THREAD_STOPPED;
		thread->in_call = true;
	}
	return error;
}

/* Handle one report of the kernel. event->kind stays EVENT_NONE if the caller
 * need not know of the report. */
static struct error *dispatch(struct target *target, pid_t tid, int status,
			      struct event *event)
{
	struct thread *thread = target->last;

	if (!thread || thread->tid != tid)
		thread = map_get(&target->threads, (uint64_t)tid);
	if (thread) {
		/* A thread that reports anything does not wait in the kernel
		 * any more. */
		thread->vfork_child = 0;
		thread->is_stuck = thread->is_stuck_told = false;
	}
	if (is_signal_stop(status) && thread) {
		target->last = thread;
		return on_signal_stop(thread, WSTOPSIG(status), event);
	}
	if (!target->consumed && !WIFSTOPPED(status))
		note_end(target, tid);
	if (!target->consumed && !consume(tid, &status))
		return NULL;
	if (!WIFSTOPPED(status)) {
		if (tid == target->launched) {
			target->has_launched_end = true;
			target->launched_end = status;
		}
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
	if (target->dead_process)
		process_destroy(target->dead_process);
	target->dead_process = NULL;
}

/* Are all threads quiet? The search begins at the thread that it ended at the
 * last time, because it is made after the report of each of many threads. */
static bool all_are_quiet(struct target *target)
{
	const size_t count = target->ring.count;

	for (size_t i = 0; i < count; i++) {
		size_t at = (target->not_quiet + i) % count;

		if (!thread_is_quiet(target->ring.data[at])) {
			target->not_quiet = at;
			return false;
		}
	}
	return true;
}

/* Take reports until there is an event, or until the wait is interrupted. */
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
		if (target->stopping)
			stuck_look(target);
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
			/* The thread was killed meanwhile. Its end will be
			 * reported. */
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
	/* The registers come last and are not set to zero: nobody reads them
	 * unless `has_regs` is set, and to clear them takes time at each hit.
	 */
	memset(event, 0, offsetof(struct event, regs));
	event->kind = EVENT_NONE;
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

void target_get_call_stops(const struct target *target, struct call_stops *out)
{
	*out = target->call_stops;
}

void target_tell_calls(struct target *target, const int *numbers, size_t count)
{
	memset(target->told_calls, 0, sizeof(target->told_calls));
	target->tells_calls = count > 0;
	for (size_t i = 0; i < count; i++)
		target->told_calls[numbers[i] / 64] |= UINT64_C(1)
						       << numbers[i] % 64;
	/* A call that a thread is in now began before. */
	for (size_t i = 0; i < target->ring.count; i++)
		target->ring.data[i]->in_told_call = false;
}
