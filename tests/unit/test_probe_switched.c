/*
 * test_probe_switched.c - what a thread that calibrates spends on a CPU
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

static void on(struct on_cpu *sums, uint64_t time)
{
	const struct switch_record record = {.kind = SWITCH_ON, .time = time};

	on_cpu_add(sums, &record);
}

static void off(struct on_cpu *sums, uint64_t time)
{
	const struct switch_record record = {.kind = SWITCH_OFF, .time = time};

	on_cpu_add(sums, &record);
}

static void test_time_on_cpu_is_summed(void **state)
{
	struct on_cpu sums = {0};

	(void)state;
	on(&sums, 100);
	off(&sums, 130);
	/* it was taken off its CPU in between */
	on(&sums, 500);
	off(&sums, 507);
	assert_int_equal(sums.sum, 37);
	assert_false(sums.is_unknown);
}

/* Until it says that it went on, what it does is our doing. */
static void test_time_before_the_thread_went_on_does_not_count(void **state)
{
	struct on_cpu sums = {.went_on = 110};

	(void)state;
	on(&sums, 100);
	off(&sums, 130);
	assert_int_equal(sums.sum, 20);
	/* it had to give its CPU to another before it came so far */
	sums = (struct on_cpu){.went_on = 5010};
	on(&sums, 100);
	off(&sums, 130);
	on(&sums, 400);
	off(&sums, 405);
	on(&sums, 5000);
	off(&sums, 5030);
	assert_int_equal(sums.sum, 20);
	assert_false(sums.is_unknown);
}

static void test_missing_switches_make_the_sum_unknown(void **state)
{
	static const struct switch_record lost = {.kind = SWITCH_LOST};
	struct on_cpu sums = {0};

	(void)state;
	off(&sums, 100);
	assert_true(sums.is_unknown);
	sums = (struct on_cpu){0};
	on(&sums, 100);
	on(&sums, 200);
	off(&sums, 300);
	assert_true(sums.is_unknown);
	sums = (struct on_cpu){0};
	on(&sums, 100);
	on_cpu_add(&sums, &lost);
	off(&sums, 300);
	assert_true(sums.is_unknown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_on_cpu_is_summed),
		cmocka_unit_test(
			test_time_before_the_thread_went_on_does_not_count),
		cmocka_unit_test(test_missing_switches_make_the_sum_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
