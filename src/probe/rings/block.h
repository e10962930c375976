/*
 * block.h - the parts of a thread's block in which it counts by itself
 * (counting.h of arch), for the files that read and write them: counts.c,
 * taken_hits.c
 */
#ifndef PROBE_BLOCK_H
#define PROBE_BLOCK_H

#include "perftool/ring.h"
#include "rings.h"

/* (The program may have written anything into the block. Offsets that are read
 * there do not lead beyond it.) */
#define BLOCK_LAST_OPEN (COUNTING_OPEN_SIZE - sizeof(struct counting_open))
#define BLOCK_LAST_OUT (COUNTING_OUT_SIZE - sizeof(struct counting_out))

static inline struct counting_leg *block_leg(const struct ring *ring,
					     uint32_t leg)
{
	return (struct counting_leg *)((char *)ring->header + COUNTING_LEGS) +
	       leg;
}

static inline struct counting_open *block_open(const struct ring *ring,
					       uint32_t offset)
{
	return (struct counting_open *)((char *)ring->header + COUNTING_OPEN +
					offset);
}

/* The activation of a leg that matches by order. */
static inline struct counting_open *block_order(const struct ring *ring,
						uint32_t leg)
{
	return (struct counting_open *)((char *)ring->header + COUNTING_ORDER) +
	       leg;
}

static inline struct counting_out *block_out(const struct ring *ring,
					     uint32_t offset)
{
	return (struct counting_out *)((char *)ring->header + COUNTING_OUT +
				       offset);
}

/* `units` of durations or of costs, which have so many `bits`, in ns. */
double counts_units_ns(const struct probe *probe, int64_t units, int bits);
/* Threads have hit the breakpoint of this number `count` times. */
void counts_add_hits(const struct probe *probe, uint32_t id, uint64_t count);

#endif
