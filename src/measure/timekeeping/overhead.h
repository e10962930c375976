/*
 * overhead.h - how much of the wall clock the tool took
 *
 * The tool holds threads for breaks and for other reasons. The holds of several
 * threads overlap. Each hold is reported when it ends, so holds are not
 * reported in the order in which they began. This file computes the length of
 * the union of all holds.
 *
 * Invariant: `recent` has the latest held intervals, in order and disjoint. A
 * new hold adds to the union the part that no interval covers yet. The time
 * before `settled` is final: a hold that reaches back beyond it adds nothing
 * there.
 *
 * Rule: doc/RULES.md, "Overhead".
 */
#ifndef PERFTOOL_MEASURE_OVERHEAD_H
#define PERFTOOL_MEASURE_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OVERHEAD_RECENT 64

struct held {
	double from, to; /* measured ns */
};

struct overhead {
	struct held recent[OVERHEAD_RECENT];
	size_t count;
	double zero;     /* measured ns; time before does not count */
	double settled;  /* measured ns; the union is final up to here */
	double together; /* length of the union, ns */
	double sum;      /* of all lengths, overlapping or not, ns */
};

/* Starts anew at `now`, which is in measured ns. */
void overhead_zero(struct overhead *overhead, double now);

/* Does the same as overhead_add(), for any interval. */
void overhead_add_any(struct overhead *overhead, double from, double to);

/* Threads were held in intervals that nobody knows: for `sum` ns all together,
 * and for `together` ns of the wall clock. */
static inline void overhead_add_unknown(struct overhead *overhead, double sum,
					double together)
{
	overhead->sum += sum;
	overhead->together += together;
}

/* A thread was held from one moment to another, both in measured ns. */
static inline void overhead_add(struct overhead *overhead, double from,
				double to)
{
	size_t count = overhead->count;
	struct held *last;

	/* Most intervals begin after all others, and there is room for one
	 * more. Only these are handled here. */
	if (count - 1 >= OVERHEAD_RECENT - 1 || to <= from ||
	    from < overhead->recent[count - 1].from) {
		overhead_add_any(overhead, from, to);
		return;
	}
	last = &overhead->recent[count - 1];
	overhead->sum += to - from;
	if (from > last->to) {
		overhead->together += to - from;
		overhead->recent[count] = (struct held){from, to};
		overhead->count = count + 1;
	} else if (to > last->to) {
		overhead->together += to - from - (last->to - from);
		last->to = to;
	}
}

#endif
