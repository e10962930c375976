/*
 * test_arch_counting.c - the code by which threads count legs by themselves
 *
 * The code runs in this process, on a block of memory that the test has
 * prepared. Random hits are given to the code, and to the measure layer and
 * tail_frames.c, and both must count the same. Then the code is single-stepped:
 * wherever a thread is found in it, counting_finish() must leave the block as
 * it was before the hit, or as it is after the hit.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "perftool/measure.h"
#include "perftool/ring.h"
#include "probe/arrival/tail_frames.h"

#define STACK_LOW 0x200000000000UL
#define STACK_SIZE 0x10000UL
#define OFF_STACK (STACK_LOW - STACK_SIZE + 800)
#define LEGS 5
#define THREADS 3
#define SITE(leg, leaves) ((uint64_t)(100 + 2 * (leg) + (leaves)) << 2)

/* One unit of the test's counter is a nanosecond. */
#define TICK_NS 1.0
#define NS_PER_UNIT (1ULL << (32 - COUNTING_UNIT_BITS))

struct block {
	struct ring_header *header;
	uint64_t tail; /* of the ring */
};

static struct counting_code layout;
static uint8_t *code;

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static struct counting_leg *leg_of(const struct block *block, unsigned leg)
{
	return (struct counting_leg *)((char *)block->header + COUNTING_LEGS) +
	       leg;
}

static struct counting_open *open_at(const struct block *block, uint32_t at)
{
	return (struct counting_open *)((char *)block->header + COUNTING_OPEN +
					at);
}

static struct counting_out *out_at(const struct block *block, uint32_t at)
{
	return (struct counting_out *)((char *)block->header + COUNTING_OUT +
				       at);
}

static const uint32_t *buckets_of(const struct block *block, unsigned leg)
{
	return (const uint32_t *)((char *)block->header +
				  leg_of(block, leg)->buckets);
}

static void block_init(struct block *block)
{
	struct counting_state *state;
	void *memory = mmap(NULL, RING_BLOCK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	*block = (struct block){.header = memory};
	block->header->mask = 0xffff;
	block->header->limit = UINT64_MAX;
	state = &block->header->counting;
	state->stack_low = STACK_LOW;
	state->stack_size = STACK_SIZE;
	state->fresh = sizeof(struct counting_open);
	state->next_buckets = COUNTING_BUCKETS;
	state->scale = NS_PER_UNIT;
	state->most = COUNTING_MOST_NS << COUNTING_UNIT_BITS;
	open_at(block, 0)->frame = UINT64_MAX;
	out_at(block, 0)->frame = UINT64_MAX;
}

static void block_deinit(struct block *block)
{
	munmap(block->header, RING_BLOCK);
}

/* Call a function of the code as a trampoline does: on the stack of the
 * block. */
static void call_at(const struct block *block, size_t offset, uint64_t argument,
		    uint64_t frame, uint64_t time)
{
	uint64_t rdi = (uintptr_t)block->header, rsi = frame, rdx = time;
	uint64_t rcx = argument;
	uint64_t stack = rdi + COUNTING_STACK;
	uint8_t *function = code + offset;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %[stack], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "mov %%rbx, %%rsp"
			 : "+D"(rdi), "+S"(rsi), "+d"(rdx), "+c"(rcx)
			 : [stack] "r"(stack), [function] "r"(function)
			 : "rax", "rbx", "cc", "memory");
}

static void call(const struct block *block, bool leaves, unsigned leg,
		 uint64_t frame, uint64_t time)
{
	call_at(block, leaves ? layout.leave : layout.enter,
		SITE(leg, leaves) << 32 | leg, frame, time);
}

