/*
 * test_profile_call_arcs.c - the table of arcs: what is one arc, what is added
 * up, and what a limit does
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perftool/profile/call_arcs.h"

static const struct call_arc one = {.thread = 1,
				    .caller = 2,
				    .callee = 3,
				    .site = 0x40,
				    .site_module = 1,
				    .times = {.count = 1,
					      .unreturned = 1,
					      .elapsed = 10,
					      .self = 7,
					      .outermost = 9,
					      .self_waiting = 2,
					      .waiting = 3}};

static void test_equal_arcs_are_added_up(void **state)
{
	struct call_arcs arcs = {0};
	const struct call_times *times;

	(void)state;
	for (int i = 0; i < 5; i++)
		call_arcs_add(&arcs, &one);
	assert_int_equal(arcs.list.count, 1);
	times = &arcs.list.data[0].times;
	assert_int_equal(times->count, 5);
	assert_int_equal(times->unreturned, 5);
	assert_int_equal(times->elapsed, 50);
	assert_int_equal(times->self, 35);
	assert_int_equal(times->outermost, 45);
	assert_int_equal(times->self_waiting, 10);
	assert_int_equal(times->waiting, 15);
	call_arcs_deinit(&arcs);
}

/* The thread, the caller, the callee and the call site make an arc. */
static void test_arcs_are_told_apart(void **state)
{
	struct call_arcs arcs = {0};
	struct call_arc arc = one;

	(void)state;
	call_arcs_add(&arcs, &arc);
	arc.thread++;
	call_arcs_add(&arcs, &arc);
	arc.caller = NO_PROCEDURE;
	call_arcs_add(&arcs, &arc);
	arc.callee++;
	call_arcs_add(&arcs, &arc);
	arc.site++;
	call_arcs_add(&arcs, &arc);
	arc.site_module++;
	call_arcs_add(&arcs, &arc);
	assert_int_equal(arcs.list.count, 6);
	call_arcs_deinit(&arcs);
}

/* Beyond the limit, calls are added up in one sum; arcs that are in the table
 * go on counting. */
static void test_limit_adds_up_further_arcs(void **state)
{
	struct call_arcs arcs = {.limit = 3};
	struct call_arc arc = one;

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		arc.callee = i;
		call_arcs_add(&arcs, &arc);
	}
	assert_int_equal(arcs.list.count, 3);
	assert_int_equal(arcs.others, 7);
	assert_int_equal(arcs.other.count, 7);
	assert_int_equal(arcs.other.elapsed, 70);
	arc.callee = 2;
	call_arcs_add(&arcs, &arc);
	assert_int_equal(arcs.others, 7);
	assert_int_equal(arcs.list.data[2].times.count, 2);
	call_arcs_clear(&arcs);
	assert_int_equal(arcs.list.count, 0);
	assert_int_equal(arcs.others, 0);
	assert_int_equal(arcs.other.count, 0);
	assert_int_equal(arcs.limit, 3);
	call_arcs_add(&arcs, &one);
	assert_int_equal(arcs.list.count, 1);
	call_arcs_deinit(&arcs);
}

static void test_many_arcs_are_found_again(void **state)
{
	struct call_arcs arcs = {0};
	struct call_arc arc = one;

	(void)state;
	for (int turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < 50000; i++) {
			arc.caller = i / 100;
			arc.callee = i % 100;
			call_arcs_add(&arcs, &arc);
		}
	}
	assert_int_equal(arcs.list.count, 50000);
	for (size_t i = 0; i < arcs.list.count; i++)
		assert_int_equal(arcs.list.data[i].times.count, 3);
	call_arcs_deinit(&arcs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_arcs_are_added_up),
		cmocka_unit_test(test_arcs_are_told_apart),
		cmocka_unit_test(test_limit_adds_up_further_arcs),
		cmocka_unit_test(test_many_arcs_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
