/*
 * test_arch_call_counting.c - the code by which threads count calls by
 * themselves
 *
 * The code runs in this process, on a block of memory that the test has
 * prepared. Random hits are given to the code, and to the C machine of the
 * profile layer, and both must have the same blocks after each hit. Then the
 * code is single-stepped: wherever a thread is found in it, counting_finish()
 * must leave the block as it was before the hit, or as it is after the hit.
 *
 * tier: core full
 * covers: arch/x86_64 profile
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "counting_rig.h"
#include "perftool/profile/call_activations.h"
#include "sampling.h"

/* ---- hits ---------------------------------------------------------------- */

enum kind { ENTER, JUMP, EXIT };

struct call {
	enum kind kind;
	uint64_t frame, time, site;
	uint32_t function;
};

static struct call_block *calls_of(const struct block *block)
{
	return (struct call_block *)((char *)block->header + COUNTING_CALLS);
}

#define COST (5 << CALL_COST_BITS)
#define OWN (3 << CALL_COST_BITS)

static void prepare_calls(struct call_block *calls)
{
	call_block_init(calls, &counting_calls_size);
	calls->stack_low = STACK_LOW;
	calls->stack_size = STACK_SIZE;
	calls->cost = COST;
	calls->own = OWN;
	calls->most = INT64_MAX;
}

static void calls_init(struct block *block)
{
	block_init(block);
	prepare_calls(calls_of(block));
}

static struct call_hit hit_of(const struct call *call)
{
	return (struct call_hit){.time = call->time,
				 .frame = call->frame,
				 .caller = call->site,
				 .function = call->function,
				 .stack = call->frame - STACK_LOW <= STACK_SIZE
						  ? CALL_STACK_OWN
						  : CALL_STACK_OTHER};
}

static void count_in_c(struct call_activations *machine,
		       const struct call *call)
{
	const struct call_hit hit = hit_of(call);

	if (call->kind == ENTER)
		call_activations_enter(machine, &hit);
	else if (call->kind == JUMP)
		call_activations_jump(machine, &hit);
	else
		call_activations_exit(machine, &hit);
}

static size_t function_for(enum kind kind)
{
	return kind == ENTER  ? layout.call_enter
	       : kind == JUMP ? layout.call_jump
			      : layout.call_leave;
}

/* ---- traps --------------------------------------------------------------- */

static sigjmp_buf untold;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const struct ring_header *header =
		(const struct ring_header *)(uintptr_t)regs[REG_RDI];

	(void)signal, (void)info;
	/* The thread has the program's stack: the frame of this signal is
	 * there if no tool takes the trap. */
	if ((uint64_t)regs[REG_RIP] - (uintptr_t)code == layout.untold + 1 &&
	    (uint64_t)regs[REG_RSP] == header->counting_saved.rsp)
		siglongjmp(untold, 1);
	abort();
}

static void catch_traps(void)
{
	const struct sigaction action = {.sa_sigaction = on_trap,
					 .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static char stack[65536];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};

	assert_int_equal(sigaltstack(&alternate, NULL), 0);
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
}

/* Make a hit as the tool does, for a thread that has this block. */
static void count_by_tool(const struct block *block,
			  struct call_activations *machine,
			  const struct call *call)
{
	struct counting_state *counting = &block->header->counting;
	struct counting_calls *more = &block->header->calls;

	machine->block->taken = counting->taken + more->held;
	count_in_c(machine, call);
	counting->taken = machine->block->taken - more->held;
	machine->block->taken = 0;
}

/* Make a hit as the thread does. Returns false if the tool had to make it. */
static bool count(const struct block *block, struct call_activations *machine,
		  const struct call *call)
{
	if (call->kind == ENTER)
		memcpy((void *)(uintptr_t)(call->frame - 8), &call->site, 8);
	if (sigsetjmp(untold, 1)) {
		count_by_tool(block, machine, call);
		return false;
	}
	call_at(block, function_for(call->kind), call->function, call->frame,
		call->time);
	return true;
}

/* ---- comparison ---------------------------------------------------------- */

