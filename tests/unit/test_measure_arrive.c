/*
 * test_measure_arrive.c - the account of a thread for hits that somebody else
 * counts
 *
 * tier: core
 * covers: measure/threads
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure_rig.h"
#include "perftool/measure/thread_counts.h"

static struct measure_arrival arrive(uint64_t time, enum hit_mechanism how,
				     double cost_before)
{
	const struct hit hit = {.thread = 1,
				.pid = PID,
				.tid = 1,
				.time = time,
				.mechanism = how,
				.cost_before = cost_before};
	struct measure_arrival arrival;

	assert_true(measure_arrive(measure, &hit, &arrival));
	return arrival;
}

/* The time of the thread is without stops and without calibrated costs, as for
 * a leg of the same hits. */
static void holds_and_costs_are_taken_out(void **state)
{
	struct measure_arrival first, second;

	(void)state;
	first = arrive(1000, HIT_INT3, 10);
	measure_hold(measure, 1, PID, 1, 1000, 1500, 10, 20);
	second = arrive(1600, HIT_INT3, 10);
	assert_int_equal(second.at - first.at, 600);
	assert_int_equal(second.own - first.own, 100);
	assert_true(second.cost - first.cost == 10 + 20);
	/* Another thread was not held. */
	measure_hold(measure, 2, PID, 2, 1600, 1700, 0, 0);
	assert_int_equal(arrive(1800, HIT_FAST, 0).own - second.own, 200);
}

static void no_table_changes(void **state)
{
	struct measure_summary summary;

	(void)state;
	arrive(1000, HIT_FAST, 5);
	measure_get_summary(measure, 2000, &summary);
	assert_int_equal(summary.breaks, 0);
	assert_int_equal(measure_node(measure, 1)->count, 0);
}

/* While the clock of the measurements stands, the thread's time stands. */
static void pauses_do_not_count(void **state)
{
	struct measure_arrival first = {0};

	(void)state;
	first = arrive(1000, HIT_FAST, 0);
	measure_set_running(measure, false, 1100);
	measure_set_running(measure, true, 5000);
	assert_int_equal(arrive(5200, HIT_FAST, 0).own - first.own, 300);
}

static void others_do_not_count(void **state)
{
	const struct hit hit = {.thread = 1, .pid = PID, .tid = 1, .time = 10};
	struct measure_arrival arrival;

	(void)state;
	measure_set_tracked(measure, PID, 2);
	assert_false(measure_arrive(measure, &hit, &arrival));
	measure_set_tracked(measure, 0, 0);
	measure_set_monitor(measure, false, 20);
	assert_false(measure_arrive(measure, &hit, &arrival));
}

/* Waiting is known between two hits of one epoch. */
static void waiting_is_told(void **state)
{
	struct measure_arrival first, second;

	(void)state;
	first = arrive(100, HIT_FAST, 0);
	assert_int_equal(first.epoch, 0);
	measure_watch(measure, 1, PID, 200);
	measure_switch(measure, 1, 250, true);
	first = arrive(1000, HIT_FAST, 0);
	measure_switch(measure, 1, 1100, false);
	measure_switch(measure, 1, 1400, true);
	second = arrive(1500, HIT_FAST, 0);
	assert_int_not_equal(first.epoch, 0);
	assert_int_equal(second.epoch, first.epoch);
	assert_true(second.waited - first.waited == 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(holds_and_costs_are_taken_out,
						setup, teardown),
		cmocka_unit_test_setup_teardown(no_table_changes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(pauses_do_not_count, setup,
						teardown),
		cmocka_unit_test_setup_teardown(others_do_not_count, setup,
						teardown),
		cmocka_unit_test_setup_teardown(waiting_is_told, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
