/*
 * attach.c - seizes the threads of a running process, and of the processes that
 * have the same memory
 *
 * The kernel traces the children of a seized thread from their birth on, but
 * not the children of a thread that is not yet seized. So the tool reads the
 * list of threads again until the list shows no new thread, and does the same
 * for the processes that have the same memory. A thread may end meanwhile.
 *
 * A thread in vfork(2) stops only when its child has left the memory. If
 * another thread of the process is STOPPED, the tool does not wait for the
 * thread in vfork(2): it seizes the child instead, and both stand still. If no
 * other thread is STOPPED, the tool lets the child go on, because the tool can
 * do nothing in a process without a STOPPED thread.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach.h"
#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "target/proc/proc.h"
#include "target/target_state.h"

#define PATIENCE 10 /* seconds within which all threads must stop */

/* How many times the tool tries to seize a thread that the kernel refuses. */
#define ATTEMPTS 10

/* The length of a tick while the tool attaches, in ns. After a tick the tool
 * looks why a thread has not stopped. */
#define LOOK_AFTER 5000000

/* The state while the tool attaches to a process. */
struct seizure {
	struct target *target;
	pid_t pid;
	time_t end; /* when the tool gives up; seconds of CLOCK_MONOTONIC */
};

static time_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Has the thread, which is seized, got the number of the first thread, because
 * it has called exec before the kernel carried out the seizure? If so, note
 * that, and ask it to stop. */
static bool is_leader_now(struct thread *thread)
{
	struct process *process = thread->process;
	struct target *target = process->target;
	struct thread *former = target_find_thread(target, process->pid);
	struct proc_status status;

	if (!proc_status(process->pid, process->pid, &status) ||
	    status.tracer != gettid())
		return false;
	if (former) {
		/* the end of the first thread is not reported */
		thread_unlink(former);
		free(former);
	}
	map_remove(&target->threads, (uint64_t)thread->tid);
	thread->tid = process->pid;
	map_set(&target->threads, (uint64_t)thread->tid, thread);
	ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	return true;
}

/* Seize a thread. If this fails and the error is not set, the thread has ended,
 * or it is seized already; `*again`: the thread exists, but the kernel has
 * refused with the errno `*refusal`. */
static struct error *try_to_seize(struct process *process, pid_t tid,
				  bool *found, bool *again, int *refusal)
{
	struct proc_status status;

	*again = false;
	if (ptrace(PTRACE_SEIZE, tid, 0, trace_options(process)) == 0) {
		struct thread *thread = thread_create(process, tid);

		*found = true;
		if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) == 0)
			return NULL;
		if (errno == ESRCH && is_leader_now(thread))
			return NULL;
		return error_unless(ptrace_error(thread, "interrupt"),
				    ERROR_GONE);
	}
	*refusal = errno;
	if (errno == EINTR) {
		/* An exec in the process waits until the tool reaps threads
		 * that have ended. */
		*found = true;
		return NULL;
	}
	if (!proc_status(process->pid, tid, &status) ||
	    proc_has_ended(status.state))
		return NULL;
	if (status.tracer == gettid()) {
		/* The thread was created by a seized thread, and its creator
		 * will report it. */
		*found = true;
		return NULL;
	}
	*again = true;
	return NULL;
}

/* The kernel waits for an exec to end before it decides. If another thread than
 * the first has called exec, the first thread has then ended, and the kernel
 * refuses, although there is now a thread with this number. Whoever may not
 * trace the process is refused each time. */
static struct error *seize(struct process *process, pid_t tid, bool *found)
{
	int refusal = 0;
	bool again;

	for (int i = 0; i < ATTEMPTS; i++) {
		TRY(try_to_seize(process, tid, found, &again, &refusal));
		if (!again)
			return NULL;
	}
	return explain_refusal(process->pid, tid, refusal);
}

struct error *seize_threads(struct process *process, bool *found)
{
	struct error *error = NULL;
	struct dirent *entry;
	char path[64];
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", process->pid);
	directory = opendir(path);
	if (!directory)
		return proc_error(errno, process->pid, path);
	while (!error && (entry = readdir(directory))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && !target_find_thread(process->target, tid))
			error = seize(process, tid, found);
	}
	closedir(directory);
	return error;
}

/* Handle an event of the process to which the tool attaches: the program goes
 * on as it would without the tool. The tool does not miss anything, because
 * nothing is measured yet. */
