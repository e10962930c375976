/*
 * test_measure_frames.c - legs that match by frame: recursion, frames that were
 * unwound, other stacks
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure_rig.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

/* ---- frames --------------------------------------------------------- */

static void recursive_calls_match_by_frame(void **state)
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

/* A longjmp leaves the inner frames. The tool notices that at an exit with a
 * shallower CFA. */
static void exit_shows_which_frames_were_unwound(void **state)
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

/* The tool also notices it at an entry with an equal or shallower CFA. */
static void entry_shows_which_frames_were_unwound(void **state)
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

/* If *from* is not the entry of the function, the same frame may reach it
 * again, so an equal CFA does not show that the frame is gone. */
static void equal_frames_inside_a_function_stay_open(void **state)
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

/* If two frames are on different stacks, or on stacks that are not known, their
 * CFAs do not show which frame is deeper. */
static void frames_on_other_stacks_stay_open(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x100, 1);
	hit_frame(1, 20, 0x900, 2);
	hit_frame(1, 30, 0x800, 0);
	hit_frame(1, 40, 0xa00, 0);
	assert_int_equal(leg(id)->open, 4);
	assert_int_equal(leg(id)->unwound, 0);
	hit_frame(1, 50, 0x900, 3); /* a CFA belongs to one frame, so the
				       earlier frame is gone */
	assert_int_equal(leg(id)->discarded, 1);
	hit_frame(2, 60, 0x100, 1);
	hit_frame(2, 70, 0x900, 3);
	check_leg(id, 2, 70, 0, 0);
}

/* A frame on a stack that is no thread's own may go on in another thread. If a
 * frame with the same CFA is entered, the earlier frame is gone. */
static void frames_may_move_to_another_thread(void **state)
{
	struct hit now = {.pid = PID, .frame = 0x900};
	uint32_t id = add_leg((struct leg_spec){.from = 1,
						.to = 2,
						.adapts = true,
						.match = MATCH_NESTED,
						.by_frame = true,
						.from_enters = true,
						.whole_frame = true});
	const struct {
		uint32_t node, thread;
	} hits[] = {{1, 1}, {2, 2}, {1, 2}, {1, 3}, {2, 1}, {2, 2}};

	(void)state;
	for (size_t i = 0; i < sizeof(hits) / sizeof(*hits); i++) {
		now.node = hits[i].node;
		now.thread = hits[i].thread;
		now.tid = (int32_t)hits[i].thread;
		now.time += 10;
		measure_hit(measure, &now);
		measure_hold(measure, now.thread, PID, now.tid, now.time,
			     now.time, 0, 0);
	}
	check_leg(id, 2, 20, 0, 1);
	assert_int_equal(leg(id)->discarded, 1);
	/* in another process, a frame with this CFA is another frame */
	now = (struct hit){.pid = PID + 1, .frame = 0x900, .node = 1};
	now.thread = 4;
	now.time = 100;
	measure_hit(measure, &now);
	now.node = 2;
	now.pid = PID;
	now.thread = 1;
	measure_hit(measure, &now);
	assert_int_equal(leg(id)->ignored_to, 2);
	measure_process_gone(measure, PID + 1);
	assert_int_equal(leg(id)->discarded, 2);
}

static void count_mixed(void *context, const struct measure_leg *leg,
			int32_t tid)
{
	*(uint32_t *)context += leg->id == 0 && tid == 1;
}

/* Make a hit of *from* at each of two stack pointers, on these stacks. Check
 * whether the tool says that the leg mixes stacks up. */
static void check_mixed(struct leg_spec spec, const uint64_t sp[2],
			const uint64_t stack[2], bool wanted)
{
	uint32_t told = 0;

	measure_initialize(measure, 1);
	measure_set_mixed(measure, count_mixed, &told);
	measure_add_node(measure, 1);
	measure_add_node(measure, 2);
	spec.from = 1;
	spec.to = 2;
	add_leg(spec);
	for (int i = 0; i < 2; i++) {
		struct hit now = {.node = 1,
				  .thread = 1,
				  .pid = PID,
				  .tid = 1,
				  .time = 10 * (unsigned)i + 10,
				  .frame = sp[i] ? sp[i] + 8 : 0,
				  .sp = sp[i],
				  .stack = stack[i]};

		assert_int_equal(told, 0);
		measure_hit(measure, &now);
	}
	assert_int_equal(told, wanted);
}

/* If stacks take turns, and a leg matches by order only, the tool says that the
 * leg mixes the stacks up. */
