/*
 * counting_rig.h - the code by which threads count, in the process of a test
 *
 * The code runs on a block of memory that the test has prepared. A test plays
 * scenes of hits. The last hit of a scene can be interrupted behind each of its
 * instructions. Included by one test program, after cmocka's header.
 */
#ifndef COUNTING_RIG_H
#define COUNTING_RIG_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "perftool/measure.h"
#include "perftool/ring.h"

#include "sampling.h"

#define CODE_SIZE 12288
#define STACK_LOW 0x200000000000UL
#define STACK_SIZE 0x100000UL
#define OFF_STACK (STACK_LOW - STACK_SIZE + 800)
#define LEGS 5
#define THREADS 3
#define SITE(leg, leaves)                                                      \
	((uint64_t)(100 + 2 * (leg) + (leaves)) << RING_SITE_SHIFT)

/* One unit of the test's counter is a nanosecond. */
#define TICK_NS 1.0
#define NS_PER_UNIT (1ULL << (32 - COUNTING_UNIT_BITS))

struct block {
	struct ring_header *header;
	uint64_t tail; /* of the ring */
};

static struct counting_code layout;
static uint8_t *code;

static inline uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static inline struct counting_leg *leg_of(const struct block *block,
					  unsigned leg)
{
	return (struct counting_leg *)((char *)block->header + COUNTING_LEGS) +
	       leg;
}

static inline struct counting_open *open_at(const struct block *block,
					    uint32_t at)
{
	return (struct counting_open *)((char *)block->header + COUNTING_OPEN +
					at);
}

static inline struct counting_out *out_at(const struct block *block,
					  uint32_t at)
{
	return (struct counting_out *)((char *)block->header + COUNTING_OUT +
				       at);
}

/* The activation of a leg that matches by order. */
static inline struct counting_open *order_of(const struct block *block,
					     unsigned leg)
{
	return (struct counting_open *)((char *)block->header +
					COUNTING_ORDER) +
	       leg;
}

static inline const uint32_t *buckets_of(const struct block *block,
					 unsigned leg)
{
	return (const uint32_t *)((char *)block->header +
				  leg_of(block, leg)->buckets);
}

static inline void block_init(struct block *block)
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
	state->since = 1;
	state->scale = NS_PER_UNIT;
	state->most = COUNTING_MOST_NS << COUNTING_UNIT_BITS;
	open_at(block, 0)->frame = UINT64_MAX;
	out_at(block, 0)->frame = UINT64_MAX;
}

static inline void block_deinit(struct block *block)
{
	munmap(block->header, RING_BLOCK);
}

/* Call a function of the code as a trampoline does: on the stack of the
 * block. */
static inline void call_at(const struct block *block, size_t offset,
			   uint64_t argument, uint64_t frame, uint64_t time)
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

static inline void call(const struct block *block, bool leaves, unsigned leg,
			uint64_t frame, uint64_t time)
{
	call_at(block, leaves ? layout.leave : layout.enter,
		SITE(leg, leaves) << 32 | leg, frame, time);
}

static inline int setup(void **state)
{
	/* The code reads the return addresses of frames. */
	void *stacks =
		mmap((void *)(STACK_LOW - STACK_SIZE),
		     (THREADS + 1) * STACK_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_not_equal(stacks, MAP_FAILED);
	(void)state;
	arch_counting(&layout);
	code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	assert_in_range(layout.size, 1, CODE_SIZE);
	arch_counting_write(code);
	return 0;
}

/* ---- interruptions ----------------------------------------------------- */

static sigjmp_buf interrupted;
static struct user_regs_struct found;
static unsigned steps_left;

static inline void on_step(int signal, siginfo_t *info, void *context)
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
static inline void call_stepping_at(const struct block *block, size_t offset,
				    uint64_t argument, uint64_t frame,
				    uint64_t time)
{
	uint64_t rdi = (uintptr_t)block->header, rsi = frame, rdx = time;
	uint64_t rcx = argument;
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

static inline void call_stepping(const struct block *block, size_t offset,
				 uint64_t frame, uint64_t time, unsigned leg)
{
	call_stepping_at(block, offset, SITE(leg, 0) << 32 | leg, frame, time);
}

/* From the first call on, the thread traps behind each of its instructions,
 * until the second one. */
static inline void step_from_here(void)
{
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::
				 : "cc", "memory");
}

static inline void step_until_here(void)
{
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::
				 : "cc", "memory");
}

static inline bool read_here(void *context, uint64_t address, void *buffer,
			     size_t size)
{
	(void)context;
	memcpy(buffer, (const void *)(uintptr_t)address, size);
	return true;
}

static inline bool write_here(void *context, uint64_t address, const void *data,
			      size_t size)
{
	(void)context;
	memcpy((void *)(uintptr_t)address, data, size);
	return true;
}

/* Do what the tool does with a thread that was found in the code. The program's
 * registers have their values then. */
static inline struct counting_undone finish_here(void)
{
	struct counting_undone undone;

	assert_true(counting_finish(found.rip - (uintptr_t)code, &found,
				    read_here, write_here, NULL, &undone));
	assert_int_equal(found.r8, 0x808);
	assert_int_equal(found.r9, 0x909);
	assert_int_equal(found.r10, 0xa0a);
	assert_int_equal(found.r11, 0xb0b);
	return undone;
}

