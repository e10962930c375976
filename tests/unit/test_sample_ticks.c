/*
 * test_sample_ticks.c - ticks of real processes: where they fall, how many, how
 * far apart, and what they cost the threads that the kernel does not show
 *
 * tier: full
 * covers: sample target
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perftool/perf_log.h"
#include "perftool/target/target_events.h"
#include "target_rig.h"

#include "refuse_call.h"
#include "sample_rig.h"

#define NOINLINE __attribute__((noinline, used))

/* ---- what is told ------------------------------------------------------ */

#define MOST_TIMES 100000

struct told {
	struct sample_rig *rig;
	size_t count, delayed, broken, in_one, in_two, in_kernel, in_other;
	size_t deep, names;
	size_t tids;
	pid_t tid[64];
	uint64_t last;
	size_t backwards;
	size_t wanted;
	uint64_t before_pause, in_pause; /* wake-ups */
	uint64_t times[MOST_TIMES];      /* CPU times */
	uint64_t when[MOST_TIMES];       /* times of the tool's clock */
};
static struct told told;

static void take(void *context, const struct sampled_stack *stack)
{
	size_t i = 0;

	(void)context;
	if (told.count < MOST_TIMES) {
		told.times[told.count] = stack->cpu;
		told.when[told.count] = stack->time;
	}
	told.count++;
	told.delayed += stack->is_delayed;
	told.broken += stack->is_broken;
	told.deep += stack->depth > 5000;
	while (i < told.tids && told.tid[i] != stack->tid)
		i++;
	if (i == told.tids && i < 64)
		told.tid[told.tids++] = stack->tid;
	if (told.tids == 1) {
		told.backwards += stack->time < told.last;
		told.last = stack->time;
	}
	for (i = 0; i < stack->depth && i < 3; i++) {
		const char *name = rig_name(told.rig, &stack->frames[i]);

		if (strcmp(name, "one") == 0)
			told.in_one++;
		else if (strcmp(name, "two") == 0)
			told.in_two++;
		else
			continue;
		return;
	}
	if (stack->is_delayed)
		told.in_kernel++;
	else
		told.in_other++;
}

static bool has_enough(struct sample_rig *rig)
{
	(void)rig;
	return told.count >= told.wanted;
}

static void start(struct sample_rig *rig, double rate, size_t wanted)
{
	struct sampling sampling = {.event = SAMPLED_TICKS, .rate = rate};

	memset(&told, 0, sizeof(told));
	told.rig = rig;
	told.wanted = wanted;
	assert_ok(sampler_start(rig->sampler, &sampling, take, NULL));
}

/* ---- where ------------------------------------------------------------- */

static uint64_t cpu_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static volatile unsigned long sink;

NOINLINE static void one(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		sink += i;
}

NOINLINE static void two(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++)
		sink ^= i * 3;
}

/* Spend time in both functions, 30 frames deep; the counters have the CPU time
 * of each. */
NOINLINE static void both(struct shared *shared, int depth)
{
	uint64_t begin, middle;

	if (depth) {
		both(shared, depth - 1);
		sink++;
		return;
	}
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop)) {
		begin = cpu_now();
		one(300000);
		middle = cpu_now();
		two(100000);
		atomic_fetch_add(&shared->counters[0], middle - begin);
		atomic_fetch_add(&shared->counters[1], cpu_now() - middle);
	}
}

NOINLINE static void both_subject(struct shared *shared)
{
	both(shared, 30);
}

/* ---- the clock of the ticks -------------------------------------------- */

/* The kernel's CPU time of the subject, in seconds. */
static double cpu_of(const struct sample_rig *rig)
{
	struct timespec time;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(rig->process->pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &time), 0);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The clock by which the kernel lets ticks fall due, of the subject, which has
 * one thread. On a virtual machine the clock counts the time that the
 * hypervisor has taken, too; the CPU time does not. Where the kernel refuses
 * its events, the tool takes the ticks by the CPU time. */
struct tick_clock {
	int file; /* -1: refused */
	double before;
};

static struct tick_clock open_tick_clock(const struct sample_rig *rig)
{
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(event),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
	};

	return (struct tick_clock){
		.file = (int)syscall(SYS_perf_event_open, &event,
				     rig->process->pid, -1, -1, 0),
		.before = cpu_of(rig)};
}

