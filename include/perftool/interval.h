/*
 * interval.h - what was counted since the last time
 *
 * Part of the measure layer. The tables go on to count the whole. An interval
 * has what they have counted since the last interval ended; the first one
 * begins where the tables were made, or were zeroed last.
 *
 * Every count and every sum of an interval is the difference of two states of
 * the whole, so that those of all intervals add up to it. What no difference
 * tells is kept for each leg beside the whole's: min, max, mean and standard
 * deviation. An execution counts in the interval in which it ends.
 *
 * The overhead of an interval is at most its length: a hold that is told of
 * later counts in the next one. What the last one has no room for is lost.
 *
 * `open` of a leg is the number of those that are open at the end of the
 * interval, and `from_hits` has those that were open at its beginning, too. So
 * the rule of struct measure_leg holds:
 *
 *	from_hits = count + ignored_from + unwound + discarded + open
 *
 * and of a node, `count` = `from_hits` less `open` of the interval before.
 * Each share of a leg is that of the interval, so that they add up to the leg.
 * `slowest` is empty: the slowest executions are those of the whole.
 */
#ifndef PERFTOOL_INTERVAL_H
#define PERFTOOL_INTERVAL_H

#include "perftool/measure.h"

VEC_STRUCT(measure_leg_list, struct measure_leg);

struct measure_interval {
	struct measure_summary summary;
	/* In the order of the tables. Histograms and splits are the
	 * interval's own; other texts are those of the tables. */
	VEC(struct measure_node) nodes;
	struct measure_leg_list legs;
	/* Of the legs that several processes have executed, each leg's in the
	 * order of measure_leg_share(). Where it was one process alone, its
	 * share is the leg. */
	struct measure_leg_list shares;
};

/* What intervals need is counted from now on. To be called before anything is
 * measured: it takes a little time at each execution. */
void measure_count_intervals(struct measure *measure);

/* The interval ends, and another begins. */
void measure_since_last(struct measure *measure, uint64_t now,
			struct measure_interval *out);
void measure_interval_deinit(struct measure_interval *interval);

#endif
