/*
 * test_probe_tails.c - which return ends a frame that was left by a tail jump
 *
 * tier: core
 * covers: probe/arrival
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perftool/base/hit.h"
#include "probe/arrival/tail_frames.h"

/* Functions, and the breakpoint that waits for the end of F's frames. */
enum { F = 0x1000, G = 0x2000, H = 0x3000 };
enum { OF_F = 1, OF_G = 2 };

static struct tail_frames frames;

static int setup(void **state)
{
	(void)state;
	frames = (struct tail_frames){0};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tail_frames_deinit(&frames);
	return 0;
}

static struct tail_spot at(uint64_t function, uint64_t cfa)
{
	static uint64_t time;

	return (struct tail_spot){.owner = 7,
				  .cfa = cfa,
				  .stack = 1,
				  .caller = 0x500,
				  .function = function,
				  .time = ++time};
}

/* From one function to the entry of another. */
static void jump(struct tail_spot spot, uint32_t breakpoint, uint64_t to)
{
	if (breakpoint)
		tail_frames_leave(&frames, &spot, breakpoint);
	tail_frames_go_to(&frames, &spot, to);
}

/* How many hits the breakpoint gets from a return. */
static uint32_t ends(struct tail_spot spot, uint32_t breakpoint)
{
	struct tail_end_list list = {0};
	uint32_t count = 0;

	tail_frames_return(&frames, &spot, &list);
	for (size_t i = 0; i < list.count; i++)
		if (list.data[i].breakpoint == breakpoint)
			count += list.data[i].count;
	vec_free(&list);
	return count;
}

static bool enter(struct tail_spot spot)
{
	tail_frames_enter(&frames, &spot);
	return tail_frames_is_back(&frames, &spot);
}

static void return_of_the_jumps_target_ends_the_frame(void **state)
{
	(void)state;
	jump(at(F, 0x100), OF_F, G);
	assert_int_equal(ends(at(G, 0x100), OF_F), 1);
	/* once */
	assert_int_equal(ends(at(G, 0x100), OF_F), 0);
}

static void return_of_another_frame_ends_nothing(void **state)
{
	(void)state;
	assert_int_equal(ends(at(G, 0x100), OF_F), 0);
	jump(at(F, 0x100), OF_F, G);
	/* what G calls is deeper */
	assert_int_equal(ends(at(G, 0x80), OF_F), 0);
	assert_int_equal(ends(at(H, 0x80), OF_F), 0);
	assert_int_equal(ends(at(G, 0x100), OF_F), 1);
}

static void return_in_another_thread_ends_nothing(void **state)
{
	struct tail_spot other = at(G, 0x100);

	(void)state;
	other.owner = 8;
	jump(at(F, 0x100), OF_F, G);
	assert_int_equal(ends(other, OF_F), 0);
	tail_frames_forget_thread(&frames, 8);
	assert_int_equal(ends(at(G, 0x100), OF_F), 1);
}

static void frames_belong_to_goroutines(void **state)
{
	struct tail_spot from = at(F, 0x100), to = at(G, 0x100);

	(void)state;
	from.owner = to.owner = TAIL_GOROUTINE | 7;
	jump(from, OF_F, G);
	assert_int_equal(ends(at(G, 0x100), OF_F), 0);
	assert_int_equal(ends(to, OF_F), 1);
	/* one that waits for nothing is not remembered */
	assert_null(map_get(&frames.owners, to.owner));
}

static void return_ends_all_frames_of_a_chain(void **state)
{
	(void)state;
	jump(at(F, 0x100), OF_F, G);
	jump(at(G, 0x100), OF_G, H);
	assert_true(tail_frames_awaits(
		&frames, &(struct tail_spot){
				 .owner = 7, .cfa = 0x100, .caller = 0x500}));
	struct tail_end_list list = {0};
	const struct tail_spot end = at(H, 0x100);

	tail_frames_return(&frames, &end, &list);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.data[0].breakpoint, OF_F);
	assert_int_equal(list.data[1].breakpoint, OF_G);
	vec_free(&list);
}

static void recursive_frames_end_one_by_one(void **state)
{
	(void)state;
	jump(at(F, 0x300), OF_F, G);
	jump(at(F, 0x200), OF_F, G);
	jump(at(F, 0x100), OF_F, G);
	assert_int_equal(ends(at(G, 0x100), OF_F), 1);
	assert_int_equal(ends(at(G, 0x200), OF_F), 1);
	assert_int_equal(ends(at(G, 0x300), OF_F), 1);
}

/* F and G jump to each other; either may return. */
static void return_ends_all_calls_of_a_ring(void **state)
{
	(void)state;
	for (int last = 0; last < 2; last++) {
		assert_false(enter(at(F, 0x100)));
		for (int i = 0; i < 3; i++) {
			jump(at(F, 0x100), OF_F, G);
			jump(at(G, 0x100), 0, F);
			assert_true(enter(at(F, 0x100)));
		}
		/* the fourth call is F's own return, which counts by itself */
		if (last) {
			jump(at(F, 0x100), OF_F, G);
			assert_int_equal(ends(at(G, 0x100), OF_F), 4);
		} else {
			assert_int_equal(ends(at(F, 0x100), OF_F), 3);
		}
	}
}

