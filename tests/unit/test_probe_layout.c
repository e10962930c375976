/*
 * test_probe_layout.c - whether a site must be tried again, because a site near
 * it has come or gone
 *
 * tier: core
 * covers: probe/site
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "perftool/straight.h"
#include "probe/site/layout.h"

#define PLACE 0x401000UL

static void a_change_nearby_is_seen_once(void **state)
{
	struct layout layout = {0};
	uintptr_t tried_at;

	(void)state;
	assert_false(layout_has_changed(&layout, PLACE, 0));
	layout_note(&layout, PLACE + STRAIGHT_REACH);
	assert_true(layout_has_changed(&layout, PLACE, 0));
	tried_at = layout.changes;
	assert_false(layout_has_changed(&layout, PLACE, tried_at));
	layout_note(&layout, PLACE - STRAIGHT_REACH);
	assert_true(layout_has_changed(&layout, PLACE, tried_at));
	layout_deinit(&layout);
}

static void every_distance_within_reach_is_near(void **state)
{
	(void)state;
	for (uint64_t at = PLACE; at < PLACE + 2UL * LAYOUT_BYTES; at++)
		for (uint64_t by = at - STRAIGHT_REACH;
		     by <= at + STRAIGHT_REACH; by++) {
			struct layout layout = {0};

			layout_note(&layout, by);
			assert_true(layout_has_changed(&layout, at, 0));
			layout_deinit(&layout);
		}
}

static void a_change_far_away_does_not_matter(void **state)
{
	struct layout layout = {0}, copy = {0};

	(void)state;
	layout_note(&layout, PLACE + 2UL * LAYOUT_BYTES);
	layout_note(&layout, PLACE - 2UL * LAYOUT_BYTES);
	assert_false(layout_has_changed(&layout, PLACE, 0));
	layout_note(&layout, PLACE);
	layout_copy(&layout, &copy);
	layout_deinit(&layout);
	assert_true(layout_has_changed(&copy, PLACE, 2));
	assert_false(layout_has_changed(&copy, PLACE, 3));
	layout_deinit(&copy);
}

static void a_change_that_is_undone_does_not_matter(void **state)
{
	struct layout layout = {0};
	size_t outer, inner;

	(void)state;
	outer = layout_attempt(&layout);
	layout_note(&layout, PLACE);
	inner = layout_attempt(&layout);
	layout_note(&layout, PLACE);
	layout_attempted(&layout, inner, true);
	layout_attempted(&layout, outer, false);
	assert_false(layout_has_changed(&layout, PLACE, 0));
	outer = layout_attempt(&layout);
	inner = layout_attempt(&layout);
	layout_note(&layout, PLACE + 8UL * LAYOUT_BYTES);
	layout_attempted(&layout, inner, false);
	layout_note(&layout, PLACE);
	layout_attempted(&layout, outer, true);
	assert_true(layout_has_changed(&layout, PLACE, 0));
	assert_false(
		layout_has_changed(&layout, PLACE + 8UL * LAYOUT_BYTES, 0));
	assert_int_equal(layout.changes, 1);
	layout_deinit(&layout);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_nearby_is_seen_once),
		cmocka_unit_test(every_distance_within_reach_is_near),
		cmocka_unit_test(a_change_far_away_does_not_matter),
		cmocka_unit_test(a_change_that_is_undone_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
