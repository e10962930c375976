/*
 * test_measure_process.c - the shares that processes have of a leg
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure_rig.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/process_share.h"

/* Make an execution of the leg 1 -> 2 by the only thread of a process. */
static void execute(int32_t pid, uint64_t from, uint64_t to)
{
	hit_of(pid, (uint32_t)pid, 1, from);
	hit_of(pid, (uint32_t)pid, 2, to);
}

static uint32_t add_pair_leg(void)
{
	return add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
}

static size_t share_count(uint32_t id)
{
	struct measure_share share;
	size_t count = 0;

	while (measure_leg_share(leg(id), count, &share))
		count++;
	return count;
}

static struct measure_share share_at(uint32_t id, size_t index)
{
	struct measure_share share = {0};

	assert_true(measure_leg_share(leg(id), index, &share));
	return share;
}

static void check_share(uint32_t id, size_t index, int32_t pid, uint64_t count,
			int64_t total)
{
	struct measure_share share = share_at(id, index);

	assert_non_null(share.process);
	assert_int_equal(share.process->pid, pid);
	assert_int_equal(share.stats->count, count);
	assert_true(share.stats->total == total);
	assert_int_equal(share.stats->id, id);
}

/* ---- one process --------------------------------------------------------- */

/* If only one process has executed a leg, its share is the leg itself. */
static void share_of_the_only_process_is_the_leg(void **state)
{
	uint32_t id = add_pair_leg();

	(void)state;
	assert_int_equal(share_count(id), 0);
	execute(100, 10, 15);
	execute(100, 20, 27);
	assert_int_equal(share_count(id), 1);
	check_share(id, 0, 100, 2, 12);
	assert_ptr_equal(share_at(id, 0).stats, leg(id));
}

/* ---- against an independent sum ------------------------------------------ */

enum { PROCESSES = 5, THREADS = 3, STEPS = 20000 };

struct sums {
	uint64_t count, interrupted;
	int64_t total, min, max;
	double squares;
	int64_t durations[STEPS];
};

static uint32_t state_of_random = 12345;

static uint32_t draw(uint32_t below)
{
	state_of_random = state_of_random * 1664525 + 1013904223;
	return (state_of_random >> 8) % below;
}

