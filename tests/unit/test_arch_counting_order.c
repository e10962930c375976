/*
 * test_arch_counting_order.c - the code by which threads count legs that match
 * by order
 *
 * Random hits are given to the code and to the measure layer, and both must
 * count the same. Then the code is single-stepped, as in test_arch_counting.c.
 *
 * tier: core full
 * covers: arch/x86_64 measure
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "counting_rig.h"
#include "perftool/measure/measured_legs.h"
#include "sampling.h"

#define FRAME (STACK_LOW + 800)
#define BOTH(closed, opened) ((opened) << COUNTING_NEXT_SHIFT | (closed))

static void hit(const struct block *block, size_t function, unsigned legs,
		uint64_t time)
{
	call_at(block, function, SITE(1, 0) << 32 | legs, FRAME, time);
}

static bool is_open(const struct block *block, unsigned leg)
{
	return order_of(block, leg)->start >= block->header->counting.since;
}

/* ---- the rules --------------------------------------------------------- */

static void test_replaces_an_activation(void **state)
{
	struct block block;

	(void)state;
	block_init(&block);
	hit(&block, layout.order_to, 1, 900);
	hit(&block, layout.order_from, 1, 1000);
	hit(&block, layout.order_from, 1, 1100);
	hit(&block, layout.order_to, 1, 1300);
	hit(&block, layout.order_to, 1, 1400);
	assert_int_equal(leg_of(&block, 1)->entered, 1);
	assert_int_equal(leg_of(&block, 1)->ignored_from, 1);
	assert_int_equal(leg_of(&block, 1)->count, 1);
	assert_int_equal(leg_of(&block, 1)->ignored, 2);
	assert_int_equal(leg_of(&block, 1)->sum, 200 * 16);
	assert_int_equal(leg_of(&block, 1)->min, 200);
	assert_int_equal(buckets_of(&block, 1)[200], 1);
	assert_int_equal(block.header->counting.counted, 5);
	assert_int_equal(block.header->head, 0);
	assert_false(is_open(&block, 1));
	block_deinit(&block);
}

static void test_keeps_the_first_activation(void **state)
{
	struct block block;

	(void)state;
	block_init(&block);
	for (unsigned i = 0; i < 3; i++)
		hit(&block, layout.order_from, 1 | COUNTING_KEEPS,
		    1000 + 100 * i);
	hit(&block, layout.order_to, 1, 1300);
	assert_int_equal(leg_of(&block, 1)->entered, 1);
	assert_int_equal(leg_of(&block, 1)->ignored_from, 2);
	assert_int_equal(leg_of(&block, 1)->sum, 300 * 16);
	block_deinit(&block);
}

static void test_closes_one_leg_and_opens_the_next(void **state)
{
	struct block block;

	(void)state;
	block_init(&block);
	hit(&block, layout.order_both, BOTH(1, 2), 1000);
	hit(&block, layout.order_both, BOTH(2, 1), 1100);
	hit(&block, layout.order_both, BOTH(1, 2), 1300);
	hit(&block, layout.order_both, BOTH(1, 2), 1400);
	assert_int_equal(leg_of(&block, 1)->ignored, 2);
	assert_int_equal(leg_of(&block, 1)->sum, 200 * 16);
	assert_int_equal(leg_of(&block, 2)->sum, 100 * 16);
	assert_int_equal(leg_of(&block, 2)->entered, 2);
	assert_int_equal(leg_of(&block, 2)->ignored_from, 1);
	assert_int_equal(order_of(&block, 2)->start, 1400);
	assert_int_equal(block.header->counting.counted, 4);
	block_deinit(&block);
}

static void test_counts_the_period_of_a_node(void **state)
{
	struct block block;

	(void)state;
	for (unsigned keeps = 0; keeps < 2; keeps++) {
		block_init(&block);
		for (unsigned i = 0; i < 4; i++)
			hit(&block, layout.order_both,
			    BOTH(3, 3) | keeps * COUNTING_KEEPS,
			    1000 + 100 * i);
		assert_int_equal(leg_of(&block, 3)->entered, 4);
		assert_int_equal(leg_of(&block, 3)->count, 3);
		assert_int_equal(leg_of(&block, 3)->sum, 300 * 16);
		assert_int_equal(leg_of(&block, 3)->ignored, 1);
		assert_int_equal(leg_of(&block, 3)->ignored_from, 0);
		assert_true(is_open(&block, 3));
		block_deinit(&block);
	}
}