/* Returns the seconds since the clock was opened. */
static double read_tick_clock(const struct tick_clock *clock,
			      const struct sample_rig *rig)
{
	uint64_t count;

	if (clock->file < 0)
		return cpu_of(rig) - clock->before;
	assert_int_equal(read(clock->file, &count, sizeof(count)),
			 sizeof(count));
	return (double)count / 1e9;
}

static double close_tick_clock(const struct tick_clock *clock,
			       const struct sample_rig *rig)
{
	double seconds = read_tick_clock(clock, rig);

	if (clock->file >= 0)
		close(clock->file);
	return seconds;
}

/* The ticks are where the CPU time is, and as many as it has periods. */
static void check_both(double rate, size_t wanted)
{
	struct sampler_account account;
	struct sample_rig rig;
	double ones, twos, share, due;
	struct tick_clock clock;

	sample_rig_start(&rig, both_subject);
	clock = open_tick_clock(&rig);
	start(&rig, rate, wanted);
	ones = (double)atomic_load(&rig.rig.shared->counters[0]);
	twos = (double)atomic_load(&rig.rig.shared->counters[1]);
	assert_true(rig_run(&rig, has_enough));
	ones = (double)atomic_load(&rig.rig.shared->counters[0]) - ones;
	twos = (double)atomic_load(&rig.rig.shared->counters[1]) - twos;
	sampler_get_account(rig.sampler, &account);
	share = (double)told.in_one / (double)(told.in_one + told.in_two);
	due = close_tick_clock(&clock, &rig) * rate;
	print_message("# %zu ticks, %lu missed, %lu lost of %.0f; in one %.3f, "
		      "by its own clock %.3f; %zu in system calls, %zu "
		      "elsewhere; by %s\n",
		      told.count, account.missed, account.lost, due, share,
		      ones / (ones + twos), told.in_kernel, told.in_other,
		      account.by_kernel ? "the kernel" : account.why);
	/* The program reads its clock by system calls. On a busy machine, the
	 * kernel lets other programs run when such a call ends: what it takes
	 * to change programs, and the ticks that fall due then, are there (2
	 * ticks of a hundred with three busy programs on two CPUs). So is the
	 * program often when the tool takes the ticks itself and gets a CPU
	 * only then. */
	if (account.by_kernel)
		assert_true(told.in_kernel < told.count / 5);
	assert_true(told.in_other < told.count / 20);
	assert_int_equal(told.broken, 0);
	assert_int_equal(told.backwards, 0);
	assert_int_equal(account.ticks, told.count);
	/* five standard deviations of a share of about 0.7 */
	share -= ones / (ones + twos);
	assert_true(share * share <
		    25 * 0.25 / (double)(told.in_one + told.in_two));
	due -= (double)(told.count + account.missed + account.lost);
	assert_true(due * due < 0.01 * (double)(wanted * wanted));
	sample_rig_end(&rig);
}

static void ticks_are_where_the_time_is(void **state)
{
	(void)state;
	check_both(1000, 3000);
	check_both(97, 200);
}

#define STEPS_RATE 2000

/* How many distances between ticks, in CPU time, were in each quarter of the
 * range in which they may be. A distance is longer if another period was set
 * meanwhile; those do not count. */
static size_t count_quarters(size_t quarters[4])
{
	size_t inside = 0;

	memset(quarters, 0, 4 * sizeof(*quarters));
	for (size_t i = 1; i < told.count; i++) {
		double distance = (double)(told.times[i] - told.times[i - 1]) *
				  STEPS_RATE / 1e9;

		if (distance < 0.74 || distance > 1.26)
			continue;
		inside++;
		quarters[distance < 0.875   ? 0
			 : distance < 1     ? 1
			 : distance < 1.125 ? 2
					    : 3]++;
	}
	return inside;
}

static bool has_enough_distances(struct sample_rig *rig)
{
	size_t quarters[4];

	(void)rig;
	return count_quarters(quarters) >= 4000;
}

/* The distances between ticks are spread over half a period. */
static void ticks_keep_no_step(void **state)
{
	struct sample_rig rig;
	size_t quarters[4], inside;

	(void)state;
	sample_rig_start(&rig, both_subject);
	start(&rig, STEPS_RATE, 0);
	assert_true(rig_run(&rig, has_enough_distances));
	inside = count_quarters(quarters);
	print_message("# %zu: %zu %zu %zu %zu\n", inside, quarters[0],
		      quarters[1], quarters[2], quarters[3]);
	for (size_t i = 0; i < 4; i++)
		assert_true(quarters[i] >= inside / 20);
	sample_rig_end(&rig);
}