static void endless_ring_keeps_few_calls(void **state)
{
	(void)state;
	for (int i = 0; i < 3 * HIT_MOST_BACK; i++) {
		jump(at(F, 0x100), OF_F, F);
		enter(at(F, 0x100));
	}
	assert_int_equal(ends(at(F, 0x100), OF_F), HIT_MOST_BACK);
}

/* G leaves by longjmp, and F is called again where it was. */
static void return_after_unwinding_ends_one_call(void **state)
{
	(void)state;
	jump(at(F, 0x100), OF_F, G);
	assert_false(enter(at(F, 0x100)));
	jump(at(F, 0x100), OF_F, G);
	assert_int_equal(ends(at(G, 0x100), OF_F), 1);
	jump(at(F, 0x100), OF_F, G);
	assert_int_equal(ends(at(F, 0x100), OF_F), 0);
	/* and that return was not the end of the one before */
	assert_int_equal(ends(at(G, 0x100), OF_F), 0);
}

/* In a ring, by whom F is entered tells whether it is back. */
static void return_after_unwound_ring_ends_nothing(void **state)
{
	(void)state;
	enter(at(F, 0x100));
	jump(at(F, 0x100), OF_F, G);
	jump(at(G, 0x100), 0, F);
	assert_true(enter(at(F, 0x100)));
	/* longjmp, and a call */
	assert_false(enter(at(F, 0x100)));
	assert_int_equal(ends(at(F, 0x100), OF_F), 0);
}

/* Another call has made a frame at the same place. */
static void return_to_another_caller_ends_nothing(void **state)
{
	struct tail_spot other = at(G, 0x100);

	(void)state;
	other.caller = 0x600;
	jump(at(F, 0x100), OF_F, G);
	assert_int_equal(ends(other, OF_F), 0);
	assert_int_equal(ends(at(G, 0x100), OF_F), 0);
}

/* A shallower frame shows that deeper ones are gone, on the same stack. */
static void shallower_return_forgets_deeper_frames(void **state)
{
	struct tail_spot other = at(G, 0x200);

	(void)state;
	jump(at(F, 0x100), OF_F, G);
	other.stack = 2;
	ends(other, OF_F);
	assert_int_equal(ends(at(G, 0x100), OF_F), 1);
	jump(at(F, 0x100), OF_F, G);
	ends(at(G, 0x200), OF_F);
	assert_int_equal(ends(at(G, 0x100), OF_F), 0);
}

static void forked_child_has_its_parents_frames(void **state)
{
	struct tail_spot child = at(G, 0x100);

	(void)state;
	jump(at(F, 0x100), OF_F, G);
	tail_frames_inherit(&frames, 7, 9);
	child.owner = 9;
	assert_int_equal(ends(child, OF_F), 1);
	assert_int_equal(ends(at(G, 0x100), OF_F), 1);
}

static void deleted_breakpoint_ends_nothing(void **state)
{
	(void)state;
	jump(at(F, 0x100), OF_F, G);
	jump(at(F, 0x100), OF_G, G);
	tail_frames_forget_breakpoint(&frames, OF_F);
	assert_int_equal(ends(at(G, 0x100), OF_F), 0);
}

/* A thread has noted frames by itself: the tool takes them over, the shallow
 * ones after the deep ones. */
static void frames_are_taken_over(void **state)
{
	struct tail_spot deep = at(F, 0x80), shallow = at(F, 0x100);

	(void)state;
	tail_frames_take_over(&frames, &deep, OF_F, TAIL_COMING, 3);
	tail_frames_take_over(&frames, &shallow, OF_F, TAIL_OUT, 2);
	assert_true(enter(at(F, 0x80)));
	assert_int_equal(ends(at(F, 0x80), OF_F), 3);
	/* The thread had noted this jump already. */
	jump(at(F, 0x100), OF_F, G);
	assert_int_equal(ends(at(G, 0x100), OF_F), 2);
	tail_frames_take_over(&frames, &shallow, OF_F, TAIL_IN, 1);
	jump(at(F, 0x100), OF_F, G);
	assert_int_equal(ends(at(G, 0x100), OF_F), 2);
}

#define RULE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(return_of_the_jumps_target_ends_the_frame),
		RULE(return_of_another_frame_ends_nothing),
		RULE(return_in_another_thread_ends_nothing),
		RULE(frames_belong_to_goroutines),
		RULE(return_ends_all_frames_of_a_chain),
		RULE(recursive_frames_end_one_by_one),
		RULE(return_ends_all_calls_of_a_ring),
		RULE(endless_ring_keeps_few_calls),
		RULE(return_after_unwinding_ends_one_call),
		RULE(return_after_unwound_ring_ends_nothing),
		RULE(return_to_another_caller_ends_nothing),
		RULE(shallower_return_forgets_deeper_frames),
		RULE(forked_child_has_its_parents_frames),
		RULE(deleted_breakpoint_ends_nothing),
		RULE(frames_are_taken_over),
	};

	return cmocka_run_group_tests_name("probe_tails", tests, NULL, NULL);
}