static void compare_open(const struct call_block *a, const struct call_block *b)
{
	assert_int_equal(a->top, b->top);
	assert_memory_equal(call_block_open(a, 1), call_block_open(b, 1),
			    a->top * sizeof(struct call_activation));
}

static void compare(const struct block *block,
		    const struct call_block *expected)
{
	const struct call_block *calls = calls_of(block);

	assert_int_equal(block->header->counting.taken +
				 block->header->calls.held,
			 expected->taken);
	assert_int_equal(calls->hits, expected->hits);
	assert_int_equal(calls->ignored, expected->ignored);
	assert_int_equal(calls->deep, expected->deep);
	assert_int_equal(calls->arc_count, expected->arc_count);
	assert_int_equal(calls->index_shift, expected->index_shift);
	compare_open(calls, expected);
	assert_memory_equal(call_block_arc(calls, 0),
			    call_block_arc(expected, 0),
			    calls->arc_count * sizeof(struct call_block_arc));
	assert_memory_equal(call_block_cold(calls, 0),
			    call_block_cold(expected, 0),
			    calls->arc_count * sizeof(struct call_block_cold));
}

static void compare_all(const struct block *block,
			const struct call_block *expected)
{
	const struct call_block *calls = calls_of(block);

	compare(block, expected);
	assert_memory_equal(call_block_index(calls), call_block_index(expected),
			    COUNTING_CALLS_INDEX_SIZE);
	assert_memory_equal(call_block_depth(calls, 0),
			    call_block_depth(expected, 0),
			    COUNTING_CALLS_DEPTHS_SIZE);
}

/* ---- random hits --------------------------------------------------------- */

#define MOST_DEPTH 300
#define UNNAMED 4 /* functions from this number on are not named */

struct trial {
	struct block block;
	struct call_activations machine, expected;
	uint64_t random, time, sites, functions, depth_limit;
	struct {
		uint64_t frame;
		uint64_t function; /* the one that runs in the frame now */
	} stack[MOST_DEPTH];
	size_t depth, hits, untold, records;
	uint64_t tail; /* of the ring */
};

static uint64_t draw(struct trial *trial, uint64_t below)
{
	return next_random(&trial->random) % below;
}

static void trial_init(struct trial *trial, uint64_t seed)
{
	calls_init(&trial->block);
	trial->random = seed;
	trial->machine.block = calls_of(&trial->block);
	trial->expected.block =
		test_calloc(1, call_block_bytes(&counting_calls_size));
	prepare_calls(trial->expected.block);
	trial->functions = 6;
	trial->sites = 3;
	trial->depth_limit = MOST_DEPTH;
}

static void trial_deinit(struct trial *trial)
{
	compare_all(&trial->block, trial->expected.block);
	call_activations_deinit(&trial->machine);
	call_activations_deinit(&trial->expected);
	test_free(trial->expected.block);
	block_deinit(&trial->block);
}

static bool is_named(const struct trial *trial, uint64_t function)
{
	return trial->functions != 6 || function < UNNAMED;
}

/* The calls that the hit has ended have written records if they took long.
 * `open` has what was open before, `taken` is what hits had taken. */
static void check_records(struct trial *trial,
			  const struct call_activation *open, uint32_t top,
			  uint64_t taken)
{
	const struct call_block *calls = trial->machine.block;
	uint32_t left = 0;

	while (left < top && left < calls->top &&
	       memcmp(&open[left + 1], call_block_open(calls, left + 1), 24) ==
		       0)
		left++;
	for (; top > left; top--) {
		const struct call_activation *at = &open[top];
		uint64_t elapsed = ((trial->time - at->start) << 8) -
				   (taken - at->taken) - OWN;
		const struct ring_cell *cell;
		uint64_t value = at->arc | RING_CALL_OUTERMOST;

		if ((int64_t)elapsed >> 4 < calls->most)
			continue;
		for (uint32_t i = 1; i < top; i++)
			if (open[i].function == at->function)
				value = at->arc;
		cell = (struct ring_cell *)((char *)trial->block.header +
					    RING_CELLS +
					    (trial->tail & 0xffff));
		assert_int_equal(cell->site, RING_CALL);
		assert_int_equal(cell->time, trial->time);
		assert_int_equal(cell->base, at->start);
		assert_int_equal(cell->value & UINT32_MAX, at->arc);
		/* (Calls on other stacks are not in `open`.) */
		if (!trial->expected.others.count)
			assert_int_equal(cell->value, value);
		trial->tail += sizeof(*cell);
		trial->records++;
	}
}

