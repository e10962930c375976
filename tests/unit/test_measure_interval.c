/*
 * test_measure_interval.c - what was counted since the last time
 *
 * test_measure_interval_random.c shows that random hits are counted in this
 * way, too.
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "measure_rig.h"
#include "perftool/histogram.h"
#include "perftool/interval.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

static int begin(void **state)
{
	setup(state);
	measure_count_intervals(measure);
	return 0;
}

#define INTERVAL(test) cmocka_unit_test_setup_teardown(test, begin, teardown)

static struct measure_interval since_last(uint64_t now)
{
	struct measure_interval interval;

	measure_since_last(measure, now, &interval);
	return interval;
}

static void execute(uint64_t from, uint64_t to)
{
	hit(1, 1, from);
	hit(2, 1, to);
}

static void interval_has_its_own_leg_figures(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_interval interval;
	double median;

	(void)state;
	execute(100, 1100); /* lasts 1000 ns */
	execute(2000, 2010);
	interval = since_last(3000);
	assert_int_equal(interval.legs.count, 1);
	assert_int_equal(interval.legs.data[0].min, 10);
	measure_interval_deinit(&interval);

	execute(4000, 4100);
	execute(5000, 5300);
	interval = since_last(6000);
	assert_int_equal(interval.nodes.data[0].id, 1);
	assert_int_equal(interval.nodes.data[0].count, 2);
	assert_int_equal(interval.legs.data[0].id, id);
	assert_int_equal(interval.legs.data[0].count, 2);
	assert_true(interval.legs.data[0].total == 400);
	assert_int_equal(interval.legs.data[0].min, 100);
	assert_int_equal(interval.legs.data[0].max, 300);
	assert_true(interval.legs.data[0].mean == 200);
	assert_true(fabs(measure_leg_stddev(&interval.legs.data[0]) -
			 sqrt(20000)) < 1e-9);
	assert_true(measure_leg_quantile(&interval.legs.data[0], 0.5, &median));
	assert_true(fabs(median - 100) <= 1);
	assert_int_equal(interval.summary.elapsed, 3000);
	assert_int_equal(interval.summary.breaks, 4);
	measure_interval_deinit(&interval);

	/* the leg itself has all executions */
	assert_int_equal(leg(id)->count, 4);
	assert_int_equal(leg(id)->min, 10);
	assert_int_equal(leg(id)->max, 1000);

	interval = since_last(7000);
	assert_int_equal(interval.legs.data[0].count, 0);
	assert_false(
		measure_leg_quantile(&interval.legs.data[0], 0.5, &median));
	assert_int_equal(interval.summary.breaks, 0);
	measure_interval_deinit(&interval);
}

/* An execution that spans intervals counts in the interval in which it ends. */
static void execution_counts_in_the_interval_where_it_ends(void **state)
{
	struct measure_interval interval;
	const struct measure_leg *at;

	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_NESTED);
	hit(1, 1, 10);
	hit(1, 1, 20);
	interval = since_last(30);
	at = &interval.legs.data[0];
	assert_int_equal(at->from_hits, 2);
	assert_int_equal(at->open, 2);
	assert_int_equal(at->count, 0);
	measure_interval_deinit(&interval);
	hit(2, 1, 40);
	interval = since_last(50);
	at = &interval.legs.data[0];
	assert_int_equal(interval.nodes.data[0].count, 0);
	assert_int_equal(at->from_hits, 2);
	assert_int_equal(at->open, 1);
	assert_int_equal(at->count, 1);
	assert_true(at->total == 20);
	measure_interval_deinit(&interval);
}

static void zero_begins_a_new_interval(void **state)
{
	const struct histogram_spec log = {.class = HISTOGRAM_LOG, .scale = -1};
	struct measure_interval interval;

	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	assert_null(measure_leg_add_histogram(measure, 0, &log));
	execute(100, 300);
	interval = since_last(1000);
	measure_interval_deinit(&interval);
	execute(1100, 1200);
	measure_zero(measure, 2000);
	execute(2100, 2110);
	interval = since_last(2500);
	assert_int_equal(interval.summary.elapsed, 500);
	assert_int_equal(interval.summary.breaks, 2);
	assert_int_equal(interval.nodes.data[0].count, 1);
	assert_int_equal(interval.legs.data[0].count, 1);
	assert_int_equal(interval.legs.data[0].max, 10);
	assert_int_equal(histogram_references(interval.legs.data[0].histogram),
			 1);
	measure_interval_deinit(&interval);
	measure_initialize(measure, 3000);
	interval = since_last(3500);
	assert_int_equal(interval.summary.elapsed, 500);
	assert_int_equal(interval.nodes.count, 0);
	assert_int_equal(interval.legs.count, 0);
	measure_interval_deinit(&interval);
}

/* A histogram that replaces another counts from its own beginning. */
static void replaced_histogram_counts_from_its_own_beginning(void **state)
{
	const struct histogram_spec linear = {.class = HISTOGRAM_LINEAR,
					      .scale = -1};
	struct measure_interval interval;

	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	assert_null(measure_leg_add_histogram(measure, 0, &linear));
	for (uint64_t at = 0; at < 100; at += 10)
		execute(at, at + 5);
	interval = since_last(100);
	measure_interval_deinit(&interval);
	assert_null(measure_leg_add_histogram(measure, 0, &linear));
	execute(110, 112);
	interval = since_last(200);
	assert_int_equal(histogram_references(interval.legs.data[0].histogram),
			 1);
	measure_interval_deinit(&interval);
}

