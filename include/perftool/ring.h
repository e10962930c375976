/*
 * ring.h - how a fast node tells of its hits: records in memory that the
 * program's thread writes and the tool reads
 *
 * Each thread has a block of its own in memory that is shared with the tool:
 *
 *	0		struct ring_header
 *	RING_CELLS	cells, used round and round
 *
 * The thread's gs base is RING_DISTANCE below the block, so that an access of
 * the program through gs does not reach the block by accident, and an access of
 * a trampoline does not reach what a program has at a gs base of its own.
 *
 * A record is one cell, and as many more behind it as its values need. A cell's
 * place is its position modulo the size of the ring. Writer (a trampoline) and
 * reader (the tool) agree like this:
 *
 *  - `head` counts the bytes of all cells that were ever reserved. Only the
 *    thread itself adds to it, with one instruction, so that a signal handler
 *    may do so, too, in between.
 *  - A cell is complete when its `site` is not 0, which is written last. The
 *    reader makes that 0 again before it gives the cell back.
 *  - `limit` is how far `head` may go; the reader moves it on. A thread that
 *    has reserved beyond it waits for that: it traps, nothing is lost; how
 *    long it waited it says itself.
 *  - `mask` is the size of the ring less one. The reader makes the ring larger
 *    while its thread waits for room and every earlier cell has been read.
 */
#ifndef PERFTOOL_RING_H
#define PERFTOOL_RING_H

#include <stdint.h>

#define RING_CELLS 4096            /* where they begin, in a block */
#define RING_BYTES (1024UL * 1024) /* at most; a power of two */
#define RING_BLOCK (RING_CELLS + RING_BYTES)

/* With every offset in a block added, still a positive displacement. */
#define RING_DISTANCE 0x7fff0000UL

/* `site` is the number of the site, shifted so, plus the cells of the record
 * less one: a reader that does not know the site still knows where the next
 * record begins. */
#define RING_SITE_SHIFT 2

/* `site` of a record that means nothing: its thread never completed it. */
#define RING_VOID UINT32_MAX

/* Intermediate results of a trampoline: conditions and values. */
#define RING_SCRATCH 20

/*
 * Where a trampoline saves what it uses, for nothing of ours is written to the
 * program's stack. One such place is enough while the tool is there: before it
 * has a signal delivered it puts the thread back to the site or on to the slot,
 * so no handler ever interrupts a trampoline.
 */
struct ring_saved {
	uint64_t rax;
	uint64_t flags; /* ah as lahf has them, al: overflow */
	uint64_t rcx, rdx;
	uint64_t scratch[RING_SCRATCH];
};

struct ring_header {
	uint64_t head;
	uint64_t self;   /* where the block is in the process */
	uint32_t cookie; /* of this tool: a trampoline that does not find its
			    own here writes nothing */
	uint32_t spare[11];
	/* another line of the cache: the tool writes here */
	uint64_t limit; /* UINT64_MAX: nobody reads, nobody waits */
	uint64_t slot; /* where a trampoline goes on that has none of its own */
	uint32_t mask; /* bytes of the ring, less 1 */
	uint32_t spare2[11];
	/* the last wait for room: when it began and ended */
	uint64_t stall_from, stall_to;
	uint64_t spare3[6];
	struct ring_saved saved;
};

struct ring_cell {
	uint64_t time; /* time-stamp counter */
	uint32_t site; /* its number, or RING_VOID; 0: not complete */
	uint32_t mask; /* bit i: the condition of its part i was true; 0: all
			  parts are hit */
	uint64_t base; /* what the frame is computed from */
	uint64_t value;
};

/* The cells behind the first, for more values than one. */
struct ring_more {
	uint64_t first;
	uint64_t zero; /* where `site` is: whoever looks finds no record */
	uint64_t second, third;
};

#define RING_VALUES_MORE 3

/* How many cells a record of so many values has. */
static inline uint32_t ring_cells(uint32_t values)
{
	return values <= 1 ? 1
			   : 1 + (values - 1 + RING_VALUES_MORE - 1) /
					     RING_VALUES_MORE;
}

/* Where in its record value `index` is, in bytes from the record's cell, were
 * there no end of the ring. */
static inline uint32_t ring_value_offset(uint32_t index)
{
	static const uint8_t in_more[RING_VALUES_MORE] = {0, 16, 24};

	if (index == 0)
		return 24;
	index--;
	return 32 * (1 + index / RING_VALUES_MORE) +
	       in_more[index % RING_VALUES_MORE];
}

#endif