static void leg_that_mixes_stacks_is_told(void **state)
{
	const struct leg_spec last = {.match = MATCH_LAST},
			      first = {.match = MATCH_FIRST},
			      nested = {.match = MATCH_NESTED},
			      outermost = {.match = MATCH_OUTERMOST,
					   .by_frame = true,
					   .from_enters = true},
			      by_frame = {.match = MATCH_NESTED,
					  .by_frame = true,
					  .from_enters = true},
			      by_leg = {.match = MATCH_LAST,
					.owner = OWNER_LEG};
	const uint64_t far[] = {0x100000, 0x120000};
	const uint64_t back[] = {0x120000, 0x100000};
	const uint64_t near[] = {0x100000, 0x101000};
	const uint64_t unknown[] = {0x100000, 0}, known[] = {0, 0x100000};
	const uint64_t others[] = {0, 0}, own[] = {1, 1};
	const uint64_t leaves[] = {1, 0}, comes[] = {0, 1};

	(void)state;
	check_mixed(last, far, others, true);
	check_mixed(last, back, others, true);
	check_mixed(first, far, others, true);
	check_mixed(nested, far, others, true);
	check_mixed(outermost, far, others, true);
	check_mixed(last, near, leaves, true);
	check_mixed(last, near, comes, true);
	/* the second hit is deep in the same stack, or near the first one */
	check_mixed(last, far, own, false);
	check_mixed(last, near, others, false);
	/* one stack pointer is not known */
	check_mixed(last, unknown, others, false);
	check_mixed(last, known, others, false);
	/* the leg does not match by order, or its owner is not the thread */
	check_mixed(by_frame, far, others, false);
	check_mixed(by_leg, far, others, false);
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

static void outermost_frame_is_counted(void **state)
{
	uint32_t id = add_call_leg(MATCH_OUTERMOST);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(1, 25, 0x100, 1);
	hit_frame(2, 30, 0x200, 1); /* a longjmp has left the frame 0x100 */
	hit_frame(2, 50, 0x300, 1);
	check_leg(id, 1, 40, 2, 1);
	hit_frame(1, 60, 0x100, 1);
	/* the frame 0x100 is gone, so this one is the outermost */
	hit_frame(1, 70, 0x200, 1);
	assert_int_equal(leg(id)->unwound, 1);
	hit_frame(2, 75, 0x200, 1);
	check_leg(id, 2, 45, 2, 1);
}

static void hit_back(uint64_t time, uint64_t frame)
{
	struct hit hit = {.node = 1,
			  .thread = 1,
			  .pid = PID,
			  .tid = PID,
			  .time = time,
			  .frame = frame,
			  .stack = 1,
			  .back = true};

	measure_hit(measure, &hit);
}

/* A tail jump brings a function back to its own frame. Each of these calls ends
 * when the frame ends. */
static void calls_by_tail_jump_end_with_their_frame(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x200, 1);
	hit_back(20, 0x200);
	hit_back(30, 0x200);
	assert_int_equal(leg(id)->open, 3);
	for (int i = 0; i < 3; i++)
		hit_frame(2, 50, 0x200, 1);
	check_leg(id, 3, 90, 0, 0);
	assert_int_equal(leg(id)->unwound, 0);
	/* the next call has another frame, although the CFA is the same */
	hit_frame(1, 60, 0x200, 1);
	hit_frame(1, 70, 0x200, 1);
	assert_int_equal(leg(id)->unwound, 1);
}

/* Functions that jump to each other without end may make any number of calls in
 * one frame. The leg keeps only some of them open. */
static void endless_tail_jumps_keep_few_calls_open(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 1, 0x200, 1);
	for (int i = 0; i < 2 * HIT_MOST_BACK; i++)
		hit_back(2, 0x200);
	assert_int_equal(leg(id)->open, HIT_MOST_BACK);
	assert_int_equal(leg(id)->ignored_from, HIT_MOST_BACK + 1);
	for (int i = 0; i < HIT_MOST_BACK; i++)
		hit_frame(2, 3, 0x200, 1);
	assert_int_equal(leg(id)->open, 0);
	assert_int_equal(leg(id)->count, HIT_MOST_BACK);
}

/* An outermost leg begins with the first of the calls in the frame. */
static void outermost_leg_begins_with_the_first_call_in_a_frame(void **state)
{
	uint32_t id = add_call_leg(MATCH_OUTERMOST);

	(void)state;
	hit_frame(1, 10, 0x200, 1);
	hit_back(20, 0x200);
	hit_frame(2, 50, 0x200, 1);
	hit_frame(2, 50, 0x200, 1);
	check_leg(id, 1, 40, 1, 1);
}

/* With a hundred thousand frames, each hit must still be cheap. */
static void deep_recursion_is_cheap(void **state)
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

/* Legs with keys and legs that match `last` or `first` match by order, whatever
 * the frames are. */
static void keyed_last_and_first_legs_match_by_order(void **state)
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
		RULE(recursive_calls_match_by_frame),
		RULE(exit_shows_which_frames_were_unwound),
		RULE(entry_shows_which_frames_were_unwound),
		RULE(equal_frames_inside_a_function_stay_open),
		RULE(frames_may_move_to_another_thread),
		RULE(leg_that_mixes_stacks_is_told),
		RULE(frames_on_other_stacks_stay_open),
		RULE(unknown_frames_match_by_order),
		RULE(outermost_frame_is_counted),
		RULE(calls_by_tail_jump_end_with_their_frame),
		RULE(endless_tail_jumps_keep_few_calls_open),
		RULE(outermost_leg_begins_with_the_first_call_in_a_frame),
		RULE(deep_recursion_is_cheap),
		RULE(keyed_last_and_first_legs_match_by_order),
	};

	return cmocka_run_group_tests_name("measure_frames", tests, NULL, NULL);
}
