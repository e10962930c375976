/*
 * cost.h - what a break costs its thread: cost.c
 */
#ifndef PROBE_COST_H
#define PROBE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe;

/* A figure of the calibration is computed from this many samples, the last
 * ones. */
#define CALIBRATION_WINDOW 256

/* The part of a hit's cost to its thread that the tool cannot observe, in ns.
 */
struct unseen {
	/* before and after the time of the hit, or the time for which the
	 * thread was held */
	double before, after;
};

/* What calibration has found about jumps. */
struct fast_costs {
	uint64_t from; /* the counter at SITE_FAST_FROM; 0: none yet */
	double samples[CALIBRATION_WINDOW];
	size_t sample_count;
	double cost, spread; /* ns */
};

/* What calibration has found. */
struct costs {
	double samples[CALIBRATION_WINDOW]; /* of int3s, in ns */
	/* the number of samples that were taken in this placement */
	size_t sample_count;
	/* In the samples the thread itself reported when it went on:
	 * resumption.c. */
	bool is_told;
	double cost, spread; /* the results, in ns */
	uint64_t next;       /* the time of the next calibration */
	/* the time from the next calibration to the one after it, ns */
	uint64_t interval;
	struct fast_costs fast;
};

/* Discard the samples, because the placement has changed and the cost with it.
 */
void cost_invalidate(struct probe *probe);
/* Compute the cost and its spread from the samples. The cost is the mean
 * without the highest and the lowest tenth, which contain the effects of
 * interrupts. The spread is half the width of the middle half of the samples.
 * Returns false if there are too few samples. */
bool cost_summarise(const double samples[CALIBRATION_WINDOW], size_t count,
		    double *cost, double *spread);
/* Take the record of one of the calibration's jumps into account. `tsc` is the
 * counter in the record. */
void cost_add_jump(struct probe *probe, bool is_from, uint64_t tsc);

#endif