/* What a hit costs is not in the executions that contain it. */
static void test_subtracts_costs(void **state)
{
	struct block block;
	struct counting_state *counting;

	(void)state;
	block_init(&block);
	counting = &block.header->counting;
	counting->cost = 20 << COUNTING_COST_BITS;
	counting->own = 10 << COUNTING_COST_BITS;
	hit(&block, layout.order_from, 1, 1000);
	hit(&block, layout.order_both, BOTH(2, 2), 1100);
	hit(&block, layout.order_both, BOTH(2, 2), 1200);
	hit(&block, layout.order_to, 1, 1300);
	assert_int_equal(leg_of(&block, 2)->sum, 90 * 16);
	assert_int_equal(leg_of(&block, 1)->sum, (300 - 10 - 40) * 16);
	assert_int_equal(counting->taken, 80 << COUNTING_COST_BITS);
	block_deinit(&block);
}

static void test_tells_long_executions(void **state)
{
	struct block block;
	const struct ring_cell *cell;

	(void)state;
	block_init(&block);
	block.header->counting.cost = 20 << COUNTING_COST_BITS;
	hit(&block, layout.order_from, 7, 1000);
	hit(&block, layout.order_both, BOTH(7, 8), 2000);
	hit(&block, layout.order_to, 8, 3000);
	assert_int_equal(leg_of(&block, 7)->count, 0);
	assert_int_equal(leg_of(&block, 8)->entered, 1);
	assert_int_equal(block.header->head, 64);
	for (unsigned i = 0; i < 2; i++) {
		cell = (struct ring_cell *)((char *)block.header + RING_CELLS) +
		       i;
		assert_int_equal(cell->site,
				 (RING_TOLD | (7 + i) << RING_SITE_SHIFT));
		assert_int_equal(cell->time, 2000 + 1000 * i);
		assert_int_equal(cell->base, 1000 + 1000 * i);
		assert_int_equal(cell->value, 0);
		assert_int_equal(cell->mask, (1 + i) << RING_MASK_BITS);
	}
	assert_false(is_open(&block, 7));
	assert_false(is_open(&block, 8));
	block_deinit(&block);
}

/* A leg that is open on the thread's own stack begins elsewhere, or on another
 * stack that is not the thread's own. */
static void test_notes_other_stacks(void **state)
{
	const uint64_t off = OFF_STACK, far = OFF_STACK - 0x20000;
	const uint64_t frames[] = {FRAME, FRAME - 50, STACK_LOW + STACK_SIZE,
				   off,   off + 100,  far,
				   FRAME, FRAME};
	const unsigned noted[] = {0, 0, 0, 1, 1, 2, 3, 3};
	struct block block;

	(void)state;
	for (unsigned both = 0; both < 2; both++) {
		block_init(&block);
		for (size_t i = 0; i < 8; i++) {
			call_at(&block,
				both ? layout.order_both : layout.order_from,
				SITE(1, 0) << 32 | (both ? BOTH(1, 2) : 2),
				frames[i], 1000 + i);
			assert_int_equal(leg_of(&block, 2)->unwound, noted[i]);
		}
		assert_int_equal(leg_of(&block, 2)->ignored_from, 7);
		block_deinit(&block);
	}
}

/* A hit that was counted before is not counted again. */
static void test_skips_a_hit(void **state)
{
	const size_t functions[] = {layout.order_from, layout.order_to,
				    layout.order_both};
	struct block block;

	(void)state;
	block_init(&block);
	for (size_t i = 0; i < 3; i++) {
		block.header->counting.skip_frame = FRAME;
		block.header->counting.skip_site = SITE(1, 0);
		hit(&block, functions[i], 1, 1000);
		assert_int_equal(block.header->counting.counted, i);
		hit(&block, functions[i], 1, 1100);
		assert_int_equal(block.header->counting.counted, i + 1);
	}
	block_deinit(&block);
}

