/*
 * ring.h - how fast nodes report their hits: records in memory that the
 * program's thread writes and the tool reads
 *
 * Each thread has a block of its own in memory that is shared with the tool:
 *
 *	0		struct ring_header
 *	RING_CELLS	cells, which are used in a circle
 *	COUNTING_LEGS	what the thread counts by itself (counting.h)
 *
 * The gs base of the thread is RING_DISTANCE below the block. There are two
 * reasons for the distance. An accidental access of the program through gs does
 * not reach the block. And if the program uses gs for data of its own, an
 * access of a trampoline does not reach this data.
 *
 * A record describes one arrival of a thread at a site. A record has one cell,
 * and more cells behind it if its values need them. The place of a cell in the
 * ring is its position modulo the size of the ring. The writer (a trampoline)
 * and the reader (the tool) follow these rules:
 *
 *  - `head` counts the bytes of all cells that were ever reserved. Only the
 *    thread itself adds to it, and does so with one instruction, so that a
 *    signal handler may reserve cells at any moment, too.
 *  - A cell is complete when its `site` is not 0; the thread writes `site`
 *    last. The reader sets `site` back to 0 before it gives the cell back.
 *  - `limit` is the value up to which `head` may grow; the reader increases it.
 *    A thread that has reserved cells beyond `limit` traps and waits until
 *    `limit` is large enough, so that no record is lost. The thread records
 *    itself how long it waited.
 *  - `mask` is the size of the ring minus one. The reader makes the ring larger
 *    only while the thread waits for room and all earlier cells have been read.
 */
#ifndef PERFTOOL_RING_H
#define PERFTOOL_RING_H

#include <stdint.h>

#include "perftool/counting.h"

#define RING_CELLS 4096 /* offset of the cells in a block */
/* size of the cells of the largest ring; a power of two */
#define RING_BYTES (1024UL * 1024)
/* where the arrays begin that threads count in (counting.h) */
#define COUNTING_LEGS (RING_CELLS + RING_BYTES)
#define COUNTING_OPEN (COUNTING_LEGS + COUNTING_LEGS_SIZE)
#define COUNTING_OUT (COUNTING_OPEN + COUNTING_OPEN_SIZE)
#define COUNTING_BUCKETS (COUNTING_OUT + COUNTING_OUT_SIZE)
#define COUNTING_ORDER (COUNTING_BUCKETS + COUNTING_SETS_SIZE)
#define COUNTING_CALLS (COUNTING_ORDER + COUNTING_ORDER_SIZE)
#define RING_BLOCK (COUNTING_LEGS + COUNTING_SIZE)

/* The end of the stack of the counting code, in the block. */
#define COUNTING_STACK (RING_CELLS - 64)

/* The sum of this number and any offset in a block is still a positive
 * displacement of 32 bits, which an instruction can hold. */
#define RING_DISTANCE 0x7fff0000UL

/* `site` of a cell is the number of the site, shifted left by this number of
 * bits, plus the number of cells of the record minus one. A reader that does
 * not know the site thus still knows where the next record begins. */
#define RING_SITE_SHIFT 4

/* `site` of the record of an execution that its thread has matched: this bit
 * and the number of the leg, shifted like the number of a site. `base` is the
 * time-stamp counter at *from*, and `value` is what hits at jumps have cost
 * the thread during the execution (`taken` in counting.h). */
#define RING_TOLD 0x80000000U

/* `site` of the record of a call that its thread has counted by itself and that
 * took long: `base` is the time-stamp counter at the entry, and `value` the
 * number of the arc, and RING_CALL_OUTERMOST if no other call of the function
 * was open. */
#define RING_CALL 0xc0000000U
#define RING_CALL_OUTERMOST (UINT64_C(1) << 32)

/* `site` of a record that has no meaning, because its thread never completed
 * it. */
#define RING_VOID UINT32_MAX

/* Number of words for the intermediate results of a trampoline's conditions and
 * values. */
#define RING_SCRATCH 20

/*
 * Where a trampoline saves what it uses, because the tool writes nothing to the
 * program's stack. One such place for each thread is enough while the tool
 * runs. Before the tool lets a signal be delivered, it puts the thread back to
 * the site or on to the slot; so no signal handler ever interrupts a
 * trampoline.
 */
struct ring_saved {
	uint64_t rax;
	uint64_t flags; /* ah as lahf stores it; al is the overflow flag */
	uint64_t rcx, rdx;
	uint64_t scratch[RING_SCRATCH];
};

/* How many ranges of memory a thread reads in by itself, and how many bytes of
 * a text it records at most. */
#define RING_READABLE 16
#define RING_TEXT 96

