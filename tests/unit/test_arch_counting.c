/*
 * test_arch_counting.c - the code by which threads count legs by themselves
 *
 * The code runs in this process, on a block of memory that the test has
 * prepared. Random hits are given to the code, and to the measure layer and
 * tail_frames.c, and both must count the same. Then the code is single-stepped:
 * wherever a thread is found in it, counting_finish() must leave the block as
 * it was before the hit, or as it is after the hit.
 *
 * tier: core full
 * covers: arch/x86_64 measure probe/arrival
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
#include "probe/arrival/tail_frames.h"
#include "sampling.h"

/* ---- one leg ----------------------------------------------------------- */

static void test_counts_an_execution(void **state)
{
	struct block block;

	(void)state;
	block_init(&block);
	call(&block, false, 1, STACK_LOW + 800, 1000);
	call(&block, true, 1, STACK_LOW + 800, 1300);
	assert_int_equal(leg_of(&block, 1)->count, 1);
	assert_int_equal(leg_of(&block, 1)->entered, 1);
	assert_int_equal(leg_of(&block, 1)->sum, 300 * 16);
	assert_int_equal(leg_of(&block, 1)->squares, 4800 * 4800);
	assert_int_equal(leg_of(&block, 1)->min, 300);
	assert_int_equal(leg_of(&block, 1)->max, 300);
	assert_int_equal(buckets_of(&block, 1)[256 + (300 - 256) / 2], 1);
	assert_int_equal(leg_of(&block, 1)->top, 0);
	assert_int_equal(block.header->counting.counted, 2);
	assert_int_equal(block.header->head, 0);
	block_deinit(&block);
}

/* Every duration is in the bucket whose bounds it lies between. */
static void test_bounds_of_buckets(void **state)
{
	struct block block;

	(void)state;
	block_init(&block);
	for (unsigned ns = 0; ns < COUNTING_MOST_NS; ns++) {
		unsigned leg = ns % COUNTING_MOST_LEGS, buckets = 0;

		call(&block, false, leg, STACK_LOW + 800, 1000);
		call(&block, true, leg, STACK_LOW + 800, 1000 + ns);
		for (unsigned i = 0; i < COUNTING_BUCKETS_OF_LEG; i++) {
			if (!buckets_of(&block, leg)[i])
				continue;
			buckets++;
			assert_in_range(ns, counting_bucket_low(i),
					counting_bucket_low(i + 1) - 1);
		}
		assert_int_equal(buckets, 1);
	}
	block_deinit(&block);
}

/* A leg costs nothing if it is empty, and what hits inside cost is not in it.
 */
static void test_subtracts_costs(void **state)
{
	struct block block;
	struct counting_state *counting;

	(void)state;
	block_init(&block);
	counting = &block.header->counting;
	counting->cost = 20 << COUNTING_COST_BITS;
	counting->own = 10 << COUNTING_COST_BITS;
	call(&block, false, 1, STACK_LOW + 800, 1000);
	call(&block, false, 2, STACK_LOW + 700, 1100);
	call(&block, true, 2, STACK_LOW + 700, 1200);
	call(&block, true, 1, STACK_LOW + 800, 1300);
	assert_int_equal(leg_of(&block, 2)->sum, 90 * 16);
	assert_int_equal(leg_of(&block, 1)->sum, (300 - 10 - 40) * 16);
	assert_int_equal(counting->taken, 80 << COUNTING_COST_BITS);
	/* less than nothing */
	call(&block, false, 3, STACK_LOW + 800, 2000);
	call(&block, true, 3, STACK_LOW + 800, 2004);
	assert_int_equal(leg_of(&block, 3)->sum, -6 * 16);
	assert_int_equal(leg_of(&block, 3)->min, 0);
	assert_int_equal(buckets_of(&block, 3)[0], 1);
	block_deinit(&block);
}

