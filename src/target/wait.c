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
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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

static void consume(pid_t tid)
{
	int status;

	while (waitpid(tid, &status, __WALL) < 0 && errno == EINTR)
		;
}

struct error *wait_for_thread(struct thread *thread, int *status)
{
	siginfo_t info;

	while (!peek(P_PID, thread->tid, &info, status))
		if (errno != EINTR)
			return ptrace_error(thread, "wait");
	if (!WIFSTOPPED(*status))
		/* left for target_wait() to report */
		return error_create(ERROR_GONE, "thread %d has ended",
				    thread->tid);
	if (!is_signal_stop(*status))
		consume(thread->tid);
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
			/* delivered first; the stop comes right after */
			ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
			ptrace(PTRACE_CONT, thread->tid, 0,
			       (long)WSTOPSIG(status));
			TRY(wait_for_thread(thread, &status));
			if (status >> 16 == PTRACE_EVENT_STOP)
				break;
		}
	}
	thread_set_state(thread, THREAD_STOPPED);
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
	uint64_t sp;
	int status;

	if (!map_remove(&target->early, (uint64_t)thread->tid))
		TRY(wait_for_thread(thread, &status));
	thread_set_state(thread, THREAD_STOPPED);
	TRY(target_get_reg(thread, offsetof(struct user_regs_struct, rsp),
			   &sp));
	thread->first_sp = sp;
	return NULL;
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
	event->kind = EVENT_THREAD_NEW;
	if (new_process) {
		process = process_create(target, tid);
		process->shares_memory = ptrace_event != PTRACE_EVENT_FORK;
		event->kind = EVENT_FORK;
	}
	thread = thread_create(process, tid);
	error = wait_for_birth(thread);
	if (!error && new_process)
		error = process_open_memory(process);
	event->process = process;
	event->thread = thread;
	event->parent = parent;
	return error;
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
	TRY(process_open_memory(process));
	event->kind = EVENT_EXEC;
	event->process = process;
	event->thread = thread;
	return NULL;
}

/* A stop by PTRACE_INTERRUPT, or of job control. True: nothing to report. */
static bool on_event_stop(struct thread *thread, int stop_signal)
{
	struct target *target = thread->process->target;

	thread->group_stopped = stop_signal != SIGTRAP;
	if (target->stopping)
		thread_set_state(thread, THREAD_STOPPED);
	else if (thread->group_stopped)
		ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
	else
		ptrace(PTRACE_CONT, thread->tid, 0, 0);
	return true;
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
	thread_set_state(thread, THREAD_AT_TRAP);
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
	consume(tid);
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
		thread_set_state(thread, THREAD_STOPPED);
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

struct error *target_wait(struct target *target, struct event *event)
{
	siginfo_t info;
	int status;

	*event = (struct event){.kind = EVENT_NONE};
	bury(target);
	arm_tick(target);
	for (;;) {
		struct error *error;

		if (!target->processes.count) {
			event->kind = EVENT_EMPTY;
		} else if (target->stopping && !target->unstopped) {
			event->kind = EVENT_ALL_STOPPED;
		} else if (peek(P_ALL, 0, &info, &status)) {
			event->time = clock_now(target->clock);
			error = dispatch(target, info.si_pid, status, event);
			if (error && error_code(error) == ERROR_GONE) {
				/* killed meanwhile: its end will be reported */
				error_destroy(error);
				event->kind = EVENT_NONE;
				continue;
			}
			if (error || event->kind != EVENT_NONE)
				return error;
			continue;
		} else if (errno == EINTR) {
			event->time = clock_now(target->clock);
			return NULL;
		} else {
			return error_system(errno, "waitid");
		}
		target->stopping = false;
		target_disarm_tick(target);
		event->time = clock_now(target->clock);
		return NULL;
	}
}