/* ---- random hits, in comparison with the measure layer ----------------- */

#define NODES 7

/* The nodes, 1 to NODES, and which leg ends and which begins there. The legs 0
 * to 2 are a ring, leg 3 is from node 4 to node 5, and leg 4 is from node 6 to
 * itself. Node 7 belongs to none. */
#define NONE LEGS
static const struct node {
	unsigned ending, starting;
} nodes[] = {[1] = {2, 0},    [2] = {0, 1}, [3] = {1, 2},      [4] = {NONE, 3},
	     [5] = {3, NONE}, [6] = {4, 4}, [7] = {NONE, NONE}};

struct trial {
	struct measure *measure;
	struct block blocks[THREADS];
	uint64_t random, time;
	bool keeps[LEGS];
	uint64_t told[LEGS];
	int64_t told_sum[LEGS];
};

static uint64_t draw(struct trial *trial, uint64_t below)
{
	return next_random(&trial->random) % below;
}

static void count_by_thread(const struct trial *trial, unsigned thread,
			    unsigned node, uint64_t frame)
{
	const struct block *block = &trial->blocks[thread];
	unsigned closed = nodes[node].ending, opened = nodes[node].starting;
	uint64_t site = SITE(node, 0) << 32;

	if (opened != NONE && trial->keeps[opened])
		site |= COUNTING_KEEPS;
	if (closed != NONE && opened != NONE)
		call_at(block, layout.order_both, site | BOTH(closed, opened),
			frame, trial->time);
	else if (closed != NONE)
		call_at(block, layout.order_to, site | closed, frame,
			trial->time);
	else if (opened != NONE)
		call_at(block, layout.order_from, site | opened, frame,
			trial->time);
}

static void count_by_measure(const struct trial *trial, unsigned thread,
			     unsigned node, uint64_t frame)
{
	const struct hit made = {
		.node = node,
		.thread = thread + 1,
		.pid = 1,
		.tid = (int32_t)thread + 1,
		.time = trial->time,
		.mechanism = HIT_FAST,
		.frame = frame,
		.stack = draw((struct trial *)trial, 2) ? thread + 1 : 0};

	measure_fast_hit(trial->measure, &made);
}

/* Read the records of a thread: executions that it tells. */
static void read_ring(struct trial *trial, unsigned thread)
{
	struct block *block = &trial->blocks[thread];

	for (; block->tail < block->header->head; block->tail += 32) {
		struct ring_cell *cell =
			(struct ring_cell *)((char *)block->header +
					     RING_CELLS +
					     (block->tail &
					      block->header->mask));
		unsigned leg = (cell->site & ~RING_TOLD) >> RING_SITE_SHIFT;

		assert_true(cell->site & RING_TOLD);
		assert_in_range(leg, 0, LEGS - 1);
		trial->told[leg]++;
		trial->told_sum[leg] += (int64_t)(cell->time - cell->base);
		cell->site = 0;
	}
}

/* Everything that is open is discarded. */
static void discard(struct trial *trial)
{
	trial->time++;
	measure_discard_open(trial->measure);
	for (unsigned i = 0; i < THREADS; i++)
		trial->blocks[i].header->counting.since = trial->time;
}

static void step(struct trial *trial)
{
	unsigned thread = (unsigned)draw(trial, THREADS);
	unsigned node = 1 + (unsigned)draw(trial, NODES);
	uint64_t frame = OFF_STACK + 16 * draw(trial, 4000);

	trial->time += 1 + draw(trial, 120);
	if (!draw(trial, 100))
		discard(trial);
	count_by_thread(trial, thread, node, frame);
	count_by_measure(trial, thread, node, frame);
	read_ring(trial, thread);
}

