/*
 * wait.c - the one owner of waits
 *
 * target_wait() peeks at what waitid() reports. Signal stops are left as they
 * are: the thread is resumed from them by its event's handler, and should the
 * tool die before that, the signal is still there. Event stops and ends are
 * consumed here.
 *
 * Which thread is reported first is the kernel's choice; each is resumed
 * before the next wait, so none is reported twice.
 */
#include <errno.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

/* An event in the form of a ptrace status shifted right by 8. */
#define EVENT_CODE(event) (SIGTRAP | (event) << 8)

static void on_tick(int signal)
{
	(void)signal; /* it only has to interrupt the wait */
}

/*
 * A wait ends at least every tenth of a second. A signal that sets a flag
 * between the caller's look at the flag and the wait is so never missed for
 * longer than that, and whoever waits can look after other things.
 */
static void arm_tick(struct target *target)
{
	struct sigaction action = {.sa_handler = on_tick};
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGALRM};
	struct itimerspec period = {{0, 100000000}, {0, 100000000}};

	if (target->has_tick)
		return;
	sigaction(SIGALRM, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &how, &target->tick) == 0) {
		timer_settime(target->tick, 0, &period, NULL);
		target->has_tick = true;
	}
}

void target_disarm_tick(struct target *target)
{
	if (target->has_tick)
		timer_delete(target->tick);
	target->has_tick = false;
}

/* Peek; *status as of wait(2). False: nothing there, errno says why. */
static bool peek(idtype_t type, pid_t tid, siginfo_t *info, int *status)
{
	info->si_pid = 0;
	if (waitid(type, (id_t)tid, info,
		   WEXITED | WSTOPPED | __WALL | WNOWAIT) < 0)
		return false;
	if (info->si_code == CLD_TRAPPED || info->si_code == CLD_STOPPED)
		*status = info->si_status << 8 | 0x7f;
	else if (info->si_code == CLD_EXITED)
		*status = info->si_status << 8;
	else
		*status = info->si_status |
			  (info->si_code == CLD_DUMPED ? 0x80 : 0);
	return true;
}

static bool is_signal_stop(int status)
{
	return WIFSTOPPED(status) && status >> 16 == 0 &&
	       !(WSTOPSIG(status) & 0x80);
}

/* Consume what was peeked at. It may be an end by now: a thread can be killed
 * in between. */
static int consume(pid_t tid, int status)
{
	int now = status;

	while (waitpid(tid, &now, __WALL) < 0 && errno == EINTR)
		;
	return now;
}

struct error *wait_for_thread(struct thread *thread, int *status)
{
	struct target *target = thread->process->target;
	siginfo_t info;

	while (!peek(P_PID, thread->tid, &info, status))
		if (errno != EINTR)
			return ptrace_error(thread, "wait");
	if (WIFSTOPPED(*status) && !is_signal_stop(*status)) {
		*status = consume(thread->tid, *status);
		if (!WIFSTOPPED(*status))
			vec_push(&target->ends,
				 (struct found_end){thread->tid, *status});
	}
	if (!WIFSTOPPED(*status))
		/* for target_wait() to report */
		return error_create(ERROR_GONE, "thread %d has ended",
				    thread->tid);
	return NULL;
}

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

struct error *settle_after_event(struct thread *thread)
{
	int status;

	for (;;) {
		if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) < 0 ||
		    ptrace(PTRACE_CONT, thread->tid, 0, 0) < 0)
			return ptrace_error(thread, "interrupt");
		TRY(wait_for_thread(thread, &status));
		if (status >> 16 == PTRACE_EVENT_STOP)
			break;
		if (is_signal_stop(status)) {
			restart_call(thread);
			/* delivered first; the stop comes right after */
			ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
			ptrace(PTRACE_CONT, thread->tid, 0,
			       (long)WSTOPSIG(status));
			TRY(wait_for_thread(thread, &status));
			if (status >> 16 == PTRACE_EVENT_STOP)
				break;
		}
	}
	note_event_stop(thread, WSTOPSIG(status));
	thread->state = THREAD_STOPPED;
	return NULL;
}

/* A stop that came before its creator's event told us whose it is. */
static void note_early(struct target *target, pid_t tid)
{
	static char present;

	map_set(&target->early, (uint64_t)tid, &present);
}

/* The first stop of a thread that was just announced. */
static struct error *wait_for_birth(struct thread *thread)
{
	struct target *target = thread->process->target;
	int status;

	if (!map_remove(&target->early, (uint64_t)thread->tid))
		TRY(wait_for_thread(thread, &status));
	thread->state = THREAD_STOPPED;
	return note_first_sp(thread);
}