/* ---- how often the tool looks ------------------------------------------ */

/* All ticks of so many seconds were told, or counted. */
static void check_none_is_missing(const struct sample_rig *rig, double rate,
				  double seconds)
{
	struct sampler_account account;
	double due = seconds * rate, all;

	sampler_get_account(rig->sampler, &account);
	all = (double)(account.ticks + account.missed + account.lost);
	print_message("# %lu ticks, %lu missed, %lu lost of %.0f; %lu "
		      "wake-ups\n",
		      account.ticks, account.missed, account.lost, due,
		      account.wakeups);
	assert_int_equal(account.ticks, told.count);
	assert_true(all > due * 0.97 - 5);
	assert_true(all < due * 1.03 + 5);
}

/* The tool is not woken up at each tick, and yet no tick is missing at the end.
 */
static void the_tool_reads_many_ticks_at_once(void **state)
{
	const double rate = 1000;
	struct sampler_account account;
	struct sample_rig rig;
	struct tick_clock clock;
	double begin;

	(void)state;
	sample_rig_start(&rig, both_subject);
	clock = open_tick_clock(&rig);
	begin = rig_now();
	start(&rig, rate, 3000);
	assert_true(rig_run(&rig, has_enough));
	sampler_stop(rig.sampler);
	check_none_is_missing(&rig, rate, close_tick_clock(&clock, &rig));
	sampler_get_account(rig.sampler, &account);
	/* the first stacks show how much is to be copied */
	assert_true((double)account.wakeups < 50 + 100 * (rig_now() - begin));
	sample_rig_end(&rig);
}

/* Busy until the test wants a pause, and then again. */
NOINLINE static void pausing_subject(struct shared *shared)
{
	const struct timespec pause = {3, 0};

	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop)) {
		one(10000);
		if (atomic_load(&shared->counters[0]) != 1)
			continue;
		atomic_store(&shared->counters[0], 2);
		nanosleep(&pause, NULL);
		atomic_store(&shared->counters[0], 3);
	}
}

static uint64_t wakeups_of(struct sample_rig *rig)
{
	struct sampler_account account;

	sampler_get_account(rig->sampler, &account);
	return account.wakeups;
}

/* Asks for the pause when there were enough ticks, and sees how often the tool
 * is woken up in it. */
static bool has_paused(struct sample_rig *rig)
{
	_Atomic uint64_t *phase = &rig->rig.shared->counters[0];

	if (atomic_load(phase) == 0 && told.count >= told.wanted)
		atomic_store(phase, 1);
	if (atomic_load(phase) < 2)
		told.before_pause = wakeups_of(rig);
	if (atomic_load(phase) == 2) {
		told.in_pause = wakeups_of(rig);
		told.wanted = told.count + 300;
	}
	return atomic_load(phase) == 3 && told.count >= told.wanted;
}

static void an_idle_program_wakes_nobody_up(void **state)
{
	struct tick_clock clock;
	struct sample_rig rig;

	(void)state;
	sample_rig_start(&rig, pausing_subject);
	clock = open_tick_clock(&rig);
	start(&rig, 1000, 300);
	assert_true(rig_run(&rig, has_paused));
	sampler_stop(rig.sampler);
	print_message("# %lu wake-ups in three seconds\n",
		      told.in_pause - told.before_pause);
	/* a last reading of ticks, and those that found none */
	assert_true(told.in_pause - told.before_pause <= 6);
	check_none_is_missing(&rig, 1000, close_tick_clock(&clock, &rig));
	sample_rig_end(&rig);
}

/* A program with many threads needs more descriptors than the tool may have
 * open, so the tool closes those of later logs. The kernel then must not repeat
 * the short time until a first tick, nor wake the tool up for that. */
static void ticks_without_a_descriptor_are_no_more(void **state)
{
	struct rlimit limit, few;
	VEC(int) held = {0};
	int file = 0;
	struct tick_clock clock;
	struct sample_rig rig;
	double begin;

	(void)state;
	sample_rig_start(&rig, both_subject);
	clock = open_tick_clock(&rig);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = 64;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (held.count < 64 && (!held.count || file < 40)) {
		file = dup(STDERR_FILENO);
		assert_true(file >= 0);
		vec_push(&held, file);
	}
	for (int i = 0; i < 8; i++) {
		begin = read_tick_clock(&clock, &rig);
		start(&rig, 200, 20);
		assert_true(rig_run(&rig, has_enough));
		sampler_stop(rig.sampler);
		check_none_is_missing(&rig, 200,
				      read_tick_clock(&clock, &rig) - begin);
		assert_true(wakeups_of(&rig) <= told.count + 5);
	}
	close_tick_clock(&clock, &rig);
	for (size_t i = 0; i < held.count; i++)
		close(held.data[i]);
	vec_free(&held);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	sample_rig_end(&rig);
}