static int setup(void **state)
{
	/* The code reads the return addresses of frames. */
	void *stacks =
		mmap((void *)(STACK_LOW - STACK_SIZE),
		     (THREADS + 1) * STACK_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_not_equal(stacks, MAP_FAILED);
	(void)state;
	arch_counting(&layout);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	assert_in_range(layout.size, 1, 4096);
	memcpy(code, layout.code, layout.size);
	return 0;
}

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
		unsigned leg = ns % COUNTING_MOST_LEGS, found = 0;

		call(&block, false, leg, STACK_LOW + 800, 1000);
		call(&block, true, leg, STACK_LOW + 800, 1000 + ns);
		for (unsigned i = 0; i < COUNTING_BUCKETS_OF_LEG; i++) {
			if (!buckets_of(&block, leg)[i])
				continue;
			found++;
			assert_in_range(ns, counting_bucket_low(i),
					counting_bucket_low(i + 1) - 1);
		}
		assert_int_equal(found, 1);
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
	assert_int_equal(cell->site, (RING_TOLD | 7 << 2));
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

/* Function i has leg i. It may jump to functions of higher numbers, and its
 * frame then ends with theirs. */
struct trial {
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
			     unsigned leg, uint64_t frame)
{
	const struct hit hit = {.node = 1 + 2 * leg + leaves,
				.thread = thread + 1,
				.pid = 1,
				.tid = (int32_t)thread + 1,
				.time = trial->time,
				.mechanism = HIT_FAST,
				.frame = frame,
				.stack = thread + 1};

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

static void enter(struct trial *trial, unsigned thread, unsigned function,
		  uint64_t frame)
{
	const struct block *block = &trial->blocks[thread];
	const struct tail_spot spot = spot_of(trial, thread, function, frame);

	tail_frames_enter(&trial->tails, &spot);
	count_by_measure(trial, thread, false, function, frame);
	call_at(block, layout.arrive, function, frame, trial->time);
	call(block, false, function, frame, trial->time);
}

static void leave(struct trial *trial, unsigned thread, unsigned function,
		  uint64_t frame)
{
	const struct block *block = &trial->blocks[thread];
	const struct tail_spot spot = spot_of(trial, thread, function, frame);

	count_by_measure(trial, thread, true, function, frame);
	vec_clear(&trial->ends);
	tail_frames_return(&trial->tails, &spot, &trial->ends);
	for (size_t i = 0; i < trial->ends.count; i++)
		count_by_measure(trial, thread, true,
				 trial->ends.data[i].breakpoint, frame);
	call_at(block, layout.end, function, frame, trial->time);
	call(block, true, function, frame, trial->time);
}

static void call_function(struct trial *trial, unsigned thread)
{
	unsigned *depth = &trial->depth[thread];
	uint64_t above = *depth ? trial->stack[thread][*depth - 1].frame
				: low_of(thread) + STACK_SIZE;
	uint64_t frame = above - 16 * (1 + draw(trial, 4));
	unsigned function = (unsigned)draw(trial, LEGS);

	/* Each call is made by another call instruction. (What the same
	 * instruction does in a frame that has gone without a return cannot be
	 * told apart: doc/INTERNALS.md.) */
	*(uint64_t *)(frame - sizeof(uint64_t)) = ++trial->calls;
	trial->stack[thread][*depth].frame = frame;
	trial->stack[thread][*depth].function = function;
	++*depth;
	enter(trial, thread, function, frame);
}

static void tail_jump(struct trial *trial, unsigned thread)
{
	unsigned at = trial->depth[thread] - 1;
	unsigned from = trial->stack[thread][at].function;
	uint64_t frame = trial->stack[thread][at].frame;
	const struct tail_spot spot = spot_of(trial, thread, from, frame);
	unsigned to;

	if (from + 1 == LEGS)
		return;
	to = from + 1 + (unsigned)draw(trial, LEGS - from - 1);
	tail_frames_leave(&trial->tails, &spot, from);
	tail_frames_go_to(&trial->tails, &spot, to + 1);
	call_at(&trial->blocks[thread], layout.jump, from, frame, trial->time);
	call_at(&trial->blocks[thread], layout.follow, from, frame,
		trial->time);
	trial->stack[thread][at].function = to;
	pass_time(trial);
	enter(trial, thread, to, frame);
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
					     (block->tail & 0xffff));
		unsigned leg = (cell->site & ~RING_TOLD) >> 2;

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
		leave(trial, thread, (unsigned)draw(trial, LEGS),
		      low_of(thread) + 16 * (1 + draw(trial, 4000)));
	else if (*depth && choice < 8)
		tail_jump(trial, thread);
	else if (*depth && (choice & 1 || *depth == MOST_DEPTH))
		return_from(trial, thread);
	else
		call_function(trial, thread);
	read_ring(trial, thread);
}

static void trial_init(struct trial *trial, uint64_t seed)
{
	*trial = (struct trial){.random = seed, .time = 1000};
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

static void compare(const struct trial *trial)
{
	for (unsigned leg = 0; leg < LEGS; leg++) {
		const struct measure_leg *expected =
			measure_leg(trial->measure, leg);
		uint64_t count = trial->told[leg], entered = 0, unwound = 0;
		uint64_t ignored = 0;
		int64_t sum = trial->told_sum[leg] * 16;

		for (unsigned i = 0; i < THREADS; i++) {
			const struct counting_leg *at =
				leg_of(&trial->blocks[i], leg);

			count += at->count;
			entered += at->entered;
			unwound += at->unwound;
			ignored += at->ignored;
			sum += at->sum;
		}
		assert_int_equal(count, expected->count);
		assert_int_equal(entered, expected->from_hits);
		assert_int_equal(unwound, expected->unwound);
		assert_int_equal(ignored, expected->ignored_to);
		assert_int_equal(entered - count - unwound, expected->open);
		assert_int_equal(sum, (int64_t)expected->total * 16);
		assert_in_range(expected->count, 100, UINT32_MAX);
		assert_in_range(expected->unwound, 10, UINT32_MAX);
	}
}

static void test_agrees_with_measure(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct trial trial;

		trial_init(&trial, seed * 0x9e3779b97f4a7c15);
		for (unsigned i = 0; i < 5000; i++)
			step(&trial);
		compare(&trial);
		trial_deinit(&trial);
	}
}

/* ---- interruptions ----------------------------------------------------- */

static sigjmp_buf interrupted;
static struct user_regs_struct found;
static unsigned steps_left;

static void on_step(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t pc = (uint64_t)regs[REG_RIP];

	(void)signal, (void)info;
	if (pc - (uintptr_t)code >= layout.size)
		return;
	if (steps_left--)
		return;
	found = (struct user_regs_struct){
		.rip = pc,
		.rax = (uint64_t)regs[REG_RAX],
		.rcx = (uint64_t)regs[REG_RCX],
		.rdx = (uint64_t)regs[REG_RDX],
		.rsi = (uint64_t)regs[REG_RSI],
		.rdi = (uint64_t)regs[REG_RDI],
		.rsp = (uint64_t)regs[REG_RSP],
		.r8 = (uint64_t)regs[REG_R8],
		.r9 = (uint64_t)regs[REG_R9],
		.r10 = (uint64_t)regs[REG_R10],
		.r11 = (uint64_t)regs[REG_R11],
		.eflags = (uint64_t)regs[REG_EFL],
	};
	siglongjmp(interrupted, 1);
}

#define FRAME_LEG 3U

/* Call the code with known values in r8 to r11, as at the last hit of a scene.
 * The caller single-steps it. */
static void call_stepping(const struct block *block, size_t offset,
			  uint64_t frame, uint64_t time)
{
	uint64_t rdi = (uintptr_t)block->header, rsi = frame, rdx = time;
	uint64_t rcx = SITE(FRAME_LEG, 0) << 32 | FRAME_LEG;
	uint64_t stack = rdi + COUNTING_STACK;
	uint8_t *function = code + offset;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %[stack], %%rsp\n\t"
			 "mov $0x808, %%r8d\n\t"
			 "mov $0x909, %%r9d\n\t"
			 "mov $0xa0a, %%r10d\n\t"
			 "mov $0xb0b, %%r11d\n\t"
			 "call *%[function]\n\t"
			 "mov %%rbx, %%rsp"
			 : "+D"(rdi), "+S"(rsi), "+d"(rdx), "+c"(rcx)
			 : [stack] "r"(stack), [function] "r"(function)
			 : "rax", "rbx", "r8", "r9", "r10", "r11", "cc",
			   "memory");
}