/* Make an execution by the only thread of a process. */
static void execute_of(int32_t pid, uint64_t from, uint64_t to)
{
	hit_of(pid, (uint32_t)pid, 1, from);
	hit_of(pid, (uint32_t)pid, 2, to);
}

static void check_share(const struct measure_interval *interval, size_t index,
			uint64_t count, int64_t ns)
{
	const struct measure_leg *share = &interval->shares.data[index];

	assert_int_equal(share->count, count);
	assert_true(share->total == ns);
	assert_int_equal(histogram_references(share->record), count);
	assert_int_equal(share->min, ns);
	assert_int_equal(share->max, ns);
	assert_true(share->mean == (double)ns);
	assert_int_equal(share->by_mechanisms[1U << HIT_INT3], count);
}

/* The second process first executes the leg in the middle of an interval. */
static void interval_has_shares_of_processes(void **state)
{
	struct measure_interval interval;

	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	execute_of(PID, 100, 1100);
	interval = since_last(1500);
	assert_int_equal(interval.shares.count, 0);
	measure_interval_deinit(&interval);

	execute_of(PID, 2000, 2010);
	execute_of(PID + 1, 3000, 3007);
	interval = since_last(4000);
	assert_int_equal(interval.shares.count, 2);
	check_share(&interval, 0, 1, 10);
	check_share(&interval, 1, 1, 7);
	measure_interval_deinit(&interval);

	execute_of(PID + 1, 5000, 5003);
	interval = since_last(6000);
	assert_int_equal(interval.shares.count, 2);
	check_share(&interval, 0, 0, 0);
	check_share(&interval, 1, 1, 3);
	measure_interval_deinit(&interval);

	measure_zero(measure, 6500);
	execute_of(PID + 1, 7000, 7004);
	execute_of(PID, 7010, 7015);
	interval = since_last(8000);
	check_share(&interval, 0, 1, 4);
	check_share(&interval, 1, 1, 5);
	measure_interval_deinit(&interval);
}

/* The tool learns of a hold in the interval in which the hold ends. Here the
 * hold was longer than that interval. */
static void hold_counts_in_the_interval_where_it_ends(void **state)
{
	struct measure_interval interval;

	(void)state;
	interval = since_last(1000);
	measure_interval_deinit(&interval);
	held_hit(1, 1, 100, 1100, 0, 0);
	interval = since_last(1200);
	assert_int_equal(interval.summary.elapsed, 200);
	assert_int_equal(interval.summary.overhead, 200);
	assert_int_equal(interval.summary.added_overhead, 1000);
	measure_interval_deinit(&interval);
	interval = since_last(3000);
	assert_int_equal(interval.summary.elapsed, 1800);
	assert_int_equal(interval.summary.overhead, 800);
	assert_int_equal(interval.summary.added_overhead, 0);
	assert_true(interval.summary.average_overhead == 0);
	measure_interval_deinit(&interval);
}

/* Make a break of a thread whose switches are known. */
static void watched_hit(uint32_t node, uint64_t time)
{
	measure_switch(measure, 1, time, false);
	held_hit(node, 1, time, time + 10, 0, 0);
	measure_switch(measure, 1, time + 10, true);
}

static void interval_has_time_on_cpu(void **state)
{
	struct measure_interval interval;
	struct measure_cpu cpu;

	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	measure_watch(measure, 1, PID, 0);
	measure_switch(measure, 1, 1, true);
	for (uint64_t begin = 100; begin <= 1100; begin += 1000) {
		uint64_t sleep = begin / 10; /* 10, then 110 ns */

		watched_hit(1, begin);
		measure_switch(measure, 1, begin + 20, false);
		measure_switch(measure, 1, begin + 20 + sleep, true);
		watched_hit(2, begin + 210);
		interval = since_last(begin + 300);
		cpu = measure_leg_cpu(&interval.legs.data[0]);
		assert_int_equal(cpu.count, 1);
		assert_true(cpu.waiting == (__int128)sleep);
		assert_true(cpu.cpu == 200 - (__int128)sleep);
		measure_interval_deinit(&interval);
	}
	/* executions whose time on a CPU is not known */
	for (uint64_t at = 2000; at <= 3000; at += 1000) {
		hit(1, 2, at);
		hit(2, 2, at + 100);
		interval = since_last(at + 500);
		cpu = measure_leg_cpu(&interval.legs.data[0]);
		assert_int_equal(cpu.count, 0);
		assert_true(cpu.waiting == 0 && cpu.cpu == 0);
		measure_interval_deinit(&interval);
	}
}

static void interval_has_its_own_errors(void **state)
{
	struct measure_interval interval;

	(void)state;
	measure_node_error(measure, 1, "why");
	measure_node_error(measure, 1, "why else");
	interval = since_last(10);
	assert_int_equal(interval.nodes.data[0].errors, 2);
	measure_interval_deinit(&interval);
	measure_node_error(measure, 1, "why");
	interval = since_last(20);
	assert_int_equal(interval.nodes.data[0].errors, 1);
	assert_string_equal(interval.nodes.data[0].first_error, "why");
	measure_interval_deinit(&interval);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		INTERVAL(interval_has_its_own_leg_figures),
		INTERVAL(execution_counts_in_the_interval_where_it_ends),
		INTERVAL(zero_begins_a_new_interval),
		INTERVAL(replaced_histogram_counts_from_its_own_beginning),
		INTERVAL(hold_counts_in_the_interval_where_it_ends),
		INTERVAL(interval_has_its_own_errors),
		INTERVAL(interval_has_time_on_cpu),
		INTERVAL(interval_has_shares_of_processes),
	};

	return cmocka_run_group_tests_name("measure_interval", tests, NULL,
					   NULL);
}
