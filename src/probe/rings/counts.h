/*
 * counts.h - what threads count by themselves in their blocks (counting.h of
 * arch): counts.c; the blocks themselves: counting_blocks.c; what is taken over
 * at the end: handed_over_counts.c; and hits that the tool makes for such
 * threads: taken_hits.c
 */
#ifndef PROBE_COUNTS_H
#define PROBE_COUNTS_H

#include "perftool/probe.h"
#include "perftool/ring.h"

struct attachment;
struct breakpoint;
struct counted_leg;
struct fast_site;
struct fast_space;
struct ring;
struct space;
struct thread;

/* What the tool has read of the counts of one thread. */
struct ring_counts {
	/* for each leg, what was read last, and the sum of all durations as it
	 * was told, ns */
	struct read_leg {
		struct counting_leg last;
		int64_t total;
		uint32_t *buckets; /* NULL: none were read */
	} * legs;
	size_t leg_count;
	/* how many counted hits were told with records, and as overhead; and
	 * how many of the latter were at places of no node */
	uint64_t hits, overhead_hits, followed;
	uint64_t call_hits; /* of `overhead_hits`, those of calls */
};

/* Prepare the block of a ring for counting, if the threads of its space may
 * count. */
void counts_prepare(const struct probe *probe, struct ring *ring);
/* The number of the leg belongs to another leg from now on: clear what the
 * thread has counted. The thread is stopped, and not in the counting code; it
 * has no activation of the leg open. */
void counts_forget_leg(struct ring *ring, uint32_t leg);
/* The cost of hits is known better: write it into all blocks. */
void counts_set_costs(struct probe *probe);
/* Write the counting code into the space, if it is not there yet. */
struct error *counts_write_code(struct space *space);
/* Prepare the blocks of all threads of the space. */
void counts_prepare_all(const struct probe *probe, const struct space *space);
/* half a unit of durations, in cost units */
#define COUNTING_HALF_UNIT (1 << (COUNTING_COST_BITS - COUNTING_UNIT_BITS - 1))

/* Returns how many hits the thread has counted by itself up to now. */
uint64_t counts_hits(const struct ring *ring);
/* Tell what the thread of the ring has counted of one leg since that was last
 * read. */
void counts_read_leg(struct probe *probe, struct ring *ring,
		     const struct counted_leg *leg);
/* Tell what the thread of the ring has counted since it was last read. */
void counts_read(struct probe *probe, struct ring *ring);
/* Tell what the hits have cost the thread that it has counted since this was
 * last told. */
void counts_read_overhead(struct probe *probe, struct ring *ring);
/* Tell what the hits have cost the thread that it had counted when it wrote a
 * record with this `mask`. */
void counts_read_hits(struct probe *probe, struct ring *ring, uint32_t mask);
/* The next record of the ring tells of an execution: tell it. */
void counts_tell(struct probe *probe, struct ring *ring);
/* A thread that counts by itself is stopped, and the tool makes a hit for it:
 * count the hit in the block of the thread, if counted legs begin or end there.
 * Returns false if the caller must report the hit. */
bool counts_take_hit(const struct probe *probe, const struct thread *thread,
		     const struct breakpoint *breakpoint,
		     const struct hit *hit);
/* As counts_take_hit(), for a return of the tool's own breakpoint or a tail
 * jump to `target`. Returns true if it is a jump out of the function of a
 * counted leg: only the thread waits for the end of this frame. */
bool counts_take_tail(const struct probe *probe, const struct thread *thread,
		      const struct attachment *at, const struct hit *hit,
		      uint64_t target);
/* All threads of the space are stopped, and they will not count this leg any
 * more: tell the caller of the layer what they have open. */
void counts_hand_over(struct probe *probe, struct space *space,
		      const struct counted_leg *leg);
/* The thread of the ring calibrates. Find what its executions of no time seem
 * to take, ns. Returns false if it has counted none. */
bool counts_calibrated(const struct probe *probe, struct ring *ring,
		       double *own);
/* A calibration of the ring's thread begins: remember the sums of all its hits,
 * and hide the frames that it has left by tail jumps. The calibration passes
 * places where frames end, and the thread may stand in such a frame. It is
 * over, and the thread is stopped: put them back, because the hits of the
 * calibration are no hits of the program. */
struct counts_kept {
	uint64_t counted, followed, taken;
	uint32_t out;
};
void counts_keep(struct ring *ring, struct counts_kept *out);
void counts_put_back(struct ring *ring, const struct counts_kept *kept);
void counts_deinit(struct ring_counts *counts);

/* A thread that was interrupted at a site with these registers, after its hit
 * was counted, will come to the site once more: let it not count that hit. */
void counts_skip(struct ring *ring, const struct fast_site *fast,
		 const struct user_regs_struct *regs);

/* A thread waits in the counting code at `pc` for room in its ring. Returns the
 * address at which it goes on, or 0 if it does not wait there. */
uint64_t counts_again(const struct space *space, uint64_t pc);
/* Is the address in the counting code of the space? */
bool counts_has(const struct space *space, uint64_t pc);

#endif