static void add_legs(const struct trial *trial)
{
	for (unsigned node = 1; node <= NODES; node++)
		measure_add_node(trial->measure, node);
	for (unsigned i = 0; i < LEGS; i++) {
		struct leg_spec spec = {.match = trial->keeps[i] ? MATCH_FIRST
								 : MATCH_LAST,
					.adapts = true};
		uint32_t id;
		bool existed;

		for (unsigned node = 1; node <= NODES; node++) {
			if (nodes[node].starting == i)
				spec.from = node;
			if (nodes[node].ending == i)
				spec.to = node;
		}
		assert_null(
			measure_add_leg(trial->measure, &spec, &id, &existed));
		assert_int_equal(id, i);
	}
}

static void trial_init(struct trial *trial, uint64_t seed)
{
	*trial = (struct trial){.random = seed, .time = 1000};
	trial->measure = measure_create();
	measure_set_monitor(trial->measure, true, 0);
	measure_set_running(trial->measure, true, 0);
	for (unsigned i = 0; i < LEGS; i++)
		trial->keeps[i] = draw(trial, 2);
	add_legs(trial);
	for (unsigned i = 0; i < THREADS; i++)
		block_init(&trial->blocks[i]);
}

static void trial_deinit(struct trial *trial)
{
	for (unsigned i = 0; i < THREADS; i++)
		block_deinit(&trial->blocks[i]);
	measure_destroy(trial->measure);
}

static void compare_leg(const struct trial *trial, unsigned leg)
{
	const struct measure_leg *expected = measure_leg(trial->measure, leg);
	uint64_t count = trial->told[leg], entered = 0, open = 0;
	uint64_t ignored = 0, ignored_from = 0;
	int64_t sum = trial->told_sum[leg] * 16;

	for (unsigned i = 0; i < THREADS; i++) {
		const struct counting_leg *at = leg_of(&trial->blocks[i], leg);

		count += at->count;
		entered += at->entered;
		ignored += at->ignored;
		ignored_from += at->ignored_from;
		sum += at->sum;
		open += is_open(&trial->blocks[i], leg);
	}
	assert_int_equal(count, expected->count);
	assert_int_equal(entered + ignored_from, expected->from_hits);
	assert_int_equal(count + ignored, expected->to_hits);
	assert_int_equal(ignored_from, expected->ignored_from);
	assert_int_equal(ignored, expected->ignored_to);
	if (expected->spec.from == expected->spec.to)
		assert_int_equal(ignored, expected->self_first);
	assert_int_equal(open, expected->open);
	assert_int_equal(entered - count - open, expected->discarded);
	assert_int_equal(sum, (int64_t)expected->total * 16);
}

static void test_agrees_with_measure(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= sampled(20, 4); seed++) {
		struct trial trial;

		trial_init(&trial, seed * 0x9e3779b97f4a7c15);
		for (unsigned i = 0; i < 5000; i++) {
			step(&trial);
			for (unsigned leg = 0; leg < LEGS; leg++)
				compare_leg(&trial, leg);
		}
		for (unsigned leg = 0; leg < LEGS; leg++) {
			assert_in_range(measure_leg(trial.measure, leg)->count,
					100, UINT32_MAX);
			assert_in_range(trial.told[leg], 10, UINT32_MAX);
		}
		trial_deinit(&trial);
	}
}

/* ---- interruptions ----------------------------------------------------- */

#define FROM(when) HIT(NOTHING, layout.order_from, FRAME, when)
#define TO(when) HIT(NOTHING, layout.order_to, FRAME, when)
#define ORDER(function, legs, at, when)                                        \
	{                                                                      \
		.first = NOTHING, .then = function, .frame = at, .time = when, \
		.leg = legs                                                    \
	}
#define PASS(legs, when) ORDER(layout.order_both, legs, FRAME, when)