static struct error *pass(const struct seizure *seizure,
			  const struct event *event)
{
	switch (event->kind) {
	case EVENT_TRAP:
	case EVENT_SIGNAL:
		return target_deliver(event->thread, event->signal, NULL);
	case EVENT_THREAD_NEW:
		/* No caller could measure the thread from its birth on, so its
		 * first stack pointer does not count as known. */
		event->thread->first_sp = 0;
		TRY(target_resume(event->thread));
		return target_resume(event->parent);
	case EVENT_FORK:
		if (!event->process->shares_memory)
			target_detach(event->process);
		return target_resume(event->parent);
	case EVENT_EXEC:
		if (event->process->pid != seizure->pid)
			target_detach(event->process);
		return NULL;
	default:
		return NULL;
	}
}

void target_set_interrupt(struct target *target, struct interrupt interrupt)
{
	target->interrupt = interrupt;
}

void target_set_bystander(struct target *target, target_event_fn *tell,
			  void *context)
{
	target->tell_bystander = tell;
	target->bystander_context = context;
}

/* Pass an event of a process that already has an owner to the function of
 * target_set_bystander(). False: the process has no owner. */
static bool told_bystander(const struct target *target,
			   const struct event *event)
{
	if (!event->process || !event->process->owner)
		return false;
	if (target->tell_bystander)
		target->tell_bystander(target->bystander_context, event);
	return true;
}

static struct error *waits_for_child(pid_t pid, pid_t tid)
{
	return error_create(ERROR_OTHER,
			    "thread %d of process %d waits for its vfork child "
			    "to execute a program, and cannot be stopped "
			    "before",
			    tid, pid);
}

static struct error *slow_thread(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];

		if (thread_is_quiet(thread))
			continue;
		if (is_in_vfork(process->pid, thread->tid))
			return waits_for_child(process->pid, thread->tid);
	}
	return error_create(ERROR_OTHER,
			    "the threads of process %d do not stop",
			    process->pid);
}

static struct error *is_gone(pid_t pid)
{
	return error_create(ERROR_GONE, "process %d is gone", pid);
}

static struct error *find_process(const struct seizure *seizure,
				  struct process **out)
{
	*out = target_find_process(seizure->target, seizure->pid);
	return *out ? NULL
		    : error_create(ERROR_GONE,
				   "process %d ended while it was attached to",
				   seizure->pid);
}

static bool is_any_in_vfork(const struct target *target)
{
	for (size_t i = 0; i < target->ring.count; i++) {
		const struct thread *thread = target->ring.data[i];

		if (thread->state == THREAD_RUNNING &&
		    is_in_vfork(thread->process->pid, thread->tid))
			return true;
	}
	return false;
}

/* Fails if the user asks to stop, or if the time for the attachment is over. */
static struct error *check_patience(const struct seizure *seizure,
				    const struct process *process)
{
	TRY(interrupt_check(&seizure->target->interrupt));
	return seconds_now() > seizure->end ? slow_thread(process) : NULL;
}

/* Does the kernel know the thread as one that the tool traces? */
static bool is_traced(const struct thread *thread)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)thread->tid, &info,
		      WEXITED | WSTOPPED | __WALL | __WNOTHREAD | WNOWAIT |
			      WNOHANG) == 0 ||
	       errno != ECHILD;
}

/* If a thread that the tool has not seized calls exec, the seized threads end,
 * and the kernel does not report the end of the first one: the thread that has
 * called exec has its number. Forget such threads. Returns whether there were
 * any. */
static bool forget_vanished(struct process *process)
{
	bool found = false;

	for (size_t i = process->threads.count; i-- > 0;) {
		struct thread *thread = process->threads.data[i];

		if (thread->state != THREAD_RUNNING || is_traced(thread))
			continue;
		thread_unlink(thread);
		free(thread);
		found = true;
	}
	return found;
}

static struct error *wait_until_stopped(const struct seizure *seizure)
{
	struct target *target = seizure->target;
	struct process *process;
	struct error *error;
	struct event event;
	bool sharers;

	stuck_begin(target);
	target->stopping = true;
	for (;;) {
		error = target_wait(target, &event);
		process = target_find_process(target, seizure->pid);
		/* The wait also fails if the tool traces no thread any more. */
		if (process && (error || event.kind == EVENT_NONE) &&
		    forget_vanished(process)) {
			error_destroy(error);
			return is_gone(seizure->pid);
		}
		TRY(error);
		TRY(find_process(seizure, &process));
		if (event.kind == EVENT_ALL_STOPPED)
			return stuck_error(process);
		if (event.kind == EVENT_NONE &&
		    target_is_any_stopped(process) && is_any_in_vfork(target))
			TRY(seize_sharers(process, &sharers));
		if (!told_bystander(target, &event))
			TRY(pass(seizure, &event));
		TRY(check_patience(seizure, process));
	}
}

