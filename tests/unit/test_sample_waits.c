/*
 * test_sample_waits.c - one thread by the wall clock, with what it waits for
 *
 * tier: core
 * covers: sample
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>

#include "target_rig.h"

#include "sample_rig.h"

#define NOINLINE __attribute__((noinline, used))

struct told {
	struct sample_rig *rig;
	const char *wait; /* that is wanted; "": the thread runs */
	size_t count, wanted, right, preempted, caller, broken;
	char other[64]; /* neither right nor "preempted" */
};
static struct told told;

static void take(void *context, const struct sampled_stack *stack)
{
	const char *wait = stack->wait ? stack->wait : "";
	size_t i;

	(void)context;
	told.count++;
	told.broken += stack->is_broken;
	if (strcmp(wait, told.wait) == 0)
		told.right++;
	else if (strcmp(wait, "preempted") == 0)
		told.preempted++;
	else
		snprintf(told.other, sizeof(told.other), "%s", wait);
	for (i = 0; i < stack->depth; i++)
		if (strcmp(rig_name(told.rig, &stack->frames[i]), "waiter") ==
		    0)
			break;
	told.caller += i < stack->depth;
}

static bool has_enough(struct sample_rig *rig)
{
	(void)rig;
	return told.count >= told.wanted;
}

/* How long the thread has been on a CPU, and how long it was ready without one,
 * as the kernel counts, in ns. False: the kernel does not count that. */
static bool read_scheduling(pid_t tid, double *on_cpu, double *ready)
{
	char path[64];
	FILE *file;
	int read;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	read = fscanf(file, "%lf %lf", on_cpu, ready);
	fclose(file);
	return read == 2;
}

/* A thread that waits is stopped for the first tick, and must get a CPU before
 * it can wait again. On a busy machine that takes some ticks; the kernel says
 * how long it was ready meanwhile. */