static bool read_here(void *context, uint64_t address, void *buffer,
		      size_t size)
{
	(void)context;
	memcpy(buffer, (const void *)(uintptr_t)address, size);
	return true;
}

static bool write_here(void *context, uint64_t address, const void *data,
		       size_t size)
{
	(void)context;
	memcpy((void *)(uintptr_t)address, data, size);
	return true;
}

/* What a block counts: everything that must not be half done. */
struct counts {
	struct counting_leg legs[LEGS];
	uint32_t buckets[LEGS][COUNTING_BUCKETS_OF_LEG];
	uint64_t counted, taken;
	size_t open[LEGS], free;
	struct counting_out out[4];
};

static struct counts counts_of(const struct block *block)
{
	struct counts counts = {.counted = block->header->counting.counted,
				.taken = block->header->counting.taken};

	for (unsigned i = 0; i < LEGS; i++) {
		counts.legs[i] = *leg_of(block, i);
		for (uint32_t at = counts.legs[i].top; at;
		     at = open_at(block, at)->below)
			counts.open[i]++;
		if (counts.legs[i].count)
			memcpy(counts.buckets[i], buckets_of(block, i),
			       COUNTING_SET_SIZE);
		/* which activation it is, and which buckets, does not
		 * matter */
		counts.legs[i].top = counts.legs[i].buckets = 0;
		if (!counts.legs[i].count)
			counts.legs[i].min = 0;
	}
	for (uint32_t at = 0; at < block->header->counting.out; at += 32)
		counts.out[at / 32] = *out_at(block, at + 32);
	for (uint32_t at = block->header->counting.free; at;
	     at = open_at(block, at)->below)
		counts.free++;
	return counts;
}