static void hit(struct trial *trial, enum kind kind, uint64_t frame,
		uint64_t site, uint32_t function)
{
	const struct call call = {kind, frame, trial->time, site, function};
	static struct call_activation open[MOST_DEPTH * 2];
	uint32_t top = trial->expected.block->top;
	uint64_t taken = trial->expected.block->taken;
	bool is_told;

	assert_in_range(top, 0, MOST_DEPTH * 2 - 1);
	memcpy(open, call_block_open(trial->expected.block, 0),
	       (top + 1) * sizeof(open[0]));
	count_in_c(&trial->expected, &call);
	is_told = count(&trial->block, &trial->machine, &call);
	trial->untold += !is_told;
	if (is_told)
		check_records(trial, open, top, taken);
	assert_int_equal(trial->block.header->head, trial->tail);
	trial->hits++;
	compare(&trial->block, trial->expected.block);
}

/* The tool has held the thread. */
static void hold(struct trial *trial)
{
	uint64_t held = draw(trial, 50) << CALL_COST_BITS;

	trial->block.header->calls.held += held;
	trial->expected.block->taken += held;
}

static void call_one(struct trial *trial)
{
	uint64_t frame = trial->depth ? trial->stack[trial->depth - 1].frame
				      : STACK_LOW + STACK_SIZE - 8;
	uint64_t function = draw(trial, trial->functions);

	if (trial->depth == trial->depth_limit)
		return;
	frame -= 16 + 8 * draw(trial, 3);
	/* Some of the frames are elsewhere. */
	if (!draw(trial, 50))
		frame = OFF_STACK + STACK_SIZE / 2 + 8 * draw(trial, 8);
	trial->stack[trial->depth].frame = frame;
	trial->stack[trial->depth++].function = function;
	if (is_named(trial, function))
		hit(trial, ENTER, frame,
		    0x400000 + 16 * draw(trial, trial->sites),
		    (uint32_t)function);
}

static void return_one(struct trial *trial)
{
	if (!trial->depth)
		return;
	trial->depth--;
	hit(trial, EXIT, trial->stack[trial->depth].frame, 0, 0);
}

/* The function jumps to another one. The tool does not know of all jumps where
 * they lead. */
static void jump_one(struct trial *trial)
{
	uint64_t function = draw(trial, trial->functions);
	uint32_t named = is_named(trial, function) ? (uint32_t)function
						   : CALL_NO_FUNCTION;
	uint64_t frame;

	if (!trial->depth)
		return;
	frame = trial->stack[trial->depth - 1].frame;
	hit(trial, JUMP, frame, 0, draw(trial, 3) ? named : CALL_ANY_FUNCTION);
	trial->stack[trial->depth - 1].function = function;
	if (named != CALL_NO_FUNCTION)
		hit(trial, ENTER, frame, 0x500000, named);
}

static void step(struct trial *trial)
{
	trial->time += 1 + draw(trial, 400);
	switch (draw(trial, 20)) {
	case 0 ... 8:
		call_one(trial);
		break;
	case 9 ... 15:
		return_one(trial);
		break;
	case 16 ... 17:
		jump_one(trial);
		break;
	case 18:
		hold(trial);
		break;
	default:
		/* longjmp, or an exit of which nobody learns */
		if (!draw(trial, 4) && trial->depth)
			trial->depth = draw(trial, trial->depth);
	}
}

static void test_random_hits(void **state)
{
	static struct trial trial;

	(void)state;
	catch_traps();
	for (uint64_t seed = 1; seed <= sampled(60, 6); seed++) {
		trial = (struct trial){0};
		trial_init(&trial, seed * 7919);
		if (seed & 1)
			trial.machine.block->most = 500 << CALL_UNIT_BITS;
		for (unsigned i = 0; i < 2000; i++)
			step(&trial);
		assert_true(trial.hits > 500);
		assert_true(!(seed & 1) || trial.records > 50);
		trial_deinit(&trial);
	}
}