/*
 * A range of memory in which the thread may follow pointers (FAST_LOAD): a
 * mapping of the program that the tool has looked at. The tool adds one when
 * the thread has trapped because of an address outside of all ranges, and
 * removes one in which the thread has faulted. A range that is all zeros is
 * none.
 */
struct ring_readable {
	uint64_t low;
	uint64_t numbers; /* at how many addresses from `low` on 8 bytes can be
			     read */
	uint64_t texts;   /* at how many, RING_TEXT bytes */
};

struct ring_header {
	uint64_t head;
	uint64_t self;   /* address of the block in the process */
	uint32_t cookie; /* a random number that is the same in all blocks of
			    this tool; a trampoline that finds another value
			    here writes nothing */
	/* The process of the thread. A perftool that attaches after this one
	 * has died reads the counts of its own processes, and writes 0 here. */
	int32_t pid;
	uint32_t spare[10];
	/* The tool writes here, in another cache line than that of `head`. */
	uint64_t limit; /* UINT64_MAX: there is no reader, so no thread waits */
	uint64_t slot; /* where the thread goes on if its trampoline has no slot
			  of its own */
	uint32_t mask; /* size of the ring's cells in bytes, minus 1 */
	uint32_t spare2[11];
	/* When the last wait for room began and ended, in ticks of the
	 * time-stamp counter. */
	uint64_t stall_from, stall_to;
	uint64_t spare3[6];
	struct ring_saved saved;
	struct counting_saved counting_saved;
	uint64_t spare4[2];
	struct counting_state counting;
	struct counting_next counting_next;
	struct counting_calls calls;
	/* the range that was added last is the first */
	struct ring_readable readable[RING_READABLE];
	/* the address because of which the thread has trapped; 0: none */
	uint64_t unread;
};

/*
 * What is before the blocks of a pool, in the same shared memory. It outlives
 * the tool, as the blocks do, in a program that does.
 */
#define RING_NAME_SIZE 128
/* the bits of `life` of which one is set as long as the tool lives */
#define RING_LIFE_MASK 0x3fffffffU
struct ring_pool_head {
	/* Trampolines of a program that is to outlive the tool do nothing when
	 * this word says that the tool is gone (target_show_life() in
	 * target.h). */
	uint32_t life;
	uint8_t spare[4096 - 4];
	/* The names of the legs that threads have counted by themselves, in the
	 * order of the legs' numbers. An empty name: no thread has counted the
	 * leg. A name that is too long is cut off. */
	char names[COUNTING_MOST_LEGS][RING_NAME_SIZE];
	char spare2[RING_NAME_SIZE];
};

/* A pool has at most so many blocks. Of each block, the part in front of the
 * call block is mapped: RING_MAPPED bytes. The call block is mapped when calls
 * are counted. */
#define RING_POOL_BLOCKS 16
#define RING_MAPPED COUNTING_CALLS
_Static_assert(RING_BLOCK % 4096 == 0 && RING_MAPPED % 4096 == 0 &&
		       sizeof(struct ring_pool_head) % 4096 == 0,
	       "blocks and their parts begin with pages");

struct ring_cell {
	uint64_t time; /* the time-stamp counter at the hit */
	uint32_t site; /* number of the site and size of the record
			  (RING_SITE_SHIFT), or RING_VOID; 0: the record is not
			  complete */
	/* The low RING_MASK_BITS bits: bit i: the condition of part i of the
	 * site (struct trampoline_spec) was true; 0: all parts are hit. The
	 * other bits: how many hits the thread had counted by itself, the low
	 * bits of this number. */
	uint32_t mask;
	uint64_t base; /* the register from which the tool computes the frame */
	uint64_t value;
};

/* A cell behind the first cell of a record that has more than one value. */
struct ring_more {
	uint64_t first;
	uint64_t zero; /* at the place of `site` of a first cell: a reader that
			  looks for a record in this cell finds none */
	uint64_t second, third;
};

#define RING_MASK_BITS 8
#define RING_VALUES_MORE 3

/* How many values a record can have: as many cells as RING_SITE_SHIFT can
 * tell. */
#define RING_VALUES_MOST (1 + ((1 << RING_SITE_SHIFT) - 1) * RING_VALUES_MORE)

/* How many cells a record with this number of values has. */
static inline uint32_t ring_cells(uint32_t values)
{
	return values <= 1 ? 1
			   : 1 + (values - 1 + RING_VALUES_MORE - 1) /
					     RING_VALUES_MORE;
}

/* The offset in bytes of value `index` from the first cell of its record,
 * without regard to the end of the ring. */
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