static void check_wait(double ready, double took)
{
	double share = (double)told.preempted / (double)told.count;
	double wanted = ready < took ? ready / took : 1;

	assert_string_equal(told.other, "");
	assert_true(told.right > 0);
	/* five standard deviations */
	assert_true(share <= 0.1 + wanted +
				     5 * sqrt(wanted * (1 - wanted) /
					      (double)told.count));
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The subject waits, or runs, in a function waiter(). All ticks must say so,
 * and the function must be on each stack. */
static void check(subject_fn *subject, const char *wait)
{
	struct sampling sampling = {.event = SAMPLED_TICKS, .rate = 200};
	struct sampler_account account;
	double on_cpu, ready[2] = {0}, began;
	struct sample_rig rig;
	unsigned long errors;

	sample_rig_start(&rig, subject);
	sampling.tid = rig.rig.pid;
	told = (struct told){.rig = &rig, .wait = wait, .wanted = 100};
	read_scheduling(rig.rig.pid, &on_cpu, &ready[0]);
	began = now_ns();
	assert_ok(sampler_start(rig.sampler, &sampling, take, NULL));
	assert_true(rig_run(&rig, has_enough));
	sampler_get_account(rig.sampler, &account);
	errors = atomic_load(&rig.rig.shared->errors);
	print_message("# %s: %zu ticks, %zu right, %zu with the caller, "
		      "%zu broken, %lu missed; %zu preempted, other: %s\n",
		      wait, told.count, told.right, told.caller, told.broken,
		      account.missed, told.preempted, told.other);
	assert_int_equal(told.broken, 0);
	assert_int_equal(errors, 0);
	if (*wait && read_scheduling(rig.rig.pid, &on_cpu, &ready[1]))
		check_wait(ready[1] - ready[0], now_ns() - began);
	else if (*wait)
		assert_true(told.right >= told.count * 9 / 10);
	assert_true(told.caller >= told.count * 9 / 10);
	sample_rig_end(&rig);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static volatile long sink;
static int pipes[2], polled;

enum way { READ, MUTEX, CONDITION, SLEEP, EPOLL, RUN, RAW_FUTEX };

/* Wait in one way for ever. It is an error if the wait ends. */
NOINLINE static void waiter(struct shared *shared, enum way way)
{
	struct epoll_event event;
	struct timespec hour = {.tv_sec = 3600};
	char byte;
	int word = 0;

	atomic_store(&shared->ready, 1);
	switch (way) {
	case READ:
		sink = read(pipes[0], &byte, 1);
		break;
	case MUTEX:
		pthread_mutex_lock(&mutex);
		break;
	case CONDITION:
		pthread_cond_wait(&condition, &mutex);
		break;
	case SLEEP:
		nanosleep(&hour, NULL);
		break;
	case EPOLL:
		sink = epoll_wait(polled, &event, 1, 3600 * 1000);
		break;
	case RUN:
		while (!atomic_load(&shared->stop))
			sink++;
		break;
	case RAW_FUTEX:
		sink = syscall(SYS_futex, &word, 0, 0, NULL, NULL, 0);
		break;
	}
	atomic_fetch_add(&shared->errors, 1);
}

NOINLINE static void in_read(struct shared *shared)
{
	if (pipe(pipes) == 0)
		waiter(shared, READ);
}

NOINLINE static void in_mutex(struct shared *shared)
{
	pthread_mutex_lock(&mutex);
	waiter(shared, MUTEX);
}

NOINLINE static void in_condition(struct shared *shared)
{
	pthread_mutex_lock(&mutex);
	waiter(shared, CONDITION);
}

NOINLINE static void in_sleep(struct shared *shared)
{
	waiter(shared, SLEEP);
}

NOINLINE static void in_epoll(struct shared *shared)
{
	polled = epoll_create1(0);
	waiter(shared, EPOLL);
}

NOINLINE static void in_run(struct shared *shared)
{
	waiter(shared, RUN);
}

NOINLINE static void in_futex(struct shared *shared)
{
	waiter(shared, RAW_FUTEX);
}

static void waits_are_named(void **state)
{
	(void)state;
	check(in_read, "read");
	check(in_mutex, "ML");
	check(in_condition, "CV");
	check(in_sleep, "clock_nanosleep");
	check(in_epoll, "epoll_wait");
	check(in_futex, "futex");
}

static void thread_that_runs_does_not_wait(void **state)
{
	(void)state;
	check(in_run, "");
	/* On a busy machine others have the CPU for some of the ticks. */
	assert_true(told.right > 0);
	assert_string_equal(told.other, "");
}

/* The ticks that found the thread preempted, those that were missed too, must
 * have the share of the time in which it was ready without a CPU. (On a busy
 * machine this may be nearly all.) */
static void check_share(struct sampler *sampler, double on_cpu, double ready)
{
	struct sampler_account account;
	double share, difference;

	sampler_get_account(sampler, &account);
	/* (Before it is on a CPU again after a stop for a tick, it waits in the
	 * eyes of the kernel's log.) */
	share = (double)(told.right + account.missed - account.missed_running) /
		(double)(told.count + account.missed);
	difference = share - ready / (ready + on_cpu);
	print_message("# %zu ticks, %zu preempted, %zu with the caller, other: "
		      "%s; %lu missed, %lu of them running; share %.3f, the "
		      "kernel says %.3f\n",
		      told.count, told.right, told.caller, told.other,
		      account.missed, account.missed_running, share,
		      ready / (ready + on_cpu));
	/* five standard deviations */
	assert_true(difference * difference < 25 * 0.25 / (double)told.wanted);
}

/* The thread shares a CPU with another that never waits, so it is ready and
 * does not run for about half of the time. */
static void ready_thread_without_a_cpu_is_preempted(void **state)
{
	struct sampling sampling = {.event = SAMPLED_TICKS, .rate = 200};
	double on_cpu, ready, before[2] = {0};
	struct sample_rig rig;
	bool is_counted;
	cpu_set_t one;
	pid_t rival;

	(void)state;
	sample_rig_start(&rig, in_run);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	assert_int_equal(sched_setaffinity(rig.rig.pid, sizeof(one), &one), 0);
	rival = fork();
	if (!rival) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sched_setaffinity(0, sizeof(one), &one);
		for (;;)
			sink++;
	}
	sampling.tid = rig.rig.pid;
	told = (struct told){.rig = &rig, .wait = "preempted", .wanted = 200};
	is_counted = read_scheduling(rig.rig.pid, &before[0], &before[1]);
	assert_ok(sampler_start(rig.sampler, &sampling, take, NULL));
	assert_true(rig_run(&rig, has_enough));
	kill(rival, SIGKILL);
	waitpid(rival, NULL, 0);
	if (is_counted && read_scheduling(rig.rig.pid, &on_cpu, &ready))
		check_share(rig.sampler, on_cpu - before[0], ready - before[1]);
	assert_true(told.right > told.count / 10);
	assert_int_equal(told.caller, told.count);
	assert_int_equal(told.broken, 0);
	sample_rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_named),
		cmocka_unit_test(thread_that_runs_does_not_wait),
		cmocka_unit_test(ready_thread_without_a_cpu_is_preempted),
	};

	return cmocka_run_group_tests_name("sample_waits", tests, NULL, NULL);
}