static void test_tells_long_executions(void **state)
{
	struct block block;
	const struct ring_cell *cell;

	(void)state;
	block_init(&block);
	block.header->counting.cost = 20 << COUNTING_COST_BITS;
	call(&block, false, 7, STACK_LOW + 800, 1000);
	call(&block, false, 8, STACK_LOW + 700, 1100);
	call(&block, true, 8, STACK_LOW + 700, 1200);
	call(&block, true, 7, STACK_LOW + 800, 1000 + COUNTING_MOST_NS + 40);
	assert_int_equal(leg_of(&block, 7)->count, 0);
	assert_int_equal(leg_of(&block, 7)->top, 0);
	assert_int_equal(leg_of(&block, 8)->count, 1);
	assert_int_equal(block.header->head, 32);
	cell = (struct ring_cell *)((char *)block.header + RING_CELLS);
	assert_int_equal(cell->site, (RING_TOLD | 7 << RING_SITE_SHIFT));
	assert_int_equal(cell->time, 1000 + COUNTING_MOST_NS + 40);
	assert_int_equal(cell->base, 1000);
	assert_int_equal(cell->value, 40 << COUNTING_COST_BITS);
	assert_int_equal(cell->mask, 3 << RING_MASK_BITS);
	assert_int_equal(block.header->counting.counted, 4);
	block_deinit(&block);
}

/* Activations that the tool has discarded do not count any more. */
static void test_discards(void **state)
{
	struct block block;

	(void)state;
	block_init(&block);
	call(&block, false, 1, STACK_LOW + 900, 1000);
	call(&block, false, 1, STACK_LOW + 800, 1010);
	call(&block, false, 1, STACK_LOW + 700, 1020);
	block.header->counting.since = 1100;
	call(&block, true, 1, STACK_LOW + 800, 1200); /* one unwound */
	call(&block, false, 1, STACK_LOW + 600, 1300);
	call(&block, true, 1, STACK_LOW + 600, 1310);
	call(&block, true, 1, STACK_LOW + 900, 1320);
	assert_int_equal(leg_of(&block, 1)->count, 1);
	assert_int_equal(leg_of(&block, 1)->unwound, 0);
	assert_int_equal(leg_of(&block, 1)->ignored, 2);
	assert_int_equal(leg_of(&block, 1)->top, 0);
	block_deinit(&block);
}

/* ---- random hits, in comparison with the measure layer ----------------- */

#define MOST_DEPTH 64

/*
 * Function i has leg i, but for the last one, which has none. A function may
 * jump to functions of higher numbers, and its frame then ends with theirs.
 * `rings`: each function but function 0 may also jump to itself and to
 * functions of lower numbers; but none jumps to function 0, whose entry is that
 * of a function that never comes back. The function THUNK is nothing but a
 * jump.
 */
#define FUNCTIONS (LEGS + 1)
#define NO_LEG LEGS
#define THUNK 3

struct trial {
	bool rings;
	struct measure *measure;
	struct tail_frames tails;
	struct tail_end_list ends;
	struct block blocks[THREADS];
	uint64_t random, time, calls;
	struct {
		uint64_t frame;
		unsigned function; /* the one that runs in the frame now */
	} stack[THREADS][MOST_DEPTH];
	unsigned depth[THREADS];
	uint64_t told[LEGS];
	int64_t told_sum[LEGS];
};

static uint64_t draw(struct trial *trial, uint64_t below)
{
	return next_random(&trial->random) % below;
}

static uint64_t low_of(unsigned thread)
{
	return STACK_LOW + thread * STACK_SIZE;
}

static void pass_time(struct trial *trial)
{
	trial->time += 1 + draw(trial, 400);
}

static void count_by_measure(struct trial *trial, unsigned thread, bool leaves,
			     unsigned leg, uint64_t frame, bool back)
{
	const struct hit hit = {.node = 1 + 2 * leg + leaves,
				.thread = thread + 1,
				.pid = 1,
				.tid = (int32_t)thread + 1,
				.time = trial->time,
				.mechanism = HIT_FAST,
				.frame = frame,
				.stack = thread + 1,
				.back = back};

	measure_fast_hit(trial->measure, &hit);
}

static struct tail_spot spot_of(const struct trial *trial, unsigned thread,
				unsigned function, uint64_t frame)
{
	return (struct tail_spot){
		.owner = thread + 1,
		.cfa = frame,
		.stack = thread + 1,
		.caller = *(uint64_t *)(frame - sizeof(uint64_t)),
		.function = function + 1,
		.time = trial->time};
}

static uint32_t leg_of_function(unsigned function)
{
	return function == NO_LEG ? COUNTING_NO_LEG : function;
}

/* To which function does this one jump? Returns FUNCTIONS if it does not. */
static unsigned draw_target(struct trial *trial, unsigned from)
{
	if (trial->rings)
		return 1 + (unsigned)draw(trial, FUNCTIONS - 1);
	return from + 1 + (unsigned)draw(trial, FUNCTIONS - from);
}

