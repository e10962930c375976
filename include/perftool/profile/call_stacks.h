/*
 * call_stacks.h - samples with the names of their frames: what the reports of
 * the Spy and of the profiler are computed from
 *
 * A sample is one call stack of a thread, with a weight and a reason. Equal
 * stacks have one number. The addresses of a stack_log (stack_log.h) become
 * these stacks when a report is made, so debug information that was found
 * meanwhile is used.
 */
#ifndef PERFTOOL_PROFILE_CALL_STACKS_H
#define PERFTOOL_PROFILE_CALL_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/profile/procedures.h"

/* Why a sample was taken, and which column it counts in. */
enum sample_reason {
	SAMPLE_TICK,
	SAMPLE_FAULT_MINOR,
	SAMPLE_FAULT_MAJOR,
	SAMPLE_ALLOCATION, /* `allocations` and `words`: the weight differs */
	SAMPLE_CREATED,    /* a mapping */
	SAMPLE_DELETED,
	SAMPLE_GROWN,
	SAMPLE_SHRUNK,
	SAMPLE_BREAK,
};
#define SAMPLE_REASONS 9

/* A place inside a procedure: where its frame executes or calls. */
struct call_place {
	uint32_t procedure;
	const char *file; /* NULL: not known */
	uint32_t line;
	/* an address of the module's file: of the instruction that executes, or
	 * of the last byte of the call; 0 for waits */
	uint64_t address;
	/* The frame is an inlined call. The next frame of the stack is that of
	 * the procedure into which it was inlined. */
	bool is_inlined;
};

VEC_STRUCT(call_place_list, uint32_t);

struct call_stack {
	const uint32_t *places; /* numbers of places, innermost first */
	size_t depth;
	/* The stack could not be unwound to its end. */
	bool is_broken;
};

struct sampled_thread {
	pid_t pid, tid;
	const char *name; /* comm of the thread, or NULL */
	/* "nice 0, other"; several, parted by ", ", if they changed */
	const char *priorities;
	/* its page faults while it was sampled, as the kernel counts them */
	uint64_t minor_faults, major_faults;
	/* Its faults between the last reading and its end are not known. */
	bool misses_end;
	/* the thread's start routine, or main; NO_PROCEDURE: not known */
	uint32_t entry;
};

struct call_sample {
	uint32_t stack;
	uint32_t thread; /* index into `threads` */
	enum sample_reason reason;
	/* A tick that was taken elsewhere than it fell due. */
	bool is_delayed;
	uint64_t weight;
};

/* All zero is empty. */
struct call_stacks {
	struct procedures procedures;
	VEC(struct call_place) places;
	VEC(struct call_stack) stacks;
	VEC(struct sampled_thread) threads;
	/* One for each combination of stack, thread, reason and delay: equal
	 * samples are added up. */
	VEC(struct call_sample) samples;
	struct map place_hash, stack_hash, sample_hash;
};

void call_stacks_deinit(struct call_stacks *stacks);

/* Return the number of a place. `file` is copied. */
uint32_t call_stacks_place(struct call_stacks *stacks,
			   const struct call_place *place);
/* Return the number of a stack. The places are copied. */
uint32_t call_stacks_stack(struct call_stacks *stacks, const uint32_t *places,
			   size_t depth, bool is_broken);
/* Append a thread, and return its index. The texts are copied. */
uint32_t call_stacks_thread(struct call_stacks *stacks,
			    const struct sampled_thread *thread);
/* Add a sample. */
void call_stacks_add(struct call_stacks *stacks,
		     const struct call_sample *sample);

/* Set the entry points of all threads, from the samples that they have. */
void call_stacks_find_entries(struct call_stacks *stacks);

/* The weight of all samples. */
uint64_t call_stacks_weight(const struct call_stacks *stacks);

static inline uint32_t call_stack_procedure(const struct call_stacks *stacks,
					    const struct call_stack *stack,
					    size_t frame)
{
	return stacks->places.data[stack->places[frame]].procedure;
}

/* The innermost frame that is not a wait; `depth` if the stack has none. */
static inline size_t call_stack_innermost(const struct call_stacks *stacks,
					  const struct call_stack *stack)
{
	size_t frame = 0;

	while (frame < stack->depth &&
	       stacks->procedures.list
		       .data[call_stack_procedure(stacks, stack, frame)]
		       .is_wait)
		frame++;
	return frame;
}

#endif