/* Let the subject run for so many seconds of CPU time while nobody reads the
 * log. */
static void run_unread(struct sample_rig *rig, double seconds)
{
	const struct timespec pause = {0, 10000000};
	double end = cpu_of(rig) + seconds;

	assert_ok(target_resume_all(rig->rig.target));
	while (cpu_of(rig) < end)
		nanosleep(&pause, NULL);
}

/* Stop the threads while nobody reads the log. */
static void stop_unread(struct sample_rig *rig)
{
	struct event event;

	assert_ok(target_stop_all(rig->rig.target));
	do
		assert_ok(target_wait(rig->rig.target, &event));
	while (event.kind != EVENT_ALL_STOPPED);
}

static int by_length(const void *a, const void *b)
{
	const uint64_t *first = a, *second = b;

	return *first < *second ? -1 : *first > *second;
}

/* The kernel's period of the ticks before this one: the median of 40 distances,
 * because single ticks may be late by most of a period. */
static double period_before(size_t tick)
{
	uint64_t distances[40];
	const size_t count = sizeof(distances) / sizeof(*distances);

	assert_true(tick > count);
	for (size_t i = 0; i < count; i++)
		distances[i] =
			told.times[tick - i - 1] - told.times[tick - i - 2];
	qsort(distances, count, sizeof(*distances), by_length);
	return (double)(distances[count / 2 - 1] + distances[count / 2]) / 2;
}

/* A second event takes ticks of the same thread, and its log has room for all
 * of them. At each context switch of the thread the kernel stops and restarts
 * the timers of both events, so the ticks of both drift against the CPU time by
 * the same amount. The number of ticks that were due therefore follows from the
 * second event, and not from the CPU time. */
#define OTHER_PERIOD 1000000

static void open_other_ticks(const struct sample_rig *rig, struct perf_log *out)
{
	struct perf_log_kind kind = {
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .config = PERF_COUNT_SW_TASK_CLOCK,
			 .sample_period = OTHER_PERIOD,
			 .sample_type = PERF_SAMPLE_TIME,
			 .exclude_hv = 1,
			 .use_clockid = 1,
			 .clockid = CLOCK_MONOTONIC_RAW},
		.what = "ticks"};
	struct error *error = perf_log_open(&kind, rig->process->pid, 64, out);

	if (!error)
		return;
	/* This user may not see the kernel: neither may the sampler. */
	error_destroy(error);
	kind.attr.exclude_kernel = 1;
	assert_ok(perf_log_open(&kind, rig->process->pid, 64, out));
}

/* How many of the other ticks were between two times, and how many at all? They
 * are read. */
static size_t count_other_ticks(struct perf_log *log, uint64_t begin,
				uint64_t end, size_t *all)
{
	const struct clock *clock = &told.rig->rig.clock;
	struct perf_record record;
	struct clock_raw pair = {0};
	size_t count = 0;
	uint64_t time;

	while (perf_log_next(log, &record)) {
		assert_int_not_equal(record.type, PERF_RECORD_LOST);
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		time = clock_from_raw(clock, &pair, record.first);
		count += time > begin && time <= end;
		++*all;
	}
	return count;
}

/* How many ticks have fallen due without a record in the longest time without a
 * tick. The kernel repeats a period until the tool has read the log, which has
 * many ticks of it; then another period begins. */
static double count_in_longest_gap(struct perf_log *other_ticks, size_t *all)
{
	uint64_t longest = 0;
	size_t end = 0, others;

	for (size_t i = 1; i + 1 < told.count; i++) {
		/* (another log begins at 0) */
		if (told.times[i] < told.times[i - 1] ||
		    told.times[i] - told.times[i - 1] <= longest)
			continue;
		longest = told.times[i] - told.times[i - 1];
		end = i;
	}
	others = count_other_ticks(other_ticks, told.when[end - 1],
				   told.when[end], all);
	return ((double)others * OTHER_PERIOD -
		(double)(told.times[end + 1] - told.times[end])) /
	       period_before(end);
}