/* What a trampoline at the jump of a function to another one calls first. */
static void note_jump(const struct trial *trial, const struct block *block,
		      unsigned from, unsigned to, uint64_t frame)
{
	if (from != NO_LEG)
		call_at(block, layout.jump, from, frame, trial->time);
	if (trial->rings && to != NO_LEG)
		call_at(block, layout.come, to, frame, trial->time);
}

static void enter(struct trial *trial, unsigned thread, unsigned function,
		  uint64_t frame);

/* The function THUNK is entered and left at once. */
static void pass_through(struct trial *trial, unsigned thread, uint64_t frame)
{
	const struct block *block = &trial->blocks[thread];
	const struct tail_spot spot = spot_of(trial, thread, THUNK, frame);
	unsigned to = draw_target(trial, THUNK);

	if (to == THUNK)
		to = NO_LEG;
	tail_frames_enter(&trial->tails, &spot);
	count_by_measure(trial, thread, false, THUNK, frame,
			 tail_frames_is_back(&trial->tails, &spot));
	tail_frames_leave(&trial->tails, &spot, THUNK);
	tail_frames_go_to(&trial->tails, &spot, to + 1);
	note_jump(trial, block, THUNK, to, frame);
	call_at(block, layout.enter_and_go, SITE(THUNK, 0) << 32 | THUNK, frame,
		trial->time);
	trial->stack[thread][trial->depth[thread] - 1].function = to;
	pass_time(trial);
	enter(trial, thread, to, frame);
}

static void enter(struct trial *trial, unsigned thread, unsigned function,
		  uint64_t frame)
{
	const struct block *block = &trial->blocks[thread];
	const struct tail_spot spot = spot_of(trial, thread, function, frame);

	if (function == NO_LEG)
		return;
	if (trial->rings && function == THUNK) {
		pass_through(trial, thread, frame);
		return;
	}
	tail_frames_enter(&trial->tails, &spot);
	count_by_measure(trial, thread, false, function, frame,
			 tail_frames_is_back(&trial->tails, &spot));
	if (trial->rings && function) {
		call_at(block, layout.enter_again,
			SITE(function, 0) << 32 | function, frame, trial->time);
		return;
	}
	call_at(block, layout.arrive, function, frame, trial->time);
	call(block, false, function, frame, trial->time);
}

static void leave(struct trial *trial, unsigned thread, unsigned function,
		  uint64_t frame)
{
	const struct block *block = &trial->blocks[thread];
	const struct tail_spot spot = spot_of(trial, thread, function, frame);

	if (function != NO_LEG)
		count_by_measure(trial, thread, true, function, frame, false);
	vec_clear(&trial->ends);
	tail_frames_return(&trial->tails, &spot, &trial->ends);
	for (size_t i = 0; i < trial->ends.count; i++)
		for (uint32_t j = 0; j < trial->ends.data[i].count; j++)
			count_by_measure(trial, thread, true,
					 trial->ends.data[i].breakpoint, frame,
					 false);
	call_at(block, layout.end, leg_of_function(function), frame,
		trial->time);
	if (function != NO_LEG)
		call(block, true, function, frame, trial->time);
}

static void call_function(struct trial *trial, unsigned thread)
{
	unsigned *depth = &trial->depth[thread];
	uint64_t above = *depth ? trial->stack[thread][*depth - 1].frame
				: low_of(thread) + STACK_SIZE;
	uint64_t frame = above - 16 * (1 + draw(trial, 4));
	unsigned function = (unsigned)draw(trial, FUNCTIONS);

	/* Each call is made by another call instruction. (What the same
	 * instruction does in a frame that has gone without a return cannot be
	 * told apart: doc/INTERNALS.md.) */
	*(uint64_t *)(frame - sizeof(uint64_t)) = ++trial->calls;
	trial->stack[thread][*depth].frame = frame;
	trial->stack[thread][*depth].function = function;
	++*depth;
	enter(trial, thread, function, frame);
}