/* What a block counts: everything that must not be half done. */
struct counts {
	struct counting_leg legs[LEGS];
	uint32_t buckets[LEGS][COUNTING_BUCKETS_OF_LEG];
	uint64_t counted, taken;
	size_t open[LEGS], free;
	struct counting_open order[LEGS];
	struct counting_out out[4];
};

static inline struct counts counts_of(const struct block *block)
{
	struct counts counts = {.counted = block->header->counting.counted,
				.taken = block->header->counting.taken};

	for (unsigned i = 0; i < LEGS; i++) {
		counts.legs[i] = *leg_of(block, i);
		counts.order[i] = *order_of(block, i);
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
	/* The functions that are called at the hit: `first`, then `come` if the
	 * hit comes to a leg, then `then`. Offsets in the code. */
	size_t first, then;
	uint64_t frame, time;
	unsigned comes_to; /* number of a leg, 0: none */
	/* of the hit, or two legs (COUNTING_NEXT_SHIFT); 0: FRAME_LEG */
	unsigned leg;
	uint64_t since; /* what was discarded before the hit; 0: nothing */
	/* if not 0: how often the innermost activation of the leg is said to
	 * have come back before the hit */
	uint32_t back;
};

/* What `first` of a scene is if only `then` is called. */
#define NOTHING SIZE_MAX

#define HIT(a, b, at, when)                                                    \
	{                                                                      \
		.first = a, .then = b, .frame = at, .time = when               \
	}

typedef void call_fn(const struct block *block, size_t offset, uint64_t frame,
		     uint64_t time, unsigned leg);

static inline void call_simply(const struct block *block, size_t offset,
			       uint64_t frame, uint64_t time, unsigned leg)
{
	call_at(block, offset, SITE(leg, 0) << 32 | leg, frame, time);
}

static inline void make_calls(const struct block *block,
			      const struct scene *hit, call_fn *call_one)
{
	unsigned leg = hit->leg ? hit->leg : FRAME_LEG;

	if (hit->first != NOTHING)
		call_one(block, hit->first, hit->frame, hit->time, leg);
	if (hit->comes_to)
		call_one(block, layout.come, hit->frame, hit->time,
			 hit->comes_to);
	call_one(block, hit->then, hit->frame, hit->time, leg);
}

static inline void prepare_hit(const struct block *block,
			       const struct scene *hit)
{
	if (hit->since)
		block->header->counting.since = hit->since;
	if (hit->back)
		open_at(block, leg_of(block, FRAME_LEG)->top)->back = hit->back;
}

static inline void do_hit(const struct block *block, const struct scene *hit)
{
	prepare_hit(block, hit);
	make_calls(block, hit, call_simply);
}

/* The hits of a scene come one after the other, and the last one is
 * interrupted. Two other legs have left frames by tail jumps before. */
static inline void play(struct block *block, const struct scene *scene,
			size_t count)
{

	block_init(block);
	block->header->counting.cost = 5 << COUNTING_COST_BITS;
	block->header->counting.record_cost = 7 << COUNTING_COST_BITS;
	for (unsigned leg = 1; leg <= 2; leg++) {
		call_simply(block, layout.enter, STACK_LOW + 900, 5, leg);
		call_simply(block, layout.jump, STACK_LOW + 900, 5, leg);
	}
	for (size_t i = 0; i + 1 < count; i++)
		do_hit(block, &scene[i]);
}

/* Execute a hit of the scene and stop after so many of its instructions.
 * Returns false if it has fewer. */
static inline bool is_stopped(const struct block *block,
			      const struct scene *hit, unsigned after)
{
	steps_left = after;
	if (sigsetjmp(interrupted, 1))
		return true;
	step_from_here();
	make_calls(block, hit, call_stepping);
	step_until_here();
	return false;
}

/* The hit is made again. It is then right. */
static inline void check_again(const struct block *block,
			       const struct scene *hit,
			       const struct counts *after)
{
	struct counts now;

	do_hit(block, hit);
	now = counts_of(block);
	/* An activation or a set of buckets may be lost. */
	now.free = after->free;
	assert_memory_equal(&now, after, sizeof(now));
}

/* In the tier full, the last hit of a scene is interrupted after each of its
 * instructions; in the tier core, after one of this many instructions. */
#define INTERRUPTIONS 7

/* Interrupt the last hit of the scene. Add to `*again` the interruptions before
 * which the hit was not counted, and to `*done` the others. In the tier core,
 * each interruption stands for INTERRUPTIONS of them. */
static inline void interrupt_everywhere(const struct scene *scene, size_t count,
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
	for (at = first_case(INTERRUPTIONS);; at += next_case(INTERRUPTIONS)) {
		struct counting_undone undone;
		bool stopped;

		play(&block, scene, count);
		prepare_hit(&block, last);
		stopped = is_stopped(&block, last, at);
		if (!stopped)
			break;
		undone = finish_here();
		now = counts_of(&block);
		if (undone.counted) {
			*done += next_case(INTERRUPTIONS);
			assert_memory_equal(&now, &after, sizeof(now));
		} else {
			*again += next_case(INTERRUPTIONS);
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

static inline void begin_stepping(void)
{
	const struct sigaction action = {.sa_sigaction = on_step,
					 .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static char stack[65536];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};

	assert_int_equal(sigaltstack(&alternate, NULL), 0);
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
}

#endif
