/*
 * overhead.h - what the tool took of the wall clock
 *
 * The tool holds threads for breaks and for other reasons. The holds of several
 * threads overlap, and each is told of when it ends, so not in the order they
 * began. The held intervals of late are kept, disjoint and
 * in order, and each new one counts for what it adds to their union. What is
 * older is settled and takes no more.
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
	double zero;     /* measured ns: what was before does not count */
	double settled;  /* measured ns: the union is complete up to here */
	double together; /* length of the union, ns */
	double sum;      /* of all lengths, overlapping or not, ns */
};

/* Start anew at `now`, measured ns. */
void overhead_zero(struct overhead *overhead, double now);

/* overhead_add(), for any interval. */
void overhead_add_any(struct overhead *overhead, double from, double to);

/* A thread was held from one moment to another, in measured ns. */
static inline void overhead_add(struct overhead *overhead, double from,
				double to)
{
	size_t count = overhead->count;
	struct held *last;

	/* most begin after all others, and there is room for some more */
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