static void jump_to(struct trial *trial, unsigned thread, unsigned to)
{
	const struct block *block = &trial->blocks[thread];
	unsigned at = trial->depth[thread] - 1;
	unsigned from = trial->stack[thread][at].function;
	uint64_t frame = trial->stack[thread][at].frame;
	const struct tail_spot spot = spot_of(trial, thread, from, frame);

	if (from != NO_LEG)
		tail_frames_leave(&trial->tails, &spot, from);
	tail_frames_go_to(&trial->tails, &spot, to + 1);
	note_jump(trial, block, from, to, frame);
	call_at(block, layout.follow, leg_of_function(from), frame,
		trial->time);
	trial->stack[thread][at].function = to;
	pass_time(trial);
	enter(trial, thread, to, frame);
}

static void tail_jump(struct trial *trial, unsigned thread)
{
	unsigned at = trial->depth[thread] - 1;
	unsigned to = draw_target(trial, trial->stack[thread][at].function);

	if (to < FUNCTIONS)
		jump_to(trial, thread, to);
}

static void return_from(struct trial *trial, unsigned thread)
{
	unsigned at = --trial->depth[thread];

	leave(trial, thread, trial->stack[thread][at].function,
	      trial->stack[thread][at].frame);
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

static void step(struct trial *trial)
{
	unsigned thread = (unsigned)draw(trial, THREADS);
	unsigned choice = (unsigned)draw(trial, 32);
	unsigned *depth = &trial->depth[thread];

	pass_time(trial);
	if (choice == 0) /* longjmp */
		*depth -= (unsigned)draw(trial, *depth + 1);
	else if (choice == 1) /* a return without a call */
		leave(trial, thread, (unsigned)draw(trial, FUNCTIONS),
		      low_of(thread) + 16 * (1 + draw(trial, 4000)));
	else if (*depth && choice < 8)
		tail_jump(trial, thread);
	else if (*depth && (choice & 1 || *depth == MOST_DEPTH))
		return_from(trial, thread);
	else
		call_function(trial, thread);
	read_ring(trial, thread);
}

static void trial_init(struct trial *trial, bool rings, uint64_t seed)
{
	*trial = (struct trial){.rings = rings, .random = seed, .time = 1000};
	trial->measure = measure_create();
	measure_set_monitor(trial->measure, true, 0);
	measure_set_running(trial->measure, true, 0);
	for (unsigned i = 0; i < LEGS; i++) {
		const struct leg_spec spec = {.from = 1 + 2 * i,
					      .to = 2 + 2 * i,
					      .match = MATCH_NESTED,
					      .adapts = true,
					      .by_frame = true,
					      .from_enters = true,
					      .whole_frame = true};
		uint32_t id;
		bool existed;

		measure_add_node(trial->measure, spec.from);
		measure_add_node(trial->measure, spec.to);
		assert_null(
			measure_add_leg(trial->measure, &spec, &id, &existed));
	}
	for (unsigned i = 0; i < THREADS; i++) {
		block_init(&trial->blocks[i]);
		trial->blocks[i].header->counting.stack_low = low_of(i);
	}
}

static void trial_deinit(struct trial *trial)
{
	for (unsigned i = 0; i < THREADS; i++)
		block_deinit(&trial->blocks[i]);
	tail_frames_deinit(&trial->tails);
	vec_free(&trial->ends);
	measure_destroy(trial->measure);
}

static void compare_figures(const struct trial *trial)
{
	for (unsigned leg = 0; leg < LEGS; leg++) {
		const struct measure_leg *expected =
			measure_leg(trial->measure, leg);
		uint64_t count = trial->told[leg], entered = 0, unwound = 0;
		uint64_t ignored = 0, ignored_from = 0;
		int64_t sum = trial->told_sum[leg] * 16;

		for (unsigned i = 0; i < THREADS; i++) {
			const struct counting_leg *at =
				leg_of(&trial->blocks[i], leg);

			count += at->count;
			entered += at->entered;
			unwound += at->unwound;
			ignored += at->ignored;
			ignored_from += at->ignored_from;
			sum += at->sum;
		}
		assert_int_equal(count, expected->count);
		assert_int_equal(entered + ignored_from, expected->from_hits);
		assert_int_equal(ignored_from, expected->ignored_from);
		assert_int_equal(unwound, expected->unwound);
		assert_int_equal(ignored, expected->ignored_to);
		assert_int_equal(entered - count - unwound, expected->open);
		assert_int_equal(sum, (int64_t)expected->total * 16);
	}
}

static void compare(const struct trial *trial)
{
	compare_figures(trial);
	for (unsigned leg = 0; leg < LEGS; leg++) {
		const struct measure_leg *expected =
			measure_leg(trial->measure, leg);

		assert_in_range(expected->count, 100, UINT32_MAX);
		assert_in_range(expected->unwound, 10, UINT32_MAX);
	}
}

static void compare_with_measure(bool rings)
{
	for (uint64_t seed = 1; seed <= sampled(20, 3); seed++) {
		struct trial trial;

		trial_init(&trial, rings, seed * 0x9e3779b97f4a7c15);
		for (unsigned i = 0; i < 5000; i++)
			step(&trial);
		compare(&trial);
		trial_deinit(&trial);
	}
}

static void test_agrees_with_measure(void **state)
{
	(void)state;
	compare_with_measure(false);
}

static void test_agrees_about_rings(void **state)
{
	(void)state;
	compare_with_measure(true);
}

/* Two functions jump to each other more often than activations of one leg may
 * be open in a frame. */
static void test_agrees_about_many_jumps(void **state)
{
	struct trial trial;

	(void)state;
	for (unsigned last = 1; last <= 3; last++) {
		trial_init(&trial, true, 1);
		/* The executions that end together are told. */
		trial.blocks[0].header->mask = RING_BYTES - 1;
		call_function(&trial, 0);
		for (unsigned i = 0; i < 2 * HIT_MOST_BACK + 10; i++)
			jump_to(&trial, 0, 1 + i % 2);
		jump_to(&trial, 0, last);
		pass_time(&trial);
		return_from(&trial, 0);
		read_ring(&trial, 0);
		compare_figures(&trial);
		assert_int_equal(leg_of(&trial.blocks[0], 2)->ignored_from,
				 last == 2 ? 6 : 5);
		trial_deinit(&trial);
	}
}
/* ---- interruptions ----------------------------------------------------- */

static void test_is_interrupted_anywhere(void **state)
{
	const size_t in = layout.enter, out = layout.leave;
	const struct scene enter[] = {HIT(NOTHING, in, STACK_LOW + 800, 10),
				      HIT(NOTHING, out, STACK_LOW + 800, 20),
				      HIT(NOTHING, in, STACK_LOW + 800, 30)};
	const struct scene first[] = {HIT(NOTHING, in, STACK_LOW + 800, 10)};
	const struct scene leave[] = {HIT(NOTHING, in, STACK_LOW + 800, 10),
				      HIT(NOTHING, out, STACK_LOW + 800, 20),
				      HIT(NOTHING, in, STACK_LOW + 800, 30),
				      HIT(NOTHING, out, STACK_LOW + 800, 350)};
	const struct scene unwind[] = {HIT(NOTHING, in, STACK_LOW + 800, 10),
				       HIT(NOTHING, in, STACK_LOW + 700, 20),
				       HIT(NOTHING, in, STACK_LOW + 600, 30),
				       HIT(NOTHING, in, STACK_LOW + 800, 350)};
	const struct scene past[] = {HIT(NOTHING, in, STACK_LOW + 800, 10),
				     HIT(NOTHING, in, STACK_LOW + 700, 20),
				     HIT(NOTHING, in, STACK_LOW + 600, 30),
				     HIT(NOTHING, out, STACK_LOW + 800, 350)};
	const struct scene ignored[] = {HIT(NOTHING, out, STACK_LOW + 800, 10)};
	const struct scene told[] = {
		HIT(NOTHING, in, STACK_LOW + 800, 10),
		HIT(NOTHING, out, STACK_LOW + 800, 100000)};
	const struct scene elsewhere[] = {HIT(NOTHING, in, OFF_STACK, 10)};
	const struct scene jump[] = {
		HIT(NOTHING, in, STACK_LOW + 800, 10),
		HIT(layout.jump, layout.follow, STACK_LOW + 800, 20)};
	const struct scene jump_outside[] = {
		HIT(NOTHING, in, STACK_LOW + 950, 10),
		HIT(layout.jump, layout.follow, STACK_LOW + 950, 20)};
	const struct scene end[] = {HIT(NOTHING, in, STACK_LOW + 900, 10),
				    HIT(layout.end, out, STACK_LOW + 900, 350)};
	const struct scene end_told[] = {
		HIT(layout.end, layout.follow, STACK_LOW + 900, 100000)};
	const struct scene arrive[] = {
		HIT(NOTHING, in, STACK_LOW + 900, 10),
		HIT(layout.jump, layout.follow, STACK_LOW + 900, 20),
		HIT(layout.arrive, in, STACK_LOW + 900, 30)};
	size_t again = 0, done = 0;

	(void)state;
	begin_stepping();
	PLAY(enter, &again, &done);
	PLAY(first, &again, &done);
	PLAY(leave, &again, &done);
	PLAY(unwind, &again, &done);
	PLAY(past, &again, &done);
	PLAY(ignored, &again, &done);
	PLAY(told, &again, &done);
	PLAY(elsewhere, &again, &done);
	PLAY(jump, &again, &done);
	PLAY(jump_outside, &again, &done);
	PLAY(end, &again, &done);
	PLAY(end_told, &again, &done);
	PLAY(arrive, &again, &done);
	assert_in_range(again, 500, 5000);
	assert_in_range(done, 100, 1000);
	signal(SIGTRAP, SIG_DFL);
}

/* The function of FRAME_LEG is entered in a frame, leaves it, and is about to
 * come back. */
#define RING_FRAME (STACK_LOW + 900)
#define ENTRY(when) HIT(NOTHING, layout.enter_again, RING_FRAME, when)
#define JUMP(when) HIT(layout.jump, layout.follow, RING_FRAME, when)
#define JUMP_TO(at, when, to)                                                  \
	{                                                                      \
		.first = layout.jump, .then = layout.follow, .frame = at,      \
		.time = when, .comes_to = to                                   \
	}
#define ROUND(when) JUMP_TO(RING_FRAME, when, FRAME_LEG)
#define END_OF_OTHER(b, when)                                                  \
	{                                                                      \
		.first = layout.end, .then = b, .frame = RING_FRAME,           \
		.time = when, .leg = 4                                         \
	}

#define THUNK_HIT(when)                                                        \
	{                                                                      \
		.first = layout.jump, .then = layout.enter_and_go,             \
		.frame = RING_FRAME, .time = when, .comes_to = 1               \
	}
#define RETURN_TO_THUNK(when)                                                  \
	{                                                                      \
		.first = NOTHING, .then = layout.follow, .frame = RING_FRAME,  \
		.time = when, .comes_to = FRAME_LEG                            \
	}

static void test_is_interrupted_in_a_ring(void **state)
{
	const size_t in = layout.enter, out = layout.leave;
	const size_t follow = layout.follow, end = layout.end;
	const size_t enter_again = layout.enter_again;
	const uint64_t low = STACK_LOW + 700, high = STACK_LOW + 950;
	const struct scene comes[] = {ENTRY(10), JUMP_TO(RING_FRAME, 20, 1)};
	const struct scene comes_to_none[] = {ENTRY(10),
					      JUMP_TO(RING_FRAME, 20, 4)};
	const struct scene comes_elsewhere[] = {HIT(NOTHING, in, high, 10),
						JUMP_TO(high, 20, 2)};
	const struct scene comes_only[] = {{.first = NOTHING,
					    .then = follow,
					    .frame = RING_FRAME,
					    .time = 20,
					    .comes_to = 2}};
	const struct scene self[] = {ENTRY(10), ROUND(20)};
	const struct scene first[] = {HIT(NOTHING, enter_again, low, 10)};
	const struct scene past_gone[] = {HIT(NOTHING, enter_again, high, 10)};
	const struct scene off_stack[] = {
		HIT(NOTHING, enter_again, OFF_STACK, 10)};
	const struct scene called[] = {ENTRY(10), JUMP(20), ENTRY(30)};
	const struct scene back[] = {ENTRY(10), ROUND(20), ENTRY(30)};
	const struct scene back_to_free[] = {HIT(NOTHING, in, low, 5),
					     HIT(NOTHING, out, low, 6),
					     ENTRY(10), ROUND(20), ENTRY(30)};
	const struct scene called_back[] = {ENTRY(10), ROUND(20), ENTRY(30),
					    ENTRY(40)};
	const struct scene unwinds[] = {
		ENTRY(10), ROUND(20), HIT(NOTHING, in, low, 25),
		HIT(NOTHING, in, low - 50, 27), ENTRY(30)};
	const struct scene too_often[] = {ENTRY(10),
					  ROUND(20),
					  {.first = NOTHING,
					   .then = enter_again,
					   .frame = RING_FRAME,
					   .time = 30,
					   .back = HIT_MOST_BACK - 1}};
	const struct scene again_out[] = {ENTRY(10), ROUND(20), ENTRY(30),
					  ROUND(40)};
	const struct scene own_end[] = {
		ENTRY(10), ROUND(20), ENTRY(30),
		ROUND(40), ENTRY(50), HIT(end, out, RING_FRAME, 350)};
	const struct scene own_told[] = {
		ENTRY(10), ROUND(20), ENTRY(30),
		ROUND(40), ENTRY(50), HIT(end, out, RING_FRAME, 100000)};
	const struct scene other_end[] = {ENTRY(10), ROUND(20), ENTRY(30),
					  JUMP(40), END_OF_OTHER(out, 350)};
	const struct scene other_told[] = {ENTRY(10), ROUND(20), ENTRY(30),
					   JUMP(40),
					   END_OF_OTHER(follow, 100000)};
	const struct scene unfit_end[] = {ENTRY(10), ROUND(20), ENTRY(30),
					  END_OF_OTHER(out, 350)};
	const struct scene ignored_end[] = {
		ENTRY(10), ROUND(20),
		ENTRY(30), HIT(NOTHING, out, RING_FRAME, 35),
		JUMP(40),  END_OF_OTHER(follow, 350)};
	const struct scene goes[] = {THUNK_HIT(10)};
	const struct scene goes_again[] = {THUNK_HIT(10), THUNK_HIT(20)};
	const struct scene goes_back[] = {THUNK_HIT(10), RETURN_TO_THUNK(20),
					  THUNK_HIT(30)};
	const struct scene goes_too_often[] = {THUNK_HIT(10),
					       RETURN_TO_THUNK(20),
					       {.first = layout.jump,
						.then = layout.enter_and_go,
						.frame = RING_FRAME,
						.time = 30,
						.back = HIT_MOST_BACK - 1}};
	size_t again = 0, done = 0;

	(void)state;
	begin_stepping();
	PLAY(goes, &again, &done);
	PLAY(goes_again, &again, &done);
	PLAY(goes_back, &again, &done);
	PLAY(goes_too_often, &again, &done);
	PLAY(comes, &again, &done);
	PLAY(comes_to_none, &again, &done);
	PLAY(comes_elsewhere, &again, &done);
	PLAY(comes_only, &again, &done);
	PLAY(self, &again, &done);
	PLAY(first, &again, &done);
	PLAY(past_gone, &again, &done);
	PLAY(off_stack, &again, &done);
	PLAY(called, &again, &done);
	PLAY(back, &again, &done);
	PLAY(back_to_free, &again, &done);
	PLAY(called_back, &again, &done);
	PLAY(unwinds, &again, &done);
	PLAY(too_often, &again, &done);
	PLAY(again_out, &again, &done);
	PLAY(own_end, &again, &done);
	PLAY(own_told, &again, &done);
	PLAY(other_end, &again, &done);
	PLAY(other_told, &again, &done);
	PLAY(unfit_end, &again, &done);
	PLAY(ignored_end, &again, &done);
	assert_in_range(again, 1000, 10000);
	assert_in_range(done, 200, 2000);
	signal(SIGTRAP, SIG_DFL);
}

/* ---- tail jumps -------------------------------------------------------- */

/* A function is called once more in a frame that it has left by a tail jump:
 * the earlier frame has gone without a return, and does not end with the next
 * one. */
static void test_forgets_a_frame_that_is_called_again(void **state)
{
	struct block block;
	const uint64_t frame = STACK_LOW + 800;

	(void)state;
	block_init(&block);
	call(&block, false, 1, frame, 1000);
	call_at(&block, layout.jump, 1, frame, 1010);
	call_at(&block, layout.arrive, 1, frame, 1100);
	call(&block, false, 1, frame, 1100);
	/* a function without a leg returns from the same frame */
	call_at(&block, layout.end, COUNTING_NO_LEG, frame, 1200);
	assert_int_equal(leg_of(&block, 1)->count, 0);
	assert_int_equal(leg_of(&block, 1)->unwound, 1);
	assert_int_equal(block.header->counting.out, 0);
	call(&block, true, 1, frame, 1250);
	assert_int_equal(leg_of(&block, 1)->sum, 150 * 16);
	block_deinit(&block);
}

/* A function comes back to its frame twice, and all three executions end with
 * the return of another function. */
static void test_ends_all_executions_of_a_frame(void **state)
{
	struct block block;
	const uint64_t frame = STACK_LOW + 800;

	(void)state;
	block_init(&block);
	for (uint64_t i = 0; i < 3; i++) {
		call_at(&block, layout.enter_again, 1, frame, 1000 + 100 * i);
		call_at(&block, layout.jump, 1, frame, 1050 + 100 * i);
		if (i < 2)
			call_at(&block, layout.come, 1, frame, 1060 + 100 * i);
	}
	assert_int_equal(leg_of(&block, 1)->entered, 3);
	call_at(&block, layout.end, COUNTING_NO_LEG, frame, 1300);
	assert_int_equal(leg_of(&block, 1)->count, 3);
	assert_int_equal(leg_of(&block, 1)->sum, 16 * (300 + 200 + 100));
	assert_int_equal(leg_of(&block, 1)->unwound, 0);
	assert_int_equal(leg_of(&block, 1)->ignored, 0);
	assert_int_equal(leg_of(&block, 1)->top, 0);
	assert_int_equal(block.header->counting.out, 0);
	block_deinit(&block);
}

/* The tool discards what is open, and the function comes back once more. */
static void test_discards_in_a_ring(void **state)
{
	struct block block;
	const uint64_t frame = STACK_LOW + 800;

	(void)state;
	block_init(&block);
	call_at(&block, layout.enter_again, 1, frame, 1000);
	call_at(&block, layout.jump, 1, frame, 1050);
	call_at(&block, layout.come, 1, frame, 1050);
	block.header->counting.since = 1100;
	call_at(&block, layout.enter_again, 1, frame, 1200);
	call_at(&block, layout.end, 1, frame, 1300);
	call(&block, true, 1, frame, 1300);
	assert_int_equal(leg_of(&block, 1)->entered, 2);
	assert_int_equal(leg_of(&block, 1)->count, 1);
	assert_int_equal(leg_of(&block, 1)->ignored, 1);
	assert_int_equal(leg_of(&block, 1)->unwound, 0);
	assert_int_equal(leg_of(&block, 1)->top, 0);
	block_deinit(&block);
}

/* Whatever the program has written into the block, the code comes to an end. */
static void test_ends_whatever_was_written(void **state)
{
	const size_t functions[] = {
		layout.enter, layout.enter_again, layout.leave, layout.arrive,
		layout.jump,  layout.come,        layout.end,   layout.follow};
	const uint64_t frame = STACK_LOW + 800;
	struct block block;
	uint64_t random = 1;

	(void)state;
	for (unsigned i = 0; i < sampled(200, 40); i++) {
		struct counting_state *counting;

		block_init(&block);
		counting = &block.header->counting;
		counting->out = (uint32_t)next_random(&random) >> i % 32;
		out_at(&block, 0)->frame = i & 1 ? frame : i & 2 ? 0 : -1UL;
		for (uint32_t at = 32; at < COUNTING_OUT_SIZE; at += 32) {
			struct counting_out *out = out_at(&block, at);

			out->frame = next_random(&random) & 1 ? frame : 1;
			out->leg = (uint32_t)(next_random(&random) % LEGS);
			out->state = (uint32_t)(next_random(&random) % 4);
			out->backs = (uint32_t)next_random(&random) >> i % 32;
		}
		for (size_t j = 0; j < 8; j++)
			call_at(&block, functions[j], 1, frame, 1000);
		block_deinit(&block);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_an_execution),
		cmocka_unit_test(test_bounds_of_buckets),
		cmocka_unit_test(test_subtracts_costs),
		cmocka_unit_test(test_tells_long_executions),
		cmocka_unit_test(test_discards),
		cmocka_unit_test(test_forgets_a_frame_that_is_called_again),
		cmocka_unit_test(test_ends_all_executions_of_a_frame),
		cmocka_unit_test(test_discards_in_a_ring),
		cmocka_unit_test(test_ends_whatever_was_written),
		cmocka_unit_test(test_agrees_with_measure),
		cmocka_unit_test(test_agrees_about_rings),
		cmocka_unit_test(test_agrees_about_many_jumps),
		cmocka_unit_test(test_is_interrupted_anywhere),
		cmocka_unit_test(test_is_interrupted_in_a_ring),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