/* So many arcs that the index grows, again and again; and some have no room. */
static void test_many_arcs(void **state)
{
	static struct trial trial = {0};
	uint64_t random = 0x5eed;

	(void)state;
	catch_traps();
	trial_init(&trial, 1);
	for (unsigned i = 0; i < COUNTING_MOST_ARCS + 5000; i++) {
		uint64_t frame = STACK_LOW + 800;
		uint32_t function = (uint32_t)(next_random(&random) % 5000);
		const struct call enter = {ENTER, frame, trial.time + 1,
					   0x400000 + 4 * (i % 9001), function};
		const struct call leave = {EXIT, frame, trial.time += 5, 0, 0};

		count_in_c(&trial.expected, &enter);
		count_in_c(&trial.expected, &leave);
		trial.untold += !count(&trial.block, &trial.machine, &enter);
		count(&trial.block, &trial.machine, &leave);
		if (i % 1000 == 0)
			compare(&trial.block, trial.expected.block);
	}
	assert_int_equal(trial.machine.block->arc_count, COUNTING_MOST_ARCS);
	assert_int_not_equal(call_block_arc(trial.machine.block, 0)->count, 0);
	/* The thread has asked the tool only to make the index grow. */
	assert_in_range(trial.untold, 1, 40);
	trial_deinit(&trial);
}

/* More activations than there is room for. */
static void test_deep_calls(void **state)
{
	static struct trial trial = {0};
	const uint64_t high = STACK_LOW + STACK_SIZE;
	/* (The frames of so many calls would not fit on the stack: 2 bytes are
	 * enough for the test.) */
	const unsigned depth = COUNTING_MOST_CALLS + 20;

	(void)state;
	catch_traps();
	trial_init(&trial, 1);
	for (unsigned i = 0; i < depth; i++) {
		const struct call enter = {ENTER, high - 2 * i, ++trial.time,
					   0x400000, 1};

		count_in_c(&trial.expected, &enter);
		trial.untold += !count(&trial.block, &trial.machine, &enter);
	}
	compare(&trial.block, trial.expected.block);
	assert_int_equal(trial.untold, 21);
	for (unsigned i = depth; i-- > 0;) {
		const struct call leave = {EXIT, high - 2 * i, ++trial.time, 0,
					   0};

		count_in_c(&trial.expected, &leave);
		assert_true(count(&trial.block, &trial.machine, &leave));
	}
	assert_int_equal(trial.machine.block->top, 0);
	trial_deinit(&trial);
}

/* The block belongs to the program, which may write anything into it. */
static void test_survives_any_block(void **state)
{
	static struct trial trial = {0};

	(void)state;
	catch_traps();
	trial_init(&trial, 77);
	for (unsigned i = 0; i < sampled(300, 60); i++) {
		struct call_block *calls = trial.machine.block;
		const struct call call = {(enum kind)draw(&trial, 3),
					  STACK_LOW + 8 * draw(&trial, 100) + 8,
					  ++trial.time, 0x400000,
					  (uint32_t)draw(&trial, 5)};
		uint64_t *words = (uint64_t *)calls;

		for (size_t j = 0; j < 64; j++)
			words[j] = draw(&trial, UINT64_MAX);
		calls->stack_low = STACK_LOW;
		calls->stack_size = STACK_SIZE;
		calls->skip_frame = 0;
		if (i % 3 == 0)
			memset(call_block_open(trial.expected.block, 0),
			       (int)draw(&trial, 256), 64);
		for (uint32_t j = 0; j < 2000; j++)
			((uint64_t *)((char *)calls + 4096))[j] =
				draw(&trial, 2) ? call.frame
						: draw(&trial, UINT64_MAX);
		if (sigsetjmp(untold, 1))
			continue;
		call_at(&trial.block, function_for(call.kind), call.function,
			call.frame, call.time);
	}
	call_activations_deinit(&trial.machine);
	call_activations_deinit(&trial.expected);
	test_free(trial.expected.block);
	block_deinit(&trial.block);
}