static int shorter_first(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void add_to(struct sums *sums, int64_t duration)
{
	if (!sums->count || duration < sums->min)
		sums->min = duration;
	if (!sums->count || duration > sums->max)
		sums->max = duration;
	sums->durations[sums->count++] = duration;
	sums->total += duration;
	sums->squares += (double)duration * (double)duration;
}

static void check_near(double got, double wanted, double part)
{
	double off = got > wanted ? got - wanted : wanted - got;

	assert_true(off <= (wanted > 0 ? wanted : -wanted) * part + 1e-6);
}

/* The percentiles of a histogram are exact to a part in 128. */
static void check_sums(const struct measure_leg *stats, struct sums *sums)
{
	double mean = (double)sums->total / (double)sums->count, value;
	double variance = (sums->squares - mean * mean * (double)sums->count) /
			  (double)(sums->count - 1);

	assert_int_equal(stats->count, sums->count);
	assert_true(stats->total == sums->total);
	assert_int_equal(stats->min, sums->min);
	assert_int_equal(stats->max, sums->max);
	check_near(stats->mean, mean, 1e-9);
	check_near(measure_leg_stddev(stats) * measure_leg_stddev(stats),
		   variance, 1e-6);
	qsort(sums->durations, sums->count, sizeof(*sums->durations),
	      shorter_first);
	for (int q = 1; q < 100; q += 7) {
		size_t rank = (sums->count * (size_t)q + 99) / 100;

		assert_true(measure_leg_quantile(stats, q / 100.0, &value));
		check_near(value, (double)sums->durations[rank - 1], 1.0 / 64);
	}
}

/* Threads of several processes take turns. The test adds up by itself what each
 * process does. */
static void shares_agree_with_sums_by_process(void **state)
{
	struct sums *sums = calloc(PROCESSES, sizeof(*sums));
	struct sums *all = calloc(1, sizeof(*all));
	uint64_t began[PROCESSES * THREADS] = {0}, now = 1, sum = 0;
	uint32_t id = add_pair_leg();
	__int128 total = 0;

	(void)state;
	assert_non_null(sums);
	assert_non_null(all);
	for (int i = 0; i < STEPS; i++) {
		/* at first there is only one process, so that the counts of its
		 * share are those of the leg */
		bool alone = i < STEPS / 4;
		uint32_t thread = draw(alone ? THREADS : PROCESSES * THREADS);
		uint32_t process = thread / THREADS;

		now += 1 + draw(1000) * (process + 1);
		hit_of((int32_t)(200 + process), thread + 1,
		       began[thread] ? 2 : 1, now);
		if (began[thread]) {
			add_to(&sums[process], (int64_t)(now - began[thread]));
			add_to(all, (int64_t)(now - began[thread]));
		}
		began[thread] = began[thread] ? 0 : now;
	}
	assert_int_equal(share_count(id), PROCESSES);
	for (size_t i = 0; i < PROCESSES; i++) {
		struct measure_share share = share_at(id, i);

		check_sums(share.stats, &sums[share.process->pid - 200]);
		sum += share.stats->count;
		total += share.stats->total;
	}
	assert_int_equal(sum, leg(id)->count);
	assert_true(total == leg(id)->total);
	check_sums(leg(id), all);
	free(sums);
	free(all);
}

/* ---- what else a share has ----------------------------------------------- */

static void shares_count_interrupted_executions(void **state)
{
	uint32_t id = add_pair_leg();
	double value;

	(void)state;
	hit_of(100, 100, 1, 10);
	measure_set_running(measure, false, 20);
	measure_set_running(measure, true, 50);
	hit_of(100, 100, 2, 60);
	execute(101, 100, 105);
	hit_of(101, 101, 1, 110);
	measure_set_running(measure, false, 120);
	measure_set_running(measure, true, 150);
	hit_of(101, 101, 2, 160);
	check_share(id, 0, 100, 1, 20);
	check_share(id, 1, 101, 2, 25);
	assert_int_equal(share_at(id, 0).stats->interrupted, 1);
	assert_int_equal(share_at(id, 1).stats->interrupted, 1);
	assert_int_equal(share_at(id, 1).stats->min, 5);
	assert_int_equal(share_at(id, 1).stats->max, 5);
	assert_false(measure_leg_quantile(share_at(id, 0).stats, 0.5, &value));
}

static void shares_have_time_on_cpu(void **state)
{
	uint32_t id = add_pair_leg();

	(void)state;
	for (int32_t pid = 100; pid < 102; pid++) {
		uint32_t thread = (uint32_t)pid;
		uint64_t at = (uint64_t)pid * 1000;

		measure_watch(measure, thread, pid, at);
		measure_switch(measure, thread, at + 1, true);
		for (int i = 0; i < 2; i++) {
			struct hit now = {.node = i ? 2 : 1,
					  .thread = thread,
					  .pid = pid,
					  .tid = pid,
					  .mechanism = HIT_FAST,
					  .time = at + 10 + (i ? 50 : 0)};

			if (i) {
				measure_switch(measure, thread, at + 20, false);
				measure_switch(measure, thread,
					       at + 25 + thread - 100, true);
			}
			measure_fast_hit(measure, &now);
		}
	}
	for (size_t i = 0; i < 2; i++) {
		struct measure_cpu cpu = measure_leg_cpu(share_at(id, i).stats);

		assert_int_equal(cpu.count, 1);
		assert_true(cpu.waiting == (__int128)(5 + i));
		assert_true(cpu.cpu == (__int128)(45 - i));
		assert_int_equal(
			share_at(id, i).stats->by_mechanisms[1 << HIT_FAST], 1);
	}
}

/* Legs that `add successor' enters, and legs of goroutines. */
static void legs_of_successors_and_goroutines_have_shares(void **state)
{
	uint32_t id = add_leg((struct leg_spec){
		.from = 3, .to = 4, .match = MATCH_LAST, .adapts = true});
	const struct measure_leg *found;

	(void)state;
	for (int32_t pid = 100; pid < 103; pid++)
		for (uint32_t node = 3; node <= 4; node++) {
			struct hit now = {.node = node,
					  .thread = (uint32_t)pid + node,
					  .pid = pid,
					  .tid = pid,
					  .time = (uint64_t)pid * 100 + node,
					  .goroutine = 7};

			measure_hit(measure, &now);
		}
	for (size_t i = 0; i < 3; i++)
		check_share(id, i, (int32_t)(100 + i), 1, 1);
	measure_set_track(measure, TRACK_SUCCESSOR);
	measure_set_add_successor(measure, true);
	execute(100, 20000, 20005);
	execute(101, 20010, 20017);
	found = measure_leg_between(measure, 1, 2);
	assert_non_null(found);
	check_share(found->id, 0, 100, 1, 5);
	check_share(found->id, 1, 101, 1, 7);
}

/* ---- what becomes of shares ---------------------------------------------- */

static void ended_processes_keep_their_shares(void **state)
{
	uint32_t id = add_pair_leg();

	(void)state;
	execute(100, 10, 15);
	execute(101, 20, 22);
	measure_process_gone(measure, 100);
	measure_process_gone(measure, 101);
	execute(102, 30, 31);
	assert_int_equal(share_count(id), 3);
	check_share(id, 0, 100, 1, 5);
	check_share(id, 1, 101, 1, 2);
	check_share(id, 2, 102, 1, 1);
	assert_int_equal(share_at(id, 0).stats->min, 5);
	assert_int_equal(share_at(id, 0).stats->max, 5);
}

/* Two processes that had the same pid have separate shares, also if no other
 * process has executed the leg. */
static void reused_pid_has_a_share_of_its_own(void **state)
{
	uint32_t id = add_pair_leg();

	(void)state;
	hit_of(100, 1, 1, 10);
	hit_of(100, 1, 2, 15);
	measure_name_process(measure, 100, "sh", "sh -c x");
	measure_process_gone(measure, 100);
	measure_name_process(measure, 100, "nobody", "nobody");
	hit_of(100, 2, 1, 20);
	hit_of(100, 2, 2, 27);
	measure_name_process(measure, 100, "x", NULL);
	check_share(id, 0, 100, 1, 5);
	check_share(id, 1, 100, 1, 7);
	assert_int_not_equal(share_at(id, 0).process->number,
			     share_at(id, 1).process->number);
	assert_string_equal(share_at(id, 0).process->comm, "sh");
	assert_string_equal(share_at(id, 0).process->command, "sh -c x");
	assert_string_equal(share_at(id, 1).process->comm, "x");
	assert_null(share_at(id, 1).process->command);
	measure_name_process(measure, 100, "y", "y z");
	assert_string_equal(share_at(id, 1).process->comm, "y");
}

static void zero_and_initialize_clear_shares(void **state)
{
	uint32_t id = add_pair_leg();

	(void)state;
	execute(100, 10, 15);
	execute(101, 20, 22);
	measure_process_gone(measure, 100);
	measure_zero(measure, 25);
	assert_int_equal(share_count(id), 0);
	execute(101, 30, 33);
	assert_int_equal(share_count(id), 1);
	check_share(id, 0, 101, 1, 3);
	execute(102, 40, 44);
	check_share(id, 0, 101, 1, 3);
	check_share(id, 1, 102, 1, 4);
	measure_initialize(measure, 50);
	measure_add_node(measure, 1);
	measure_add_node(measure, 2);
	id = add_pair_leg();
	assert_int_equal(share_count(id), 0);
	execute(102, 60, 66);
	execute(101, 70, 77);
	check_share(id, 0, 102, 1, 6);
	check_share(id, 1, 101, 1, 7);
}

static void deleted_leg_leaves_no_shares(void **state)
{
	uint32_t id = add_pair_leg();

	(void)state;
	execute(100, 10, 15);
	execute(101, 20, 22);
	assert_null(measure_delete_leg(measure, id));
	id = add_pair_leg();
	assert_int_equal(share_count(id), 0);
	execute(101, 30, 33);
	check_share(id, 0, 101, 1, 3);
}

/* If there is no room for more shares, the counts of the leg itself stay right.
 * If another leg and its shares are deleted, there is room again. */
static void leg_stays_right_without_room_for_shares(void **state)
{
	const int32_t most = PROCESS_SHARES + 10;
	uint32_t id = add_pair_leg();
	struct measure_share share;

	(void)state;
	for (int32_t pid = 1; pid <= most; pid++) {
		uint64_t at = (uint64_t)pid * 100;

		execute(pid, at, at + 1);
		execute(pid, at + 10, at + 12);
		measure_process_gone(measure, pid);
	}
	assert_int_equal(leg(id)->count, 2 * most);
	assert_int_equal(share_count(id), PROCESS_SHARES + 1);
	check_share(id, PROCESS_SHARES - 1, PROCESS_SHARES, 2, 3);
	share = share_at(id, PROCESS_SHARES);
	assert_null(share.process);
	assert_int_equal(share.stats->count, 20);
	assert_true(share.stats->total == 30);
	assert_null(measure_delete_leg(measure, id));
	id = add_pair_leg();
	execute(1, UINT64_C(100000000), UINT64_C(100000001));
	execute(2, UINT64_C(100000002), UINT64_C(100000005));
	check_share(id, 1, 2, 1, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(share_of_the_only_process_is_the_leg),
		RULE(shares_agree_with_sums_by_process),
		RULE(shares_count_interrupted_executions),
		RULE(shares_have_time_on_cpu),
		RULE(ended_processes_keep_their_shares),
		RULE(legs_of_successors_and_goroutines_have_shares),
		RULE(reused_pid_has_a_share_of_its_own),
		RULE(zero_and_initialize_clear_shares),
		RULE(deleted_leg_leaves_no_shares),
		RULE(leg_stays_right_without_room_for_shares),
	};

	return cmocka_run_group_tests_name("measure_process", tests, NULL,
					   NULL);
}
