/*
 * wait.c - waits for the reports of traced threads; no other code waits for
 * events
 *
 * The functions here look at what waitid() reports without consuming it (they
 * "peek"). A signal stop stays as it is: the handler of the event resumes the
 * thread from it. If the tool dies before that, the signal still exists and is
 * not lost. Event stops and ends are consumed.
 *
 * If several threads have something to report, the kernel always reports the
 * first of them in its own list. So from time to time the tool asks some
 * threads in turn, and continues to do so as long as it finds reports in this
 * way. No thread then waits for ever.
 *
 * Each wait is for the children and tracees of the calling thread alone
 * (__WNOTHREAD), because a program that uses the library may have children of
 * its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "perftool/target/target_events.h"
#include "target/proc/proc.h"
#include "target_state.h"

/* The C library has this name only in the manual, timer_create(2). */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define DEFAULT_TICK 100000000 /* ns */

/* The interval at which a deadline that has passed interrupts waits, in ns. */
#define DEADLINE_INTERVAL 1000000

/*
 * The signal only has to interrupt the wait. But the kernel restarts
 * PTRACE_SEIZE, which waits for an exec in the process to end, and the exec
 * waits until the tool has reaped the threads that it has ended. So the handler
 * makes PTRACE_SEIZE fail with EINTR, and the tool can reap the threads. To
 * restart a call, the kernel sets the registers back to the syscall
 * instruction.
 */
static void on_tick(int signal, siginfo_t *info, void *context)
{
	static const uint8_t syscall_code[] = {0x0f, 0x05};
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if (regs[REG_RAX] == SYS_ptrace && regs[REG_RDI] == PTRACE_SEIZE &&
	    memcmp((const void *)regs[REG_RIP], syscall_code,
		   sizeof(syscall_code)) == 0) {
		regs[REG_RIP] += (greg_t)sizeof(syscall_code);
		regs[REG_RAX] = -EINTR;
	}
}

/* perftool has its session on its main thread, and uses SIGALRM. A program that
 * uses the library has the session on another thread, and may need SIGALRM
 * itself. No kernel and hardly any program sends SIGSTKFLT. */
int target_wake_signal(void)
{
	return gettid() == getpid() ? SIGALRM : SIGSTKFLT;
}

void target_catch_tick(void)
{
	struct sigaction action = {.sa_sigaction = on_tick,
				   .sa_flags = SA_SIGINFO};

	sigaction(target_wake_signal(), &action, NULL);
}

int target_catch_wake_signal(void)
{
	target_catch_tick();
	return target_wake_signal();
}

/* Make a timer that sends the wake signal to the calling thread. */
static bool make_timer(timer_t *out)
{
	struct sigevent how = {.sigev_notify = SIGEV_THREAD_ID,
			       .sigev_signo = target_wake_signal()};

	how.sigev_notify_thread_id = gettid();
	return timer_create(CLOCK_MONOTONIC, &how, out) == 0;
}

void target_wake_at(int fd)
{
	const struct f_owner_ex self = {.type = F_OWNER_TID, .pid = gettid()};

	target_catch_tick();
	/* If this fails, the tool looks at the file at the next tick. */
	if (fcntl(fd, F_SETOWN_EX, &self) == 0 &&
	    fcntl(fd, F_SETSIG, target_wake_signal()) == 0)
		fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
}

/*
 * A wait ends at least once in a tick, which is the interval that
 * target_set_tick() sets. So if a signal sets a flag after the caller has
 * looked at the flag and before the wait begins, the caller notices the flag at
 * the latest one tick later. The caller can also look after other things at
 * each tick.
 */