static bool has_one_thread(pid_t pid)
{
	struct proc_status status;

	return proc_status(pid, pid, &status) && status.threads == 1;
}

/* If the only thread of the process is in vfork(2), wait until the thread goes
 * on. Until then the thread stands still anyway, and the tool should not touch
 * it. */
static struct error *await_a_thread(const struct seizure *seizure)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	pid_t pid = seizure->pid;

	while (has_one_thread(pid) && is_in_vfork(pid, pid)) {
		TRY(interrupt_check(&seizure->target->interrupt));
		if (seconds_now() > seizure->end)
			return waits_for_child(pid, pid);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* Detach from the processes that share the memory. The tool has not changed the
 * memory yet, so they need not be traced. Their parents stop when the children
 * have left the memory. */
static void let_sharers_go(const struct seizure *seizure)
{
	struct process *process;
	size_t cursor = 0;

	while ((process = target_next_process(seizure->target, &cursor)))
		if (process->pid != seizure->pid && process->shares_memory &&
		    !process->owner)
			target_let_go(process);
}

static struct error *seize_all(const struct seizure *seizure)
{
	const struct thread *leader;
	struct process *process;
	bool found;

	do {
		found = false;
		TRY(find_process(seizure, &process));
		TRY(seize_threads(process, &found));
		TRY(wait_until_stopped(seizure));
		TRY(find_process(seizure, &process));
		if (!process->threads.count)
			return is_gone(seizure->pid);
		if (!target_is_any_stopped(process)) {
			let_sharers_go(seizure);
			found = true;
		} else if (!found) {
			TRY(seize_sharers(process, &found));
		}
		if (found)
			TRY(check_patience(seizure, process));
	} while (found);
	leader = target_find_thread(seizure->target, seizure->pid);
	if (leader && !is_traced(leader))
		return is_gone(seizure->pid);
	drop_strangers(process);
	return NULL;
}

static struct error *open_memories(const struct seizure *seizure)
{
	struct process *process;
	struct error *error;
	size_t cursor = 0;

	while ((process = target_next_process(seizure->target, &cursor))) {
		if (process->owner ||
		    (process->pid != seizure->pid && !process->shares_memory))
			continue;
		error = process_open_memory(process);
		if (process->pid != seizure->pid)
			/* the end of this process will be reported */
			error = error_unless(error, ERROR_GONE);
		TRY(error);
	}
	return NULL;
}

/* Seize all threads of the process, or none. */
static struct error *seize_process(const struct seizure *seizure,
				   struct process **out)
{
	struct target *target = seizure->target;
	struct process *process = process_create(target, seizure->pid);
	struct error *error;

	process->attached = process->survives = true;
	error = seize_all(seizure);
	if (!error)
		error = open_memories(seizure);
	target->stopping = false;
	process = target_find_process(target, seizure->pid);
	if (!error) {
		*out = process;
		return NULL;
	}
	let_sharers_go(seizure);
	if (process)
		target_let_go(process);
	return error;
}

/* Has the error been made because the process seemed to have ended, although it
 * exists? Its threads end if one that is not seized yet calls exec. */
static bool has_executed(const struct error *error, pid_t pid)
{
	struct proc_status status;

	return error && error_code(error) == ERROR_GONE &&
	       proc_status(pid, pid, &status) && status.pid == pid &&
	       !proc_is_zombie(&status);
}

struct error *target_attach(struct target *target, pid_t pid,
			    struct process **out)
{
	const struct seizure seizure = {target, pid, seconds_now() + PATIENCE};
	uint64_t tick = target->tick_ns;
	struct error *error;

	TRY(target_check_attach(pid));
	TRY(await_a_thread(&seizure));
	target_set_tick(target, LOOK_AFTER);
	target_arm_tick(target);
	error = seize_process(&seizure, out);
	while (has_executed(error, pid) && seconds_now() <= seizure.end &&
	       !interrupt_is_asked(&target->interrupt)) {
		error_destroy(error);
		error = seize_process(&seizure, out);
	}
	target_set_tick(target, tick);
	if (error)
		target_disarm_tick(target);
	return error;
}
