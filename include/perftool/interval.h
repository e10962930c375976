/*
 * interval.h - what was counted since the last interval ended
 *
 * This file is part of the measure layer. The tables go on counting the whole
 * measurement. An interval has what they have counted since the previous
 * interval ended. The first interval begins where the tables were made, or were
 * zeroed last.
 *
 * Every count and every sum of an interval is the difference of two states of
 * the whole. So the counts and sums of all intervals add up to the whole. Some
 * figures cannot be had from a difference: min, max, mean and standard
 * deviation. The layer keeps these figures a second time for each leg, for the
 * current interval. An execution counts in the interval in which it ends.
 *
 * The overhead of an interval is at most as long as the interval. A hold is
 * reported when it is over, so its time may exceed what is left of the
 * interval. The excess counts in the next interval. What the last interval has
 * no room for is lost.
 *
 * The member `open` of a leg is the number of activations that are open at the
 * end of the interval. The activations that were open at its beginning are in
 * `from_hits`, too, so that the rule of struct measure_leg holds:
 *
 *	from_hits = count + ignored_from + unwound + discarded + open
 *
 * So the `count` of a node is the `from_hits` of a leg that starts there, less
 * the `open` that the leg had in the previous interval. The shares of a leg are
 * those of the interval, and add up to the leg. `slowest` is empty, because the
 * slowest executions are those of the whole.
 */
#ifndef PERFTOOL_INTERVAL_H
#define PERFTOOL_INTERVAL_H

#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"

VEC_STRUCT(measure_leg_list, struct measure_leg);

struct measure_interval {
	struct measure_summary summary;
	/* In the order of the tables. The histograms and the splits belong to
	 * the interval. Other texts belong to the tables. */
	VEC(struct measure_node) nodes;
	struct measure_leg_list legs;
	/*
	 * The shares of those legs that several processes have executed. The
	 * shares of one leg are in the order of measure_leg_share(). A leg that
	 * one process alone has executed has no entry, because its share is the
	 * leg itself.
	 */
	struct measure_leg_list shares;
};

/* From now on the layer counts what intervals need. The caller must call this
 * before anything is measured. It costs a little time at each execution. */
void measure_count_intervals(struct measure *measure);

/* Ends the current interval and begins the next one. `*out` gets the figures of
 * the interval that ends. The caller calls measure_interval_deinit() for
 * `*out`. */
void measure_since_last(struct measure *measure, uint64_t now,
			struct measure_interval *out);
void measure_interval_deinit(struct measure_interval *interval);

#endif