void target_arm_tick(struct target *target)
{
	uint64_t ns = target->tick_ns ? target->tick_ns : DEFAULT_TICK;
	struct timespec tick = {(time_t)(ns / 1000000000),
				(long)(ns % 1000000000)};
	struct itimerspec period = {tick, tick};

	if (target->has_tick)
		return;
	target_catch_tick();
	if (make_timer(&target->tick)) {
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

/*
 * A limit of waits has a timer of its own. When its time has come, the timer
 * repeats at short intervals, because a signal that comes just before a wait
 * begins does not end the wait.
 */
static void arm(const struct target *target, struct wait_limit *limit)
{
	uint64_t now = clock_now(target->clock), left;
	struct itimerspec when = {.it_interval.tv_nsec = DEADLINE_INTERVAL};

	left = limit->time > now ? limit->time - now : 1;
	when.it_value.tv_sec = (time_t)(left / 1000000000);
	when.it_value.tv_nsec = (long)(left % 1000000000);
	timer_settime(limit->timer, 0, &when, NULL);
}

void wait_limit_deinit(struct wait_limit *limit)
{
	if (limit->has_timer)
		timer_delete(limit->timer);
	limit->has_timer = false;
}

static void set_limit(struct target *target, struct wait_limit *limit,
		      uint64_t time)
{
	if (time == limit->time)
		return;
	limit->time = time;
	if (time == UINT64_MAX) {
		wait_limit_deinit(limit);
		return;
	}
	target_catch_tick();
	if (!limit->has_timer)
		/* (Without the timer the limit is noticed at the next
		 * tick.) */
		limit->has_timer = make_timer(&limit->timer);
	if (limit->has_timer)
		arm(target, limit);
}

void target_set_deadline(struct target *target, uint64_t time)
{
	set_limit(target, &target->deadline, time);
}

void target_set_alarm(struct target *target, const void *owner, uint64_t time)
{
	uint64_t first = time;
	size_t i = 0;

	while (i < target->alarms.count &&
	       target->alarms.data[i].owner != owner)
		i++;
	if (i < target->alarms.count)
		vec_remove(&target->alarms, i);
	for (i = 0; i < target->alarms.count; i++)
		if (target->alarms.data[i].time < first)
			first = target->alarms.data[i].time;
	if (time != UINT64_MAX)
		vec_push(&target->alarms, (struct owned_alarm){owner, time});
	set_limit(target, &target->alarm, first);
}

void target_set_tick(struct target *target, uint64_t ns)
{
	bool armed = target->has_tick;

	if (ns == target->tick_ns)
		return;
	target->tick_ns = ns;
	target_disarm_tick(target);
	if (armed)
		target_arm_tick(target);
}

/*
 * Look at the next report without consuming it. *status is as of wait(2).
 * False: there is no report, and errno says why (0 if WNOHANG was given).
 */
static bool peek(idtype_t type, pid_t *tid, int flags, int *status)
{
	siginfo_t info = {0};

	if (waitid(type, (id_t)*tid, &info,
		   WEXITED | WSTOPPED | __WALL | __WNOTHREAD | WNOWAIT |
			   flags) < 0)
		return false;
	errno = 0;
	if (!info.si_pid)
		return false;
	if (info.si_code == CLD_STOPPED) {
		/* This is a child of the tool that is not traced (any more).
		 * The stop of such a child does not concern the tool, but the
		 * kernel would report the stop again and again, so the tool
		 * consumes it. */
		waitid(P_PID, (id_t)info.si_pid, &info,
		       WSTOPPED | __WALL | WNOHANG);
		errno = EINTR;
		return false;
	}
	*tid = info.si_pid;
	if (info.si_code == CLD_TRAPPED)
		*status = info.si_status << 8 | 0x7f;
	else if (info.si_code == CLD_EXITED)
		*status = info.si_status << 8;
	else
		*status = info.si_status |
			  (info.si_code == CLD_DUMPED ? 0x80 : 0);
	return true;
}

bool is_signal_stop(int status)
{
	return WIFSTOPPED(status) && status >> 16 == 0 &&
	       !(WSTOPSIG(status) & 0x80);
}

bool consume(pid_t tid, int *status)
{
	pid_t got;

	/* There may be no report any more, because the thread was killed
	 * meanwhile and the end of a leader is reported only after the ends of
	 * the other threads. */
	while ((got = waitpid(tid, status, __WALL | WNOHANG)) < 0 &&
	       errno == EINTR)
		;
	return got == tid;
}

void target_note_ends(struct target *target)
{
	target->notes_ends = true;
}

void note_end(struct target *target, pid_t tid)
{
	struct thread *thread =
		target->notes_ends ? target_find_thread(target, tid) : NULL;

	if (thread)
		thread->has_end = target_thread_scheduling(thread->process->pid,
							   tid, &thread->end);
}

static void consume_end(struct target *target, pid_t tid, int status)
{
	vec_push(&target->ends, (struct found_end){tid, status});
}

static void reap_other(void *context, pid_t tid)
{
	struct thread *thread = context;
	siginfo_t info = {0};
	int status;

	/* waitid() reports stops, too, although WSTOPPED is not set. This
	 * function wants only ends. */
	if (tid == thread->tid ||
	    waitid(P_PID, (id_t)tid, &info,
		   WEXITED | __WALL | WNOWAIT | WNOHANG) != 0 ||
	    !info.si_pid || info.si_code == CLD_TRAPPED ||
	    info.si_code == CLD_STOPPED)
		return;
	note_end(thread->process->target, tid);
	if (consume(tid, &status))
		consume_end(thread->process->target, tid, status);
}

/*
 * The kernel reports the end of a leader only when the process has no other
 * thread, and a thread that calls exec waits until all other threads have
 * ended. So the tool must reap the other threads even while it waits for only
 * one thread.
 */
static void reap_others(struct thread *thread)
{
	/* The list of /proc also has the threads that were killed before their
	 * creator could report them. */
	proc_each_thread(thread->process->pid, reap_other, thread);
}

/* A function that fails if the tool should not wait any longer for the thread.
 * `since` is the time at which the wait has begun. */
typedef struct error *patience_fn(struct thread *thread, uint64_t since);

/* Wait for the next report of the thread. The report is consumed unless it is a
 * signal stop. */
static struct error *await_report(struct thread *thread, patience_fn *check,
				  int *status)
{
	uint64_t since = clock_now(thread->process->target->clock);
	pid_t tid = thread->tid;

	for (;;) {
		if (peek(P_PID, &tid, 0, status)) {
			if (!WIFSTOPPED(*status))
				note_end(thread->process->target, tid);
			if (is_signal_stop(*status) || consume(tid, status))
				return NULL;
		} else if (errno != EINTR) {
			return ptrace_error(thread, "wait");
		} else {
			reap_others(thread);
			TRY(check(thread, since));
		}
	}
}

static struct error *wait_for_report(struct thread *thread, patience_fn *check,
				     int *status)
{
	struct target *target = thread->process->target;
	bool ticking = target->has_tick;
	struct error *error;

	target_arm_tick(target);
	error = await_report(thread, check, status);
	if (!ticking)
		target_disarm_tick(target);
	TRY(error);
	if (WIFSTOPPED(*status))
		return NULL;
	/* target_wait() must still report the end of the thread */
	consume_end(target, thread->tid, *status);
	return error_create(ERROR_GONE, "thread %d has ended", thread->tid);
}

struct error *wait_for_thread(struct thread *thread, int *status)
{
	stuck_begin_one(thread);
	return wait_for_report(thread, stuck_check, status);
}

void await_any_report(struct thread *thread)
{
	struct target *target = thread->process->target;
	uint64_t since = clock_now(target->clock);
	bool ticking = target->has_tick;
	pid_t tid = thread->tid;
	int status;

	stuck_begin_one(thread);
	target_arm_tick(target);
	while (!thread->is_stuck && !peek(P_PID, &tid, 0, &status) &&
	       errno == EINTR) {
		reap_others(thread);
		stuck_look_at(thread, since);
	}
	if (!ticking)
		target_disarm_tick(target);
}

static struct error *is_wanted(struct thread *thread, uint64_t since)
{
	(void)since;
	return interrupt_check(&thread->process->target->interrupt);
}

struct error *wait_for_start(struct thread *thread, int *status)
{
	return wait_for_report(thread, is_wanted, status);
}

/* The number of reports that the tool takes in the kernel's order before it
 * asks some threads in turn, and the number of threads that it then asks. */
#define PATIENCE 8
#define LOOKS 4

static bool ask_in_turn(struct target *target, pid_t *tid, int *status)
{
	size_t count = target->ring.count;

	if (count < 2 || ++target->unfair <= PATIENCE)
		return false;
	for (size_t i = 0; i < LOOKS && i < count; i++) {
		*tid = target->ring.data[target->turn++ % count]->tid;
		if (peek(P_PID, tid, WNOHANG, status))
			return true;
	}
	target->unfair = 0;
	return false;
}

struct error *next_report(struct target *target, pid_t *tid, int *status,
			  bool *got)
{
	*got = true;
	*tid = 0;
	if (target->ends.count) {
		*tid = target->ends.data[0].tid;
		*status = target->ends.data[0].status;
		vec_remove(&target->ends, 0);
		return NULL;
	}
	if (ask_in_turn(target, tid, status))
		return NULL;
	*tid = 0;
	if (peek(P_ALL, tid, 0, status))
		return NULL;
	if (errno != EINTR)
		return error_system(errno, "waitid");
	*got = false;
	return NULL;
}

/* How long the tool waits before it looks again whether a process has ended,
 * and how many times it looks in a second. */
#define REAP_INTERVAL 1000000 /* ns */
#define LOOKS_A_SECOND 1000

bool reap_soon(const struct target *target, pid_t pid)
{
	const struct timespec pause = {.tv_nsec = REAP_INTERVAL};
	int looks = 0, status;

	for (;;) {
		pid_t found = waitpid(pid, &status, __WALL | WNOHANG);
		bool is_asked = interrupt_is_asked(&target->interrupt);

		if (found == pid || (found < 0 && errno != EINTR))
			return true;
		if (++looks > (is_asked ? 1 : 10) * LOOKS_A_SECOND)
			return false;
		nanosleep(&pause, NULL);
	}
}

void target_reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

struct error *target_await_child(struct target *target, pid_t pid, bool *ended,
				 int *status)
{
	struct error *error;

	*ended = pid == target->launched && target->has_launched_end;
	*status = target->launched_end;
	if (*ended)
		return NULL;
	target_arm_tick(target);
	/* The kernel reports the end of the process when the ends of all traced
	 * threads have been taken. A thread may have been born, and so be
	 * traced, while the tool detached from the others. */
	release_threads_left(pid);
	*ended = waitpid(pid, status, 0) == pid;
	error = *ended || errno == EINTR
			? NULL
			: error_system(errno, "waiting for process %d", pid);
	target_disarm_tick(target);
	return error;
}
