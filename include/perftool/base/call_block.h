/*
 * call_block.h - the memory in which the calls of one thread are counted: which
 * of the named functions it has open, and what each arc (call site and
 * function) has added up to
 *
 * The block is plain memory that knows no address: it consists of a header and
 * of arrays, which the header finds by their offsets from the block. So the
 * program's thread and the tool may have it at different addresses. Two
 * machines work on it by the same rules: the assembly that trampolines call
 * (arch layer), and the C of profile/call_activations.h, which has the rules.
 *
 *	open	struct call_activation: the activations of the thread's own
 *		stack, a stack whose first element is none
 *	arcs	struct call_block_arc, in the order of their first calls; the
 *		first one adds up the calls whose arc found no room
 *	cold	struct call_block_cold, one for each arc
 *	index	uint32_t, a hash table with open addressing: numbers of arcs
 *	depths	uint32_t, indexed by the number of the function: how many of
 *		its activations the thread has open, on all its stacks
 *
 * Everything begins as zero, and pages that nobody touches take no memory. An
 * array of arcs in the order of the first calls, and an index that grows,
 * keep a thread that does little in few pages.
 *
 * Times are ticks of the clock of whoever feeds the block: of the time-stamp
 * counter in the program, nanoseconds in the tool. Costs are 256ths of a tick,
 * durations are sixteenths (as in counting.h of the arch layer), so that nobody
 * has to divide. Sums are signed, because what is subtracted is an average.
 */
#ifndef PERFTOOL_BASE_CALL_BLOCK_H
#define PERFTOOL_BASE_CALL_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No function: the caller of what no named function has called. */
#define CALL_NO_FUNCTION UINT32_MAX
/* `coming` of an activation: any of the functions. */
#define CALL_ANY_FUNCTION (UINT32_MAX - 1)

/* A duration is a 16th of a tick, and a cost a 256th. */
#define CALL_UNIT_BITS 4
#define CALL_COST_BITS 8

/* A call that has begun and has not ended; 64 bytes. */
struct call_activation {
	uint64_t frame; /* CFA; UINT64_MAX in the first element */
	/* CALL_NO_FUNCTION in the first element */
	uint32_t function;
	uint32_t arc;   /* the number of its arc; 0: no room for one */
	uint64_t start; /* ticks */
	uint64_t taken; /* `taken` of the block behind the entry */
	/* the elapsed time of the named functions that were called from here
	 * and have ended; durations */
	int64_t children;
	/* The function is about to leave its frame by a tail jump to this
	 * function; CALL_NO_FUNCTION: it is not. CALL_ANY_FUNCTION: to which
	 * one is not known. */
	uint32_t coming;
	uint32_t spare;
	/* `waited` of the block at the entry, and the waiting time of the
	 * children; ticks. Only the C machine uses these two. */
	uint64_t waited;
	uint64_t children_waited;
};

/* What the calls of an arc have added up to; 64 bytes. */
struct call_block_arc {
	/* The key: the return address of the call (0: by a tail jump), the
	 * innermost activation that was open below (CALL_NO_FUNCTION: none),
	 * and the function that was entered. */
	uint64_t site;
	uint32_t caller, callee;
	uint64_t count;    /* calls that have ended */
	int64_t elapsed;   /* durations, as the next two */
	int64_t self;      /* elapsed, less that of the children */
	int64_t outermost; /* elapsed of calls during which no other activation
			      of the function was open in the thread */
	uint64_t spare[2];
};

/* What is seldom, or what only the C machine knows; 32 bytes. */
struct call_block_cold {
	uint64_t unreturned; /* calls that ended otherwise than by a return */
	/* of `self` and of `outermost`: ticks off the CPU */
	int64_t self_waiting, waiting;
	uint64_t spare;
};

struct call_block {
	/* Who makes the thread's hits writes these members. */
	uint64_t taken;     /* what all hits have cost the thread; costs */
	uint64_t hits;      /* entries, jumps and exits */
	uint32_t top;       /* number of the innermost activation; 0: none */
	uint32_t arc_count; /* arcs in use, of which the first one is always */
	uint64_t ignored;   /* exits from frames that had no activation */
	/* entries for which there was no room on the stack of activations; they
	 * count in their arcs, without time */
	uint64_t deep;
	uint64_t spare[3];