/* A hit that the tool has said was counted before is not counted. */
static void test_skips(void **state)
{
	struct block block;
	struct call_block *calls;

	(void)state;
	catch_traps();
	calls_init(&block);
	calls = calls_of(&block);
	calls->skip_frame = STACK_LOW + 800;
	calls->skip_site = 77;
	call_at(&block, layout.call_enter, UINT64_C(78) << 32 | 1,
		STACK_LOW + 800, 1000);
	assert_int_equal(calls->hits, 1);
	assert_int_equal(calls->skip_frame, STACK_LOW + 800);
	call_at(&block, layout.call_leave, UINT64_C(77) << 32 | 1,
		STACK_LOW + 800, 1010);
	assert_int_equal(calls->hits, 1);
	assert_int_equal(calls->skip_frame, 0);
	call_at(&block, layout.call_leave, UINT64_C(77) << 32 | 1,
		STACK_LOW + 800, 1020);
	assert_int_equal(calls->hits, 2);
	assert_int_equal(calls->top, 0);
	block_deinit(&block);
}

/* ---- interruptions ------------------------------------------------------- */

#define SCENE_ARCS 8

/* What must not be half done. */
struct state {
	struct call_activation open[6];
	struct call_block_arc arcs[SCENE_ARCS];
	struct call_block_cold cold[SCENE_ARCS];
	uint32_t depths[6], index[256];
	uint64_t hits, ignored, taken, counted;
	uint32_t top, arc_count;
	uint64_t skip_frame, head;
	struct ring_cell cells[6];
};

/* Which arcs are entered does not matter before the hit is made again. */
static struct state state_of(const struct block *block)
{
	const struct call_block *calls = calls_of(block);
	struct state state = {.hits = calls->hits,
			      .ignored = calls->ignored,
			      .taken = block->header->counting.taken,
			      .counted = block->header->counting.counted,
			      .top = calls->top,
			      .arc_count = calls->arc_count,
			      .skip_frame = calls->skip_frame,
			      .head = block->header->head};

	assert_in_range(calls->top, 0, 5);
	memcpy(state.open, call_block_open(calls, 0),
	       (calls->top + 1) * sizeof(state.open[0]));
	memcpy(state.arcs, call_block_arc(calls, 0),
	       calls->arc_count * sizeof(state.arcs[0]));
	memcpy(state.cold, call_block_cold(calls, 0), sizeof(state.cold));
	memcpy(state.depths, call_block_depth(calls, 0), sizeof(state.depths));
	memcpy(state.index, call_block_index(calls), sizeof(state.index));
	memcpy(state.cells, (char *)block->header + RING_CELLS, state.head);
	return state;
}

/* Do the calls of the scenes write records? */
static bool scenes_tell;

static void do_call(const struct block *block, const struct call *call)
{
	if (call->kind == ENTER)
		memcpy((void *)(uintptr_t)(call->frame - 8), &call->site, 8);
	call_at(block, function_for(call->kind),
		UINT64_C(77) << 32 | call->function, call->frame, call->time);
}

static void play_calls(struct block *block, const struct call *scene,
		       size_t count, uint64_t skip_frame)
{
	calls_init(block);
	calls_of(block)->most = scenes_tell ? 0 : INT64_MAX;
	for (size_t i = 0; i + 1 < count; i++)
		do_call(block, &scene[i]);
	calls_of(block)->skip_frame = skip_frame;
	calls_of(block)->skip_site = 77;
}

static bool is_stopped_in_call(const struct block *block,
			       const struct call *call, unsigned after)
{
	steps_left = after;
	if (call->kind == ENTER)
		memcpy((void *)(uintptr_t)(call->frame - 8), &call->site, 8);
	if (sigsetjmp(interrupted, 1))
		return true;
	step_from_here();
	call_stepping_at(block, function_for(call->kind),
			 UINT64_C(77) << 32 | call->function, call->frame,
			 call->time);
	step_until_here();
	return false;
}

/* The last hit of a scene is interrupted behind every number of its
 * instructions. Returns how often it was not counted then. */