/* Do the two have one memory? As the kernel sees it, where it tells. */
static bool share_memory(pid_t parent, pid_t child, int ptrace_event)
{
	long difference = syscall(SYS_kcmp, parent, child, KCMP_VM, 0, 0);

	return difference < 0 ? ptrace_event != PTRACE_EVENT_FORK
			      : difference == 0;
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

static struct error *on_clone(struct thread *parent, int ptrace_event,
			      struct event *event)
{
	struct process *process = parent->process;
	struct target *target = process->target;
	struct thread *thread;
	unsigned long message;
	struct error *error;
	bool new_process;
	pid_t tid;

	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &message) < 0)
		return ptrace_error(parent, "new thread");
	tid = (pid_t)message;
	new_process = ptrace_event != PTRACE_EVENT_CLONE ||
		      proc_tgid(tid) != process->pid;
	if (new_process) {
		process = process_create(target, tid);
		process->shares_memory =
			share_memory(parent->process->pid, tid, ptrace_event);
		if (ptrace_event == PTRACE_EVENT_VFORK)
			parent->vfork_child = tid;
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

static struct error *on_exec(struct thread *thread, struct event *event)
{
	struct process *process = thread->process;
	struct target *target = process->target;

	/* the others are gone, and whoever called exec now has this tid */
	for (size_t i = process->threads.count; i-- > 0;) {
		struct thread *other = process->threads.data[i];

		if (other != thread) {
			thread_unlink(other);
			free(other);
		}
	}
	thread->serial = ++target->next_serial;
	thread->first_sp = thread->stack_low = 0;
	process->shares_memory = false;
	TRY(settle_after_event(thread));
	TRY(note_first_sp(thread));
	TRY(process_open_memory(process));
	event->kind = EVENT_EXEC;
	event->process = process;
	event->thread = thread;
	return NULL;
}

/* A stop by PTRACE_INTERRUPT, or of job control. */
static void on_event_stop(struct thread *thread, int stop_signal)
{
	struct target *target = thread->process->target;

	thread->group_stopped = stop_signal != SIGTRAP;
	if (target->stopping && !thread->process->shares_memory)
		thread->state = THREAD_STOPPED;
	else if (thread->group_stopped)
		ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
	else
		ptrace(PTRACE_CONT, thread->tid, 0, 0);
}

static void on_end(struct thread *thread, int status, struct event *event)
{
	struct process *process = thread->process;
	struct target *target = process->target;

	event->process = process;
	event->status = status;
	if (thread->tid == process->pid) {
		event->kind = EVENT_PROCESS_GONE;
		map_remove(&target->processes, (uint64_t)process->pid);
		target->dead_process = process;
		if (!target->processes.count)
			/* whoever reads a terminal next wants no ticks */
			target_disarm_tick(target);
		return;
	}
	event->kind = EVENT_THREAD_GONE;
	event->thread = thread;
	thread_unlink(thread);
	target->dead_thread = thread;
}

static struct error *on_signal_stop(struct thread *thread, int signal,
				    struct event *event)
{
	thread->state = THREAD_AT_TRAP;
	event->thread = thread;
	event->process = thread->process;
	event->signal = signal;
	if (signal != SIGTRAP) {
		event->kind = EVENT_SIGNAL;
		return NULL;
	}
	event->kind = EVENT_TRAP;
	return target_get_reg(thread, offsetof(struct user_regs_struct, rip),
			      &event->pc);
}

/* One report of the kernel; event->kind stays EVENT_NONE if it was handled. */
static struct error *dispatch(struct target *target, pid_t tid, int status,
			      struct event *event)
{
	struct thread *thread = target->last;
	struct error *error = NULL;

	if (!thread || thread->tid != tid)
		thread = map_get(&target->threads, (uint64_t)tid);
	if (is_signal_stop(status) && thread) {
		target->last = thread;
		return on_signal_stop(thread, WSTOPSIG(status), event);
	}
	status = consume(tid, status);
	if (!WIFSTOPPED(status)) {
		map_remove(&target->early, (uint64_t)tid);
		if (thread)
			on_end(thread, status, event);
		return NULL;
	}
	if (!thread) {
		note_early(target, tid);
		return NULL;
	}
	switch (status >> 8) {
	case EVENT_CODE(PTRACE_EVENT_FORK):
	case EVENT_CODE(PTRACE_EVENT_VFORK):
	case EVENT_CODE(PTRACE_EVENT_CLONE):
		thread->state = THREAD_STOPPED;
		error = on_clone(thread, status >> 16, event);
		break;
	case EVENT_CODE(PTRACE_EVENT_EXEC):
		error = on_exec(thread, event);
		break;
	default:
		if (status >> 16 == PTRACE_EVENT_STOP)
			on_event_stop(thread, WSTOPSIG(status));
		else
			ptrace(PTRACE_CONT, thread->tid, 0, 0);
	}
	return error;
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
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&target->threads, &cursor, NULL)))
		if (!thread_is_quiet(thread))
			return false;
	return true;
}

/* The next report of the kernel. False: the wait was interrupted. */
static struct error *next_report(struct target *target, pid_t *tid, int *status,
				 bool *got)
{
	siginfo_t info;

	*got = true;
	if (target->ends.count) {
		*tid = target->ends.data[0].tid;
		*status = target->ends.data[0].status;
		vec_remove(&target->ends, 0);
	} else if (peek(P_ALL, 0, &info, status)) {
		*tid = info.si_pid;
	} else if (errno == EINTR) {
		*got = false;
	} else {
		return error_system(errno, "waitid");
	}
	return NULL;
}

struct error *target_wait(struct target *target, struct event *event)
{
	struct error *error;
	bool got;
	pid_t tid;
	int status;

	*event = (struct event){.kind = EVENT_NONE};
	bury(target);
	arm_tick(target);
	while (event->kind == EVENT_NONE) {
		if (!target->processes.count) {
			event->kind = EVENT_EMPTY;
			break;
		}
		if (target->stopping && all_are_quiet(target)) {
			event->kind = EVENT_ALL_STOPPED;
			break;
		}
		TRY(next_report(target, &tid, &status, &got));
		event->time = clock_now(target->clock);
		if (!got)
			return NULL;
		error = dispatch(target, tid, status, event);
		if (error && error_code(error) == ERROR_GONE) {
			/* killed meanwhile: its end will be reported */
			error_destroy(error);
			event->kind = EVENT_NONE;
		} else if (error) {
			return error;
		}
	}
	if (event->kind == EVENT_EMPTY || event->kind == EVENT_ALL_STOPPED) {
		target->stopping = false;
		target_disarm_tick(target);
		event->time = clock_now(target->clock);
	}
	return NULL;
}
