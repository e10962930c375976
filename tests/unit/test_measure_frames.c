/*
 * test_measure_frames.c - legs that match by frame: recursion, frames that were
 * unwound, other stacks
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure_rig.h"

/* ---- frames --------------------------------------------------------- */

static void recursion_by_frame(void **state)
{
	uint32_t nested = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(2, 30, 0x200, 1);
	hit_frame(2, 50, 0x300, 1);
	check_leg(nested, 2, 50, 0, 0);
	assert_int_equal(leg(nested)->unwound, 0);
}

/* longjmp past the inner frames, seen by an exit at a shallower CFA. */
static void unwound_at_an_exit(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(1, 25, 0x100, 1);
	hit_frame(2, 50, 0x300, 1);
	check_leg(id, 1, 40, 0, 0);
	assert_int_equal(leg(id)->unwound, 2);
	assert_int_equal(leg(id)->open, 0);
}

/* ... or by an entry at an equal or shallower one. */
static void unwound_at_an_entry(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(1, 30, 0x200, 1);
	assert_int_equal(leg(id)->unwound, 1);
	assert_int_equal(leg(id)->open, 2);
	hit_frame(1, 40, 0x280, 1);
	assert_int_equal(leg(id)->unwound, 2);
	hit_frame(2, 50, 0x280, 1);
	hit_frame(2, 60, 0x300, 1);
	check_leg(id, 2, 60, 0, 0);
}

/* Not at the entry: the same frame may well get there again. */
static void equal_frames_inside_a_function(void **state)
{
	uint32_t id = add_leg((struct leg_spec){
		.from = 1, .to = 2, .match = MATCH_NESTED, .by_frame = true});

	(void)state;
	hit_frame(1, 10, 0x200, 1);
	hit_frame(1, 20, 0x200, 1);
	assert_int_equal(leg(id)->open, 2);
	hit_frame(2, 30, 0x200, 1);
	check_leg(id, 1, 10, 0, 0);
	hit_frame(1, 40, 0x300, 1);
	assert_int_equal(leg(id)->unwound, 1);
}

/* On another stack, or an unknown one, depth says nothing. */
static void other_stacks(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x100, 1);
	hit_frame(1, 20, 0x900, 2);
	hit_frame(1, 30, 0x800, 0);
	hit_frame(1, 40, 0xa00, 0);
	assert_int_equal(leg(id)->open, 4);
	assert_int_equal(leg(id)->unwound, 0);
	hit_frame(1, 50, 0x900, 3); /* but a CFA has one frame */
	assert_int_equal(leg(id)->discarded, 1);
	hit_frame(2, 60, 0x100, 1);
	hit_frame(2, 70, 0x900, 3);
	check_leg(id, 2, 70, 0, 0);
}

static void unknown_frames_match_by_order(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0, 0);
	hit_frame(1, 20, 0, 0);
	hit_frame(2, 30, 0x100, 1);
	hit_frame(2, 40, 0, 0);
	check_leg(id, 2, 40, 0, 0);
}

static void outermost_by_frame(void **state)
{
	uint32_t id = add_call_leg(MATCH_OUTERMOST);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(1, 25, 0x100, 1);
	hit_frame(2, 30, 0x200, 1); /* 0x100 was left by a longjmp */
	hit_frame(2, 50, 0x300, 1);
	check_leg(id, 1, 40, 2, 1);
	hit_frame(1, 60, 0x100, 1);
	hit_frame(1, 70, 0x200, 1); /* 0x100 is gone: this one is outermost */
	assert_int_equal(leg(id)->unwound, 1);
	hit_frame(2, 75, 0x200, 1);
	check_leg(id, 2, 45, 2, 1);
}

/* A hundred thousand frames deep, and each hit is still cheap. */
static void deep_recursion(void **state)
{
	const uint64_t depth = 100000;
	uint32_t known = add_call_leg(MATCH_NESTED);

	(void)state;
	for (uint64_t stack = 0; stack <= 1; stack++) {
		for (uint64_t i = 1; i <= depth; i++)
			hit_frame(1, i, 0x10000000 - i * 16, stack);
		assert_int_equal(leg(known)->open, depth);
		for (uint64_t i = depth; i >= 1; i--)
			hit_frame(2, depth + 1, 0x10000000 - i * 16, stack);
		assert_int_equal(leg(known)->open, 0);
	}
	assert_int_equal(leg(known)->count, 2 * depth);
	assert_false(measure_leg_is_marked(leg(known)));
}

/* Keys, `last` and `first` match by order, whatever the frames say. */
static void frames_do_not_matter_elsewhere(void **state)
{
	uint32_t id = add_leg((struct leg_spec){.from = 1,
						.to = 2,
						.match = MATCH_LAST,
						.by_frame = true,
						.from_enters = true});

	(void)state;
	hit_frame(1, 10, 0x100, 1);
	hit_frame(2, 20, 0x300, 1);
	check_leg(id, 1, 10, 0, 0);
	assert_int_equal(leg(id)->unwound, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(recursion_by_frame),
		RULE(unwound_at_an_exit),
		RULE(unwound_at_an_entry),
		RULE(equal_frames_inside_a_function),
		RULE(other_stacks),
		RULE(unknown_frames_match_by_order),
		RULE(outermost_by_frame),
		RULE(deep_recursion),
		RULE(frames_do_not_matter_elsewhere),
	};

	return cmocka_run_group_tests_name("measure_frames", tests, NULL, NULL);
}
