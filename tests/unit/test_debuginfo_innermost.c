/*
 * test_debuginfo_innermost.c - the deepest of many ranges
 *
 * tier: core
 * covers: debuginfo/scopes
 */
#include "debuginfo/scopes/nested_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void make(const struct innermost_range *ranges, size_t count,
		 struct innermost *out)
{
	struct innermost_list list = {0};

	*out = (struct innermost){0};
	for (size_t i = 0; i < count; i++)
		vec_push(&list, ranges[i]);
	innermost_make(&list, out);
	vec_free(&list);
}

static void test_no_ranges_have_no_innermost_one(void **state)
{
	struct innermost none;

	(void)state;
	make(NULL, 0, &none);
	assert_int_equal(innermost_at(&none, 0), INNERMOST_NONE);
	assert_int_equal(innermost_at(&none, UINT64_MAX), INNERMOST_NONE);
	innermost_free(&none);
}

static void test_innermost_of_nested_ranges_is_found(void **state)
{
	static const struct innermost_range ranges[] = {
		{100, 200, 1, 0}, {120, 140, 2, 1}, {130, 140, 3, 2},
		{150, 150, 2, 3}, {200, 210, 1, 4},
	};
	static const struct {
		uint64_t address;
		uint32_t number;
	} known[] = {
		{99, INNERMOST_NONE},
		{100, 0},
		{119, 0},
		{120, 1},
		{129, 1},
		{130, 2},
		{139, 2},
		{140, 0},
		{150, 0},
		{199, 0},
		{200, 4},
		{209, 4},
		{210, INNERMOST_NONE},
	};
	struct innermost nested;

	(void)state;
	make(ranges, COUNT(ranges), &nested);
	for (size_t i = 0; i < COUNT(known); i++)
		assert_int_equal(innermost_at(&nested, known[i].address),
				 known[i].number);
	innermost_free(&nested);
}

static uint32_t one_by_one(const struct innermost_range *ranges, size_t count,
			   uint64_t address)
{
	const struct innermost_range *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (address >= ranges[i].low && address < ranges[i].high &&
		    (!best || ranges[i].depth >= best->depth))
			best = &ranges[i];
	return best ? best->number : INNERMOST_NONE;
}

/* Ranges that no compiler makes, one after the other looked at. */
static void test_innermost_of_any_ranges_is_found(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct innermost_range ranges[24];
		size_t count = (size_t)round % COUNT(ranges);
		struct innermost any;

		for (size_t i = 0; i < count; i++) {
			random = random * 6364136223846793005 + 1;
			ranges[i] = (struct innermost_range){
				.low = random >> 58,
				.high = random >> 52 & 63,
				.depth = random >> 50 & 3,
				.number = (uint32_t)i,
			};
		}
		make(ranges, count, &any);
		for (uint64_t address = 0; address < 66; address++)
			assert_int_equal(innermost_at(&any, address),
					 one_by_one(ranges, count, address));
		innermost_free(&any);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_ranges_have_no_innermost_one),
		cmocka_unit_test(test_innermost_of_nested_ranges_is_found),
		cmocka_unit_test(test_innermost_of_any_ranges_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