static size_t interrupt_calls(const struct call *scene, size_t count,
			      uint64_t skip_frame)
{
	const struct call *last = &scene[count - 1];
	static volatile unsigned at;
	static volatile size_t again, done;
	static struct block block;
	static struct state after, now;

	again = done = 0;
	begin_stepping();
	play_calls(&block, scene, count, skip_frame);
	do_call(&block, last);
	after = state_of(&block);
	block_deinit(&block);
	for (at = first_case(INTERRUPTIONS);; at += next_case(INTERRUPTIONS)) {
		struct counting_undone undone;
		bool stopped;

		play_calls(&block, scene, count, skip_frame);
		stopped = is_stopped_in_call(&block, last, at);
		if (!stopped)
			break;
		undone = finish_here();
		assert_false(undone.reserved);
		if (!undone.counted) {
			do_call(&block, last);
			again++;
		} else {
			done++;
		}
		now = state_of(&block);
		assert_memory_equal(&now, &after, sizeof(now));
		block_deinit(&block);
	}
	block_deinit(&block);
	assert_true(again > 5 || !in_full());
	assert_true(done > 1 || !in_full());
	return again;
}

static uint64_t count_of_all(const struct call_block *calls)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < calls->arc_count; i++)
		sum += call_block_arc(calls, i)->count;
	return sum;
}

/* The thread dies behind every number of instructions of the last hit of a
 * scene, and the tool ends what it had open. No call counts twice. Two calls at
 * most are missing: the one that the hit begins, and the one that is about to
 * end. */
static void die_anywhere(const struct call *scene, size_t count)
{
	static volatile unsigned at;
	static struct block block;
	static struct call_activations machine;
	uint64_t begun = 0;
	bool stopped = true;

	begin_stepping();
	for (size_t i = 0; i < count; i++)
		begun += scene[i].kind == ENTER;
	for (at = first_case(INTERRUPTIONS); stopped;
	     at += next_case(INTERRUPTIONS)) {
		play_calls(&block, scene, count, 0);
		stopped = is_stopped_in_call(&block, &scene[count - 1], at);
		machine.block = calls_of(&block);
		call_activations_end(&machine, 5000);
		assert_in_range(begun - count_of_all(machine.block), 0,
				1 + (scene[count - 1].kind == ENTER));
		call_activations_deinit(&machine);
		machine = (struct call_activations){0};
		block_deinit(&block);
	}
	assert_true(at > 20);
}

#define INTERRUPT(scene, skip)                                                 \
	interrupt_calls(scene, sizeof(scene) / sizeof((scene)[0]), skip)

#define DIE(scene) die_anywhere(scene, sizeof(scene) / sizeof((scene)[0]))

#define A (STACK_LOW + 900)
#define B (STACK_LOW + 800)
#define C (STACK_LOW + 700)

static const struct call first[] = {{ENTER, A, 1000, 0x400000, 1}};
static const struct call second[] = {{ENTER, A, 1000, 0x400000, 1},
				     {EXIT, A, 1010, 0, 0},
				     {ENTER, A, 1020, 0x400000, 1}};
static const struct call nested[] = {{ENTER, A, 1000, 0x400000, 1},
				     {ENTER, B, 1010, 0x400010, 1},
				     {EXIT, B, 1030, 0, 0}};
static const struct call chain[] = {
	{ENTER, A, 1000, 0x400000, 1}, {ENTER, B, 1010, 0x400010, 1},
	{JUMP, B, 1020, 0, 2},         {ENTER, B, 1030, 0x400010, 2},
	{JUMP, B, 1040, 0, 3},         {ENTER, B, 1050, 0x400010, 3},
	{EXIT, B, 1060, 0, 0}};
static const struct call jumped[] = {{ENTER, A, 1000, 0x400000, 1},
				     {JUMP, A, 1010, 0, 2},
				     {ENTER, A, 1020, 0x400000, 2}};
static const struct call jump[] = {{ENTER, A, 1000, 0x400000, 1},
				   {ENTER, B, 1010, 0x400010, 2},
				   {JUMP, A, 1020, 0, 2}};