/* How many ticks have fallen due since the last one that was told. */
static double count_after_last(struct perf_log *other_ticks, size_t *all)
{
	size_t others = count_other_ticks(
		other_ticks, told.when[told.count - 1], UINT64_MAX, all);

	return (double)others * OTHER_PERIOD / period_before(told.count);
}

static void check_lost(const char *where, uint64_t lost, double due,
		       double missed)
{
	print_message("# %lu lost %s, of %.1f; %.0f missed\n", lost, where, due,
		      missed);
	assert_true(lost > 100);
	due -= (double)lost;
	assert_true(due < 3 + missed && due > -3 - missed);
}

/* Ticks for which the log had no room are counted as lost: when another tick is
 * told after them, and when there is none. */
static void ticks_without_room_are_lost(void **state)
{
	struct sampler_account account;
	struct perf_log other_ticks;
	struct tick_clock clock;
	struct sample_rig rig;
	uint64_t lost;
	double due, others_missed;
	size_t others = 0;

	(void)state;
	sample_rig_start(&rig, both_subject);
	clock = open_tick_clock(&rig);
	open_other_ticks(&rig, &other_ticks);
	start(&rig, 1000, 300);
	assert_true(rig_run(&rig, has_enough));
	run_unread(&rig, 1);
	told.wanted = told.count + 500;
	assert_true(rig_run_on(&rig, has_enough));
	sampler_get_account(rig.sampler, &account);
	lost = account.lost;
	due = count_in_longest_gap(&other_ticks, &others);
	check_lost("in the middle", lost, due, (double)account.missed);
	run_unread(&rig, 1);
	stop_unread(&rig);
	sampler_stop(rig.sampler);
	sampler_get_account(rig.sampler, &account);
	due = count_after_last(&other_ticks, &others);
	perf_log_close(&other_ticks);
	/* A tick that falls due while the hypervisor has taken the processor is
	 * missed; so is one of the other event. At the end the tool cannot tell
	 * such ticks from those that are lost. */
	others_missed = close_tick_clock(&clock, &rig) * 1e9 / OTHER_PERIOD -
			(double)others;
	print_message("# of the other event %.0f are missed\n", others_missed);
	check_lost("at the end", account.lost - lost, due,
		   (double)account.missed + others_missed);
	assert_true((double)account.missed < 100 + others_missed);
	sample_rig_end(&rig);
}

/* ---- depth ------------------------------------------------------------- */

NOINLINE static void descend(struct shared *shared, long depth)
{
	if (depth > 1) {
		descend(shared, depth - 1);
	} else {
		atomic_store(&shared->ready, 1);
		while (!atomic_load(&shared->stop))
			one(1000);
	}
	sink++;
}

NOINLINE static void deep_subject(struct shared *shared)
{
	descend(shared, 10000);
}

static void deep_stacks_are_whole(void **state)
{
	struct sampler_account account;
	struct sample_rig rig;

	(void)state;
	sample_rig_start(&rig, deep_subject);
	start(&rig, 200, 100);
	assert_true(rig_run(&rig, has_enough));
	sampler_get_account(rig.sampler, &account);
	print_message("# %zu ticks, %zu deep, %zu broken; %.1f us a stack, "
		      "%lu frames\n",
		      told.count, told.deep, told.broken,
		      account.unwind_ns / 1000 / (double)told.count,
		      account.frames);
	assert_int_equal(told.deep + told.broken, told.count);
	/* those of the first moment may be cut */
	assert_true(told.broken <= 8);
	assert_true(account.stopped_ns > 0);
	sample_rig_end(&rig);
}

/* ---- many threads, processes that come and go -------------------------- */

static void *busy(void *shared)
{
	struct shared *of = shared;

	atomic_fetch_add(&of->counters[2], 1);
	for (int i = 0; i < 20; i++)
		one(1000000);
	return NULL;
}

NOINLINE static void come_and_go(struct shared *shared)
{
	pthread_t threads[4];

	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop)) {
		pid_t pid = fork();

		if (pid == 0) {
			one(10000000);
			_exit(0);
		}
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, busy, shared);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		waitpid(pid, NULL, 0);
	}
}

static bool has_many_threads(struct sample_rig *rig)
{
	(void)rig;
	return told.tids >= 20;
}

static void threads_and_processes_may_come_and_go(void **state)
{
	struct sample_rig rig;

	(void)state;
	sample_rig_start(&rig, come_and_go);
	start(&rig, 500, 0);
	assert_true(rig_run(&rig, has_many_threads));
	print_message("# %zu ticks, %zu in one, %zu threads, %zu broken\n",
		      told.count, told.in_one, told.tids, told.broken);
	assert_true(told.in_one > told.count / 2);
	assert_true(told.broken <= told.count / 50);
	sample_rig_end(&rig);
}