struct scene {
	/* the functions that are called at the hit, in this order; offsets in
	 * the code */
	size_t first, then;
	uint64_t frame, time;
};

/* What `first` of a scene is if only `then` is called. */
#define NOTHING SIZE_MAX

static void call_in_scene(const struct block *block, size_t offset,
			  const struct scene *hit, unsigned leg)
{
	call_at(block, offset, SITE(leg, 0) << 32 | leg, hit->frame, hit->time);
}

static void do_hit(const struct block *block, const struct scene *hit)
{
	if (hit->first != NOTHING)
		call_in_scene(block, hit->first, hit, FRAME_LEG);
	call_in_scene(block, hit->then, hit, FRAME_LEG);
}

/* The hits of a scene come one after the other, and the last one is
 * interrupted. Two other legs have left frames by tail jumps before. */
static void play(struct block *block, const struct scene *scene, size_t count)
{
	const struct scene outer = {NOTHING, 0, STACK_LOW + 900, 5};

	block_init(block);
	block->header->counting.cost = 5 << COUNTING_COST_BITS;
	block->header->counting.record_cost = 7 << COUNTING_COST_BITS;
	for (unsigned leg = 1; leg <= 2; leg++) {
		call_in_scene(block, layout.enter, &outer, leg);
		call_in_scene(block, layout.jump, &outer, leg);
	}
	for (size_t i = 0; i + 1 < count; i++)
		do_hit(block, &scene[i]);
}

/* Execute a hit of the scene and stop after so many of its instructions.
 * Returns false if it has fewer. */
static bool is_stopped(const struct block *block, const struct scene *hit,
		       unsigned after)
{
	steps_left = after;
	if (sigsetjmp(interrupted, 1))
		return true;
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::
				 : "cc", "memory");
	if (hit->first != NOTHING)
		call_stepping(block, hit->first, hit->frame, hit->time);
	call_stepping(block, hit->then, hit->frame, hit->time);
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::
				 : "cc", "memory");
	return false;
}

/* The hit is made again. It is then right. */
static void check_again(const struct block *block, const struct scene *hit,
			const struct counts *after)
{
	struct counts now;

	do_hit(block, hit);
	now = counts_of(block);
	/* An activation or a set of buckets may be lost. */
	now.free = after->free;
	assert_memory_equal(&now, after, sizeof(now));
}