static const struct call unwound[] = {{ENTER, A, 1000, 0x400000, 1},
				      {ENTER, B, 1010, 0x400010, 1},
				      {ENTER, C, 1020, 0x400020, 3},
				      {ENTER, B, 1030, 0x400010, 2}};
static const struct call unwinds[] = {{ENTER, A, 1000, 0x400000, 1},
				      {ENTER, B, 1010, 0x400010, 1},
				      {ENTER, C, 1020, 0x400020, 3},
				      {EXIT, A, 1030, 0, 0}};
static const struct call ignored[] = {{ENTER, A, 1000, 0x400000, 1},
				      {EXIT, B, 1030, 0, 0}};
static const struct call ignored_jump[] = {{ENTER, A, 1000, 0x400000, 1},
					   {JUMP, B, 1030, 0, 2}};

static void interrupt_all(void)
{
	INTERRUPT(first, 0);
	INTERRUPT(second, 0);
	INTERRUPT(nested, 0);
	INTERRUPT(chain, 0);
	INTERRUPT(jumped, 0);
	INTERRUPT(jump, 0);
	INTERRUPT(unwound, 0);
	INTERRUPT(unwinds, 0);
	INTERRUPT(ignored, 0);
	INTERRUPT(ignored_jump, 0);
	INTERRUPT(nested, B);
	INTERRUPT(first, A);
	INTERRUPT(jump, A);
}

static void test_dies_anywhere(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		scenes_tell = i;
		DIE(first);
		DIE(nested);
		DIE(chain);
		DIE(jumped);
		DIE(jump);
		DIE(unwound);
		DIE(unwinds);
	}
}

static void test_is_interrupted_anywhere(void **state)
{
	(void)state;
	scenes_tell = false;
	interrupt_all();
}

static void test_is_interrupted_when_it_tells(void **state)
{
	(void)state;
	scenes_tell = true;
	interrupt_all();
}

/* The ring has no room for the record: the tool makes the hit. */
static void test_full_ring(void **state)
{
	static struct trial trial = {0};
	const struct call enter = {ENTER, A, 1000, 0x400000, 1};
	const struct call leave = {EXIT, A, 2000, 0, 0};
	const struct call above = {EXIT, A + 80, 3000, 0, 0};

	(void)state;
	catch_traps();
	trial_init(&trial, 1);
	trial.machine.block->most = 0;
	trial.block.header->limit = 32;
	for (unsigned i = 0; i < 3; i++) {
		const struct call *end = i == 2 ? &above : &leave;

		count_in_c(&trial.expected, &enter);
		count_in_c(&trial.expected, end);
		assert_true(count(&trial.block, &trial.machine, &enter));
		assert_int_equal(count(&trial.block, &trial.machine, end),
				 i == 0);
	}
	assert_int_equal(trial.block.header->head, 32);
	trial_deinit(&trial);
}

/* The arrays are where the code expects them. */
static void test_has_the_layout(void **state)
{
	struct block block;
	const struct call_block *calls;

	(void)state;
	assert_int_equal(call_block_bytes(&counting_calls_size),
			 COUNTING_CALLS_SIZE);
	calls_init(&block);
	calls = calls_of(&block);
	assert_int_equal(calls->open, COUNTING_CALLS_HEADER);
	assert_int_equal(calls->arcs, calls->open + COUNTING_CALLS_OPEN_SIZE);
	assert_int_equal(calls->cold, calls->arcs + COUNTING_CALLS_ARCS_SIZE);
	assert_int_equal(calls->index, calls->cold + COUNTING_CALLS_COLD_SIZE);
	assert_int_equal(calls->depths,
			 calls->index + COUNTING_CALLS_INDEX_SIZE);
	block_deinit(&block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_has_the_layout),
		cmocka_unit_test(test_random_hits),
		cmocka_unit_test(test_many_arcs),
		cmocka_unit_test(test_deep_calls),
		cmocka_unit_test(test_skips),
		cmocka_unit_test(test_survives_any_block),
		cmocka_unit_test(test_is_interrupted_anywhere),
		cmocka_unit_test(test_is_interrupted_when_it_tells),
		cmocka_unit_test(test_dies_anywhere),
		cmocka_unit_test(test_full_ring),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
