/*
 * test_probe_cost.c - what calibrations make of their samples
 *
 * tier: core
 * covers: probe/calibrate
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/probe_state.h"

static int empty_call(double mean, double hit, double before)
{
	return (int)(cost_of_empty_call(mean, hit, before) * 10);
}

static void undisturbed_calls_are_as_they_were_measured(void **state)
{
	(void)state;
	assert_int_equal(empty_call(19.5, 19, 0), 195);
	assert_int_equal(empty_call(15, 19, 30), 150);
	assert_int_equal(empty_call(28, 19, 20), 280);
}

/* The thread has lost its CPU for 4 ms during one of 300 calls. */
static void times_without_a_cpu_are_left_out(void **state)
{
	const double mean = 19.5 + 4e6 / 300;

	(void)state;
	assert_int_equal(empty_call(mean, 19, 20), 200);
	assert_int_equal(empty_call(mean, 19, 0), 190);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(undisturbed_calls_are_as_they_were_measured),
		cmocka_unit_test(times_without_a_cpu_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