/* Interrupt the last hit of the scene behind every number of instructions. */
static void interrupt_everywhere(const struct scene *scene, size_t count,
				 size_t *again, size_t *done)
{
	const struct scene *last = &scene[count - 1];
	static volatile unsigned at;
	static struct block block;
	struct counts after, now;

	play(&block, scene, count);
	do_hit(&block, last);
	after = counts_of(&block);
	block_deinit(&block);
	for (at = 0;; at++) {
		struct counting_undone undone;
		bool stopped;

		play(&block, scene, count);
		stopped = is_stopped(&block, last, at);
		if (!stopped)
			break;
		assert_true(counting_finish(found.rip - (uintptr_t)code, &found,
					    read_here, write_here, NULL,
					    &undone));
		assert_int_equal(found.r8, 0x808);
		assert_int_equal(found.r9, 0x909);
		assert_int_equal(found.r10, 0xa0a);
		assert_int_equal(found.r11, 0xb0b);
		now = counts_of(&block);
		if (undone.counted) {
			++*done;
			assert_memory_equal(&now, &after, sizeof(now));
		} else {
			++*again;
			if (undone.reserved)
				assert_int_equal(undone.position,
						 block.header->head - 32);
			check_again(&block, last, &after);
		}
		block_deinit(&block);
	}
	block_deinit(&block);
}

#define PLAY(scene, again, done)                                               \
	interrupt_everywhere(scene, sizeof(scene) / sizeof((scene)[0]), again, \
			     done)

static void test_is_interrupted_anywhere(void **state)
{
	const size_t in = layout.enter, out = layout.leave;
	const struct scene enter[] = {{NOTHING, in, STACK_LOW + 800, 10},
				      {NOTHING, out, STACK_LOW + 800, 20},
				      {NOTHING, in, STACK_LOW + 800, 30}};
	const struct scene first[] = {{NOTHING, in, STACK_LOW + 800, 10}};
	const struct scene leave[] = {{NOTHING, in, STACK_LOW + 800, 10},
				      {NOTHING, out, STACK_LOW + 800, 20},
				      {NOTHING, in, STACK_LOW + 800, 30},
				      {NOTHING, out, STACK_LOW + 800, 350}};
	const struct scene unwind[] = {{NOTHING, in, STACK_LOW + 800, 10},
				       {NOTHING, in, STACK_LOW + 700, 20},
				       {NOTHING, in, STACK_LOW + 600, 30},
				       {NOTHING, in, STACK_LOW + 800, 350}};
	const struct scene past[] = {{NOTHING, in, STACK_LOW + 800, 10},
				     {NOTHING, in, STACK_LOW + 700, 20},
				     {NOTHING, in, STACK_LOW + 600, 30},
				     {NOTHING, out, STACK_LOW + 800, 350}};
	const struct scene ignored[] = {{NOTHING, out, STACK_LOW + 800, 10}};
	const struct scene told[] = {{NOTHING, in, STACK_LOW + 800, 10},
				     {NOTHING, out, STACK_LOW + 800, 100000}};
	const struct scene elsewhere[] = {{NOTHING, in, OFF_STACK, 10}};
	const struct scene jump[] = {
		{NOTHING, in, STACK_LOW + 800, 10},
		{layout.jump, layout.follow, STACK_LOW + 800, 20}};
	const struct scene jump_outside[] = {
		{NOTHING, in, STACK_LOW + 950, 10},
		{layout.jump, layout.follow, STACK_LOW + 950, 20}};
	const struct scene end[] = {{NOTHING, in, STACK_LOW + 900, 10},
				    {layout.end, out, STACK_LOW + 900, 350}};
	const struct scene end_told[] = {
		{layout.end, layout.follow, STACK_LOW + 900, 100000}};
	const struct scene arrive[] = {
		{NOTHING, in, STACK_LOW + 900, 10},
		{layout.jump, layout.follow, STACK_LOW + 900, 20},
		{layout.arrive, in, STACK_LOW + 900, 30}};
	struct sigaction action = {.sa_sigaction = on_step,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static char stack[65536];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	size_t again = 0, done = 0;

	(void)state;
	assert_int_equal(sigaltstack(&alternate, NULL), 0);
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_an_execution),
		cmocka_unit_test(test_bounds_of_buckets),
		cmocka_unit_test(test_subtracts_costs),
		cmocka_unit_test(test_tells_long_executions),
		cmocka_unit_test(test_discards),
		cmocka_unit_test(test_forgets_a_frame_that_is_called_again),
		cmocka_unit_test(test_agrees_with_measure),
		cmocka_unit_test(test_is_interrupted_anywhere),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
