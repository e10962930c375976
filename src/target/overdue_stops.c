/*
 * overdue_stops.c - finds threads that do not stop when they are asked to stop
 * ("stuck" threads)
 *
 * A thread that was asked to stop stops as soon as it would execute an
 * instruction of the program. If a thread has not stopped after a second,
 * although it slept or had a processor during this time, it is in the kernel
 * and cannot leave it: it waits for a device, for a page that another process
 * is to provide, or for memory. The tool then treats the thread as quiet, in
 * the same way as a thread that waits for its vfork child, because the thread
 * will stop before it executes an instruction. So the other threads need not
 * stand still for this thread.
 *
 * A thread that has merely had no processor is given more time: its next
 * instruction may be any instruction of the program.
 */
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <string.h>

#include "target/attach/attach.h"
#include "target/proc/proc.h"
#include "target_state.h"

/* How long the tool waits, in ns: for a thread that is seen to be in the
 * kernel, and for any other thread. */
#define PATIENCE 1000000000u
#define MOST_PATIENCE 10000000000u
#define LOOK_INTERVAL 100000000u
/* One look reads a file for each thread. The tool looks for one tenth of the
 * time at most, so that it takes the reports of thousands of threads. */
#define LOOK_SHARE 10

/* A thread that was asked to stop cannot use so many clock ticks of processor
 * time in the program: it would stop before. */
#define TICKS 2

#define NOT_KNOWN UINT64_MAX

void stuck_begin(struct target *target)
{
	target->stop_since = clock_now(target->clock);
	target->next_stuck_look = target->stop_since + LOOK_INTERVAL;
	for (size_t i = 0; i < target->ring.count; i++)
		target->ring.data[i]->stop_ticks = NOT_KNOWN;
}

void stuck_begin_one(struct thread *thread)
{
	thread->stop_ticks = NOT_KNOWN;
}

/* Does /proc show that the thread is in the kernel? This is so if the thread
 * does not run, or if it has used more processor time since it was asked to
 * stop than it can use in the program. A thread in vfork(2) and a thread that
 * has ended do not count. */
static bool is_in_kernel(struct thread *thread, const struct proc_stat *stat)
{
	if (is_in_vfork(thread->process->pid, thread->tid) ||
	    proc_has_ended(stat->state))
		return false;
	if (thread->stop_ticks == NOT_KNOWN)
		thread->stop_ticks = stat->ticks;
	return stat->state != 'R' || stat->ticks >= thread->stop_ticks + TICKS;
}

static bool is_stuck(struct thread *thread, uint64_t waited)
{
	struct proc_stat stat;

	if (!proc_stat(thread->process->pid, thread->tid, &stat))
		return waited > MOST_PATIENCE;
	/* The thread has stopped, but the tool has been too busy to take the
	 * report. */
	if (stat.state == 't')
		return false;
	/* is_in_kernel() is called from the beginning of the wait on, because
	 * it must note the clock ticks at that time. */
	return (is_in_kernel(thread, &stat) && waited > PATIENCE) ||
	       waited > MOST_PATIENCE;
}

void stuck_look_at(struct thread *thread, uint64_t since)
{
	uint64_t now = clock_now(thread->process->target->clock);

	if (is_stuck(thread, now - since))
		thread->is_stuck = true;
}

void stuck_look(struct target *target)
{
	uint64_t now = clock_now(target->clock), end, pause;

	if (now < target->next_stuck_look)
		return;
	for (size_t i = 0; i < target->ring.count; i++) {
		struct thread *thread = target->ring.data[i];

		if (thread->state == THREAD_RUNNING &&
		    !thread_is_quiet(thread) &&
		    is_stuck(thread, now - target->stop_since))
			thread->is_stuck = true;
	}
	end = clock_now(target->clock);
	pause = LOOK_SHARE * (end - now);
	target->next_stuck_look =
		end + (pause > LOOK_INTERVAL ? pause : LOOK_INTERVAL);
}

/* ---- descriptions of stuck threads ------------------------------------- */

/* Read the first line of a file in /proc/PID/task/TID; "" if it cannot be
 * read. */
static void read_line(const struct thread *thread, const char *name, char *line,
		      size_t size)
{
	char path[64];
	FILE *file;

	line[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s",
		 thread->process->pid, thread->tid, name);
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(line, (int)size, file))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

/* The request to stop wakes some system calls, which then try again and again.
 * /proc shows only now and then that such a call waits. So the tool looks this
 * many times. */