static void test_is_interrupted_anywhere(void **state)
{
	const size_t from = layout.order_from;
	const size_t both = layout.order_both;
	const unsigned keeps = COUNTING_KEEPS;
	const struct scene opens[] = {FROM(10)};
	const struct scene replaces[] = {FROM(10), FROM(20)};
	const struct scene keeps_first[] = {
		FROM(10), ORDER(from, FRAME_LEG | keeps, FRAME, 20)};
	const struct scene elsewhere[] = {
		FROM(10), ORDER(from, FRAME_LEG, OFF_STACK, 20)};
	const struct scene keeps_elsewhere[] = {
		FROM(10), ORDER(from, FRAME_LEG | keeps, OFF_STACK, 20)};
	const struct scene closes[] = {FROM(10), TO(350)};
	const struct scene closes_again[] = {FROM(10), TO(350), FROM(400),
					     TO(500)};
	const struct scene ignored[] = {TO(10)};
	const struct scene told[] = {FROM(10), TO(100000)};
	const struct scene discarded[] = {FROM(10),
					  {.first = NOTHING,
					   .then = layout.order_to,
					   .frame = FRAME,
					   .time = 350,
					   .since = 300}};
	const struct scene passes_none[] = {PASS(BOTH(3U, 4U), 10)};
	const struct scene passes[] = {FROM(10), PASS(BOTH(3U, 4U), 350)};
	const struct scene passes_again[] = {FROM(10), PASS(BOTH(3U, 4U), 350),
					     FROM(400),
					     PASS(BOTH(3U, 4U), 500)};
	const struct scene replaces_next[] = {PASS(BOTH(3U, 4U), 10),
					      PASS(BOTH(3U, 4U), 20)};
	const struct scene keeps_next[] = {PASS(BOTH(3U, 4U), 10),
					   PASS(BOTH(3U, 4U) | keeps, 20)};
	const struct scene passes_elsewhere[] = {
		PASS(BOTH(3U, 4U), 10),
		ORDER(both, BOTH(3U, 4U), OFF_STACK, 20)};
	const struct scene passes_told[] = {FROM(10),
					    PASS(BOTH(3U, 4U), 100000)};
	const struct scene replaces_told[] = {FROM(10), PASS(BOTH(2U, 4U), 20),
					      PASS(BOTH(3U, 4U), 100000)};
	const struct scene begins[] = {PASS(BOTH(3U, 3U), 10)};
	const struct scene repeats[] = {PASS(BOTH(3U, 3U), 10),
					PASS(BOTH(3U, 3U), 350)};
	const struct scene repeats_first[] = {PASS(BOTH(3U, 3U), 10),
					      PASS(BOTH(3U, 3U) | keeps, 350)};
	const struct scene repeats_told[] = {PASS(BOTH(3U, 3U), 10),
					     PASS(BOTH(3U, 3U), 100000)};
	size_t again = 0, done = 0;

	(void)state;
	begin_stepping();
	PLAY(opens, &again, &done);
	PLAY(replaces, &again, &done);
	PLAY(keeps_first, &again, &done);
	PLAY(elsewhere, &again, &done);
	PLAY(keeps_elsewhere, &again, &done);
	PLAY(closes, &again, &done);
	PLAY(closes_again, &again, &done);
	PLAY(ignored, &again, &done);
	PLAY(told, &again, &done);
	PLAY(discarded, &again, &done);
	PLAY(passes_none, &again, &done);
	PLAY(passes, &again, &done);
	PLAY(passes_again, &again, &done);
	PLAY(replaces_next, &again, &done);
	PLAY(keeps_next, &again, &done);
	PLAY(passes_elsewhere, &again, &done);
	PLAY(passes_told, &again, &done);
	PLAY(replaces_told, &again, &done);
	PLAY(begins, &again, &done);
	PLAY(repeats, &again, &done);
	PLAY(repeats_first, &again, &done);
	PLAY(repeats_told, &again, &done);
	assert_in_range(again, 500, 5000);
	assert_in_range(done, 200, 2000);
	signal(SIGTRAP, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replaces_an_activation),
		cmocka_unit_test(test_keeps_the_first_activation),
		cmocka_unit_test(test_closes_one_leg_and_opens_the_next),
		cmocka_unit_test(test_counts_the_period_of_a_node),
		cmocka_unit_test(test_subtracts_costs),
		cmocka_unit_test(test_tells_long_executions),
		cmocka_unit_test(test_notes_other_stacks),
		cmocka_unit_test(test_skips_a_hit),
		cmocka_unit_test(test_agrees_with_measure),
		cmocka_unit_test(test_is_interrupted_anywhere),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
