/*
 * wait.c - the one owner of waits
 *
 * Waits peek at what waitid() reports. Signal stops are left as they are: the
 * thread is resumed from them by its event's handler, and should the tool die
 * before that, the signal is still there. Event stops and ends are consumed.
 *
 * The kernel reports the first of its list that has something to tell, which
 * is always the same when many have. So now and then, and as long as that finds
 * some, threads are asked in turn.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "target/proc/proc.h"
#include "target_state.h"

#define DEFAULT_TICK 100000000 /* ns */

/* How often a deadline that has passed interrupts waits, ns. */
#define DEADLINE_INTERVAL 1000000

static void on_tick(int signal)
{
	(void)signal; /* it only has to interrupt the wait */
}

void target_catch_tick(void)
{
	struct sigaction action = {.sa_handler = on_tick};

	sigaction(SIGALRM, &action, NULL);
}

/*
 * A wait ends at least once a tick. A signal that sets a flag between the
 * caller's look at the flag and the wait is so never missed for longer than
 * that, and whoever waits can look after other things.
 */
void target_arm_tick(struct target *target)
{
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGALRM};
	uint64_t ns = target->tick_ns ? target->tick_ns : DEFAULT_TICK;
	struct timespec tick = {(time_t)(ns / 1000000000),
				(long)(ns % 1000000000)};
	struct itimerspec period = {tick, tick};

	if (target->has_tick)
		return;
	target_catch_tick();
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

/*
 * The deadline has a timer of its own. It goes on at short intervals, for a
 * signal that comes just before a wait does not end it.
 */
static void arm_deadline(struct target *target)
{
	uint64_t now = clock_now(target->clock), left;
	struct itimerspec when = {.it_interval.tv_nsec = DEADLINE_INTERVAL};

	left = target->deadline > now ? target->deadline - now : 1;
	when.it_value.tv_sec = (time_t)(left / 1000000000);
	when.it_value.tv_nsec = (long)(left % 1000000000);
	timer_settime(target->deadline_timer, 0, &when, NULL);
}

void target_set_deadline(struct target *target, uint64_t time)
{
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGALRM};

	if (time == target->deadline)
		return;
	target->deadline = time;
	if (time == UINT64_MAX) {
		if (target->has_deadline_timer)
			timer_delete(target->deadline_timer);
		target->has_deadline_timer = false;
		return;
	}
	target_catch_tick();
	if (!target->has_deadline_timer)
		/* (without it the deadline is seen at a tick) */
		target->has_deadline_timer =
			timer_create(CLOCK_MONOTONIC, &how,
				     &target->deadline_timer) == 0;
	if (target->has_deadline_timer)
		arm_deadline(target);
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
 * Peek; *status as of wait(2). False: nothing there, errno says why (0: with
 * WNOHANG).
 */
static bool peek(idtype_t type, pid_t *tid, int flags, int *status)
{
	siginfo_t info = {0};

	if (waitid(type, (id_t)*tid, &info,
		   WEXITED | WSTOPPED | __WALL | WNOWAIT | flags) < 0)
		return false;
	errno = 0;
	if (!info.si_pid)
		return false;
	if (info.si_code == CLD_STOPPED) {
		/* a child of ours that is not traced (any more): its own
		 * business, but it would be reported for ever */
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

	/* killed in between, it is not there any more; and the end of a leader
	 * is not there yet */
	while ((got = waitpid(tid, status, __WALL | WNOHANG)) < 0 &&
	       errno == EINTR)
		;
	return got == tid;
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

	/* the kernel tells of stops, too, asked or not */
	if (tid != thread->tid &&
	    waitid(P_PID, (id_t)tid, &info,
		   WEXITED | __WALL | WNOWAIT | WNOHANG) == 0 &&
	    info.si_pid && info.si_code != CLD_TRAPPED &&
	    info.si_code != CLD_STOPPED && consume(tid, &status))
		consume_end(thread->process->target, tid, status);
}

/*
 * A leader's end is reported only when no other thread is left, and whoever
 * calls exec waits until all others are: so they must be reaped, also while
 * only one thread is waited for.
 */
static void reap_others(struct thread *thread)
{
	/* also those that were killed before they were told of */
	proc_each_thread(thread->process->pid, reap_other, thread);
}

/* Is it to be waited for any longer, which has begun at `since`? */
typedef struct error *patience_fn(struct thread *thread, uint64_t since);

/* Its next report, consumed unless it is a signal stop. */
static struct error *await_report(struct thread *thread, patience_fn *check,
				  int *status)
{
	uint64_t since = clock_now(thread->process->target->clock);
	pid_t tid = thread->tid;

	for (;;) {
		if (peek(P_PID, &tid, 0, status)) {
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
	/* for target_wait() to report */
	consume_end(target, thread->tid, *status);
	return error_create(ERROR_GONE, "thread %d has ended", thread->tid);
}

struct error *wait_for_thread(struct thread *thread, int *status)
{
	stuck_begin_one(thread);
	return wait_for_report(thread, stuck_check, status);
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

/* Reports taken as they come, before some threads are asked in turn; and how
 * many. */
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

/* Until somebody looks whether a process has ended, and how often that is done
 * in a second. */
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
	*ended = waitpid(pid, status, 0) == pid;
	error = *ended || errno == EINTR
			? NULL
			: error_system(errno, "waiting for process %d", pid);
	target_disarm_tick(target);
	return error;
}