#define TRIES 100

/* Append ", in system call 1, in the kernel's function handle_userfault", or
 * the part of this text that can be read from /proc. */
static void describe_where(const struct thread *thread, struct str *out)
{
	long number = -1;
	char line[128];

	for (int i = 0; i < TRIES && number < 0; i++) {
		read_line(thread, "syscall", line, sizeof(line));
		if (strcmp(line, "running") == 0)
			sched_yield();
		else if (sscanf(line, "%ld", &number) != 1 || number < 0)
			break;
	}
	if (number >= 0)
		str_printf(out, ", in system call %ld", number);
	read_line(thread, "wchan", line, sizeof(line));
	if (line[0] && strcmp(line, "0") != 0)
		str_printf(out, ", in the kernel's function %s", line);
}

/* Append "(state D, in system call 1, ...)". */
static void describe_state(const struct thread *thread, struct str *out)
{
	struct proc_stat stat = {.state = '?'};
	char cgroup[PATH_MAX];

	proc_stat(thread->process->pid, thread->tid, &stat);
	str_printf(out, "(state %c", stat.state);
	if (proc_is_frozen(thread->process->pid, cgroup, sizeof(cgroup)))
		str_printf(out, ", frozen with its cgroup %s", cgroup);
	describe_where(thread, out);
	str_append(out, ")");
}

void stuck_describe(const struct thread *thread, struct str *out)
{
	str_printf(out,
		   "thread %d of process %d does not stop: it does not leave "
		   "the kernel ",
		   thread->tid, thread->process->pid);
	describe_state(thread, out);
}

bool stuck_may_end(const struct target *target, uint64_t since)
{
	uint64_t gone = clock_now(target->clock) - since;

	return gone <= (interrupt_is_asked(&target->interrupt) ? PATIENCE
							       : MOST_PATIENCE);
}

/* Return a thread of the process that has not ended. If all threads have ended,
 * return the last of them; NULL: the process has no thread. */
static const struct thread *last_thread(const struct process *process)
{
	const struct thread *thread = NULL;
	struct proc_stat stat;

	for (size_t i = 0; i < process->threads.count; i++) {
		thread = process->threads.data[i];
		if (proc_stat(process->pid, thread->tid, &stat) &&
		    !proc_has_ended(stat.state))
			break;
	}
	return thread;
}

struct error *target_check_end(const struct process *process, uint64_t since)
{
	const struct thread *thread = last_thread(process);
	struct str text = {0};
	struct error *error;

	if (stuck_may_end(process->target, since))
		return NULL;
	if (thread) {
		str_printf(&text, ": thread %d ", thread->tid);
		describe_state(thread, &text);
	}
	error = error_create(ERROR_OTHER,
			     "process %d was killed, but does not end%s",
			     process->pid, str_text(&text));
	str_deinit(&text);
	return error;
}

static struct error *make_error(const struct thread *thread)
{
	struct str text = {0};
	struct error *error;

	stuck_describe(thread, &text);
	error = error_create(ERROR_OTHER, "%s", str_text(&text));
	str_deinit(&text);
	return error;
}

struct error *stuck_error(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (process->threads.data[i]->is_stuck)
			return make_error(process->threads.data[i]);
	return NULL;
}

struct error *stuck_check(struct thread *thread, uint64_t since)
{
	const struct target *target = thread->process->target;
	uint64_t gone = clock_now(target->clock) - since;
	struct proc_stat stat;
	/* is_in_kernel() is called from the beginning of the wait on, because
	 * it must note the clock ticks at that time. */
	bool is_in = proc_stat(thread->process->pid, thread->tid, &stat) &&
		     is_in_kernel(thread, &stat);

	if (gone <= PATIENCE)
		return NULL;
	if (gone <= MOST_PATIENCE &&
	    !(is_in && interrupt_is_asked(&target->interrupt)))
		return NULL;
	/* The thread will report its stop later, or it will go on by itself
	 * when the tool has ended. */
	thread->state = THREAD_RUNNING;
	thread->is_stuck = true;
	return make_error(thread);
}

bool target_next_stuck(struct target *target, struct str *out)
{
	for (size_t i = 0; i < target->ring.count; i++) {
		struct thread *thread = target->ring.data[i];

		if (!thread->is_stuck || thread->is_stuck_told)
			continue;
		thread->is_stuck_told = true;
		stuck_describe(thread, out);
		return true;
	}
	return false;
}