/* ---- threads that end before a period is over -------------------------- */

static void *brief(void *shared)
{
	struct shared *of = shared;

	one(1000000);
	atomic_fetch_add(&of->counters[0], cpu_now());
	return NULL;
}

NOINLINE static void brief_threads(struct shared *shared)
{
	pthread_t thread;

	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop)) {
		if (pthread_create(&thread, NULL, brief, shared) == 0)
			pthread_join(thread, NULL);
	}
}

static bool has_many_in_one(struct sample_rig *rig)
{
	(void)rig;
	return told.in_one >= told.wanted;
}

/* Threads of which each has a part of a period have their share of the ticks.
 */
static void brief_threads_have_their_share(void **state)
{
	const double rate = 200;
	struct sample_rig rig;
	double due;

	(void)state;
	sample_rig_start(&rig, brief_threads);
	start(&rig, rate, 100);
	due = (double)atomic_load(&rig.rig.shared->counters[0]);
	assert_true(rig_run(&rig, has_many_in_one));
	due = ((double)atomic_load(&rig.rig.shared->counters[0]) - due) * rate /
	      1e9;
	print_message("# %zu ticks in threads that have %.0f periods\n",
		      told.in_one, due);
	assert_true((double)told.in_one > due / 2);
	assert_true((double)told.in_one < due * 2);
	sample_rig_end(&rig);
}

/* A program that executes itself again, by way of vfork in turn, and is busy
 * after that. */
NOINLINE static void exec_subject(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		one(100000);
	execl("/bin/sh", "sh", "-c",
	      "/bin/true; /bin/true; while :; do i=$((i + 1)); done", NULL);
}

static bool has_ticks_after_exec(struct sample_rig *rig)
{
	atomic_store(&rig->rig.shared->stop, told.count >= 50);
	return told.in_other >= 50;
}

static void ticks_go_on_in_a_new_program(void **state)
{
	struct sample_rig rig;

	(void)state;
	sample_rig_start(&rig, exec_subject);
	start(&rig, 500, 0);
	assert_true(rig_run(&rig, has_ticks_after_exec));
	print_message("# %zu ticks, %zu before, %zu after, %zu broken\n",
		      told.count, told.in_one, told.in_other, told.broken);
	assert_true(told.in_one >= 40);
	assert_true(told.broken <= told.count / 4);
	sample_rig_end(&rig);
}

/* ---- without the kernel's help ----------------------------------------- */

static void refused_ticks_are_taken_by_the_tool(void **state)
{
	const struct sampling faults = {.event = SAMPLED_FAULTS};
	struct sampler_account account;
	struct sample_rig rig;
	struct error *error;

	(void)state;
	refuse_call(SYS_perf_event_open, EACCES);
	check_both(97, 200);
	sample_rig_start(&rig, both_subject);
	start(&rig, 97, 10);
	assert_true(rig_run(&rig, has_enough));
	sampler_get_account(rig.sampler, &account);
	assert_false(account.by_kernel);
	assert_non_null(strstr(account.why, "perf_event_open"));
	assert_true(account.stopped_ns > 0);
	sampler_stop(rig.sampler);
	error = sampler_start(rig.sampler, &faults, take, NULL);
	assert_non_null(error);
	assert_non_null(strstr(error_message(error), "perf_event_open"));
	error_destroy(error);
	assert_false(sampler_is_on(rig.sampler));
	sample_rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_where_the_time_is),
		cmocka_unit_test(ticks_keep_no_step),
		cmocka_unit_test(the_tool_reads_many_ticks_at_once),
		cmocka_unit_test(an_idle_program_wakes_nobody_up),
		cmocka_unit_test(ticks_without_room_are_lost),
		cmocka_unit_test(ticks_without_a_descriptor_are_no_more),
		cmocka_unit_test(deep_stacks_are_whole),
		cmocka_unit_test(threads_and_processes_may_come_and_go),
		cmocka_unit_test(ticks_go_on_in_a_new_program),
		/* the last one, because it cannot be undone */
		cmocka_unit_test(brief_threads_have_their_share),
		cmocka_unit_test(refused_ticks_are_taken_by_the_tool),
	};

	return cmocka_run_group_tests_name("sample_ticks", tests, NULL, NULL);
}
