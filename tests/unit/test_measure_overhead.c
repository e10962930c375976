/*
 * test_measure_overhead.c - the union of intervals that come in any order
 *
 * tier: core
 * covers: measure/timekeeping
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "measure/timekeeping/overhead.h"

static void overlapping_intervals_count_once(void **state)
{
	struct overhead overhead;

	(void)state;
	overhead_zero(&overhead, 100);
	overhead_add(&overhead, 200, 300);
	assert_true(overhead.together == 100);
	overhead_add(&overhead, 150, 160); /* before the first interval */
	overhead_add(&overhead, 160, 170); /* touches the one before */
	assert_true(overhead.together == 120);
	assert_int_equal(overhead.count, 2);
	overhead_add(&overhead, 220, 280); /* lies within the first one */
	assert_true(overhead.together == 120);
	overhead_add(&overhead, 165, 210); /* joins the two intervals */
	assert_true(overhead.together == 150);
	assert_int_equal(overhead.count, 1);
	overhead_add(&overhead, 120, 400); /* lies around them */
	assert_true(overhead.together == 280);
	overhead_add(&overhead, 50, 130); /* began before the zero */
	assert_true(overhead.together == 300);
	overhead_add(&overhead, 50, 90); /* began and ended before the zero */
	assert_true(overhead.together == 300);
	assert_true(overhead.sum == 100 + 10 + 10 + 60 + 45 + 280 + 30);
	overhead_zero(&overhead, 500);
	assert_true(overhead.together == 0 && overhead.sum == 0);
}

/* The test marks every held tick of time in an array, and counts the marks. */
static void union_agrees_with_marked_ticks(void **state)
{
	enum { LENGTH = 20000 };
	static char held[LENGTH];
	unsigned short seed[3] = {3, 1, 4};

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct overhead overhead;
		double together = 0;

		memset(held, 0, sizeof(held));
		overhead_zero(&overhead, 0);
		/* intervals come out of order, but by less than what the union
		 * keeps */
		for (long now = 0; now < LENGTH - 200;
		     now += nrand48(seed) % 40) {
			long from = now + nrand48(seed) % 150;
			long to = from + nrand48(seed) % 50;

			memset(held + from, 1, (size_t)(to - from));
			overhead_add(&overhead, (double)from, (double)to);
		}
		for (size_t i = 0; i < LENGTH; i++)
			together += held[i];
		assert_true(overhead.together == together);
	}
}

/* An interval that comes very late adds nothing, because its time is settled.
 */
static void very_late_interval_adds_nothing(void **state)
{
	struct overhead overhead;

	(void)state;
	overhead_zero(&overhead, 0);
	for (int i = 0; i < 10 * OVERHEAD_RECENT; i++)
		overhead_add(&overhead, i * 10, i * 10 + 5);
	assert_true(overhead.together == 10 * OVERHEAD_RECENT * 5);
	overhead_add(&overhead, 6, 9);
	assert_true(overhead.together == 10 * OVERHEAD_RECENT * 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlapping_intervals_count_once),
		cmocka_unit_test(union_agrees_with_marked_ticks),
		cmocka_unit_test(very_late_interval_adds_nothing),
	};

	return cmocka_run_group_tests_name("measure_overhead", tests, NULL,
					   NULL);
}