	/* The tool writes these members. */
	uint64_t cost; /* what a hit costs the thread, which is added to `taken`
			  at the end of each hit; costs */
	/* what a call seems to take that takes no time and has no hits inside;
	 * costs */
	int64_t own;
	uint64_t waited; /* how long the thread has been off its CPU; ticks */
	uint64_t stack_low, stack_size; /* the thread's own stack */
	uint32_t functions;             /* functions have smaller numbers */
	uint32_t most_open, most_arcs;  /* elements of the arrays */
	/* The index has 2^(64 - shift) slots in use, and 2^(64 - last_shift) at
	 * most. */
	uint32_t index_shift, last_shift;
	uint32_t spare2;
	/* offsets of the arrays from the block */
	uint64_t open, arcs, cold, index, depths;
	/* The next hit of the thread in the program with this frame at the site
	 * of this number was counted before (struct counting_state of the arch
	 * layer has the same for other hits). Frame 0: there is no such hit. */
	uint64_t skip_frame;
	uint32_t skip_site, spare3;
	/* The thread tells the tool of calls that take so long or longer;
	 * durations. */
	int64_t most;
	/* Of a header that the tool has for itself (call_block_mirror()): that
	 * of the thread's block. In the thread's block nobody uses it. */
	struct call_block *origin;
	uint64_t spare4[4];
};

_Static_assert(sizeof(struct call_activation) == 64, "shifted by 6");
_Static_assert(sizeof(struct call_block_arc) == 64, "shifted by 6");
_Static_assert(sizeof(struct call_block_cold) == 32, "shifted by 5");

/* How large a block is. */
struct call_block_size {
	uint32_t functions; /* their numbers are smaller than this */
	uint32_t open;      /* activations, with the first one */
	uint32_t arcs;      /* arcs, with the first one; a power of two */
};

/* The bytes of a block of this size. */
size_t call_block_bytes(const struct call_block_size *size);
/* Make a block of memory that is all zero, and aligned to 64 bytes. */
void call_block_init(struct call_block *block,
		     const struct call_block_size *size);

/*
 * A program may write anything into a block that it shares with the tool, at
 * any time. So the tool has a header of its own for such a block, with the same
 * arrays. What leads to the arrays is only there.
 *
 * call_block_mirror() makes this header for a block that was made.
 * call_block_load() reads what the thread writes into its header, and
 * call_block_store() writes it back after the tool has changed it, while the
 * thread stands still. Both do nothing for a block that has no other header.
 */
void call_block_mirror(struct call_block *origin, struct call_block *out);
void call_block_load(struct call_block *block);
void call_block_store(const struct call_block *block);

static inline struct call_activation *
call_block_open(const struct call_block *block, uint32_t number)
{
	return (struct call_activation *)((uintptr_t)block + block->open) +
	       number;
}

static inline struct call_block_arc *
call_block_arc(const struct call_block *block, uint32_t number)
{
	return (struct call_block_arc *)((uintptr_t)block + block->arcs) +
	       number;
}

static inline struct call_block_cold *
call_block_cold(const struct call_block *block, uint32_t number)
{
	return (struct call_block_cold *)((uintptr_t)block + block->cold) +
	       number;
}

static inline uint32_t *call_block_index(const struct call_block *block)
{
	return (uint32_t *)((uintptr_t)block + block->index);
}

static inline uint32_t *call_block_depth(const struct call_block *block,
					 uint32_t function)
{
	return (uint32_t *)((uintptr_t)block + block->depths) + function;
}

/* Add to a number of the block. A program may have written anything there, so
 * the sum may be beyond what the type holds: it then wraps around. */
static inline void call_block_add(int64_t *number, int64_t value)
{
	*number = (int64_t)((uint64_t)*number + (uint64_t)value);
}

/* The slot of the index at which the search for an arc begins. The next one is
 * looked at if another arc is there; behind the last slot comes the first. */
static inline uint64_t call_block_slot(const struct call_block *block,
				       uint64_t site, uint32_t caller,
				       uint32_t callee)
{
	uint64_t key = site ^ (uint64_t)callee << 32 ^ (uint64_t)caller << 44;

	return key * 0x9e3779b97f4a7c15U >> block->index_shift;
}

/* Must the index grow before one more arc is entered? At most half of its slots
 * are used, unless it cannot grow any more. */
static inline bool call_block_must_grow(const struct call_block *block)
{
	return block->index_shift > block->last_shift &&
	       block->arc_count >> (63 - block->index_shift) != 0;
}

/* Double the index. */
void call_block_grow(struct call_block *block);

/*
 * Return the number of an arc, which is entered if it is not there; 0 if there
 * is no room. The index grows when it must. (The assembly leaves both to the
 * tool: it traps.)
 */
uint32_t call_block_find_arc(struct call_block *block, uint64_t site,
			     uint32_t caller, uint32_t callee);

#endif
