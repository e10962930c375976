/*
 * cost.h - what a break (one stop of a thread at a site, or one way of a thread
 * through the jump there) costs the thread: cost.c
 */
#ifndef PROBE_COST_H
#define PROBE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe;

/* The number of samples from which calibration computes a cost: the last ones
 * count. */
#define CALIBRATION_WINDOW 256

/* The part of a hit's cost to its thread that the tool cannot observe, in ns.
 */
struct unseen {
	/* the time that it takes before and after the moment of the hit, or
	 * before and after the time for which the thread was held */
	double before, after;
};

/* Samples of the time from one record to the next, ns. */
struct jump_samples {
	double values[CALIBRATION_WINDOW];
	size_t count;
};

/* What calibration has found about the cost of jumps. */
struct fast_costs {
	/* the processor's counter at the last record of the calibration that
	 * begins a sample; 0: there was none yet */
	uint64_t from;
	/* with nothing in between; with two hits in between that the thread
	 * counts by itself; with two in between that it only follows; with two
	 * of a call in between */
	struct jump_samples empty, around, beside, amid;
	/* the cost of a hit that is recorded, ns */
	double cost, spread;
	/* The cost of a hit that the thread counts, of one that it only
	 * follows, and what an execution of no time seems to take that is
	 * counted, ns. 0: not known. */
	double counted, followed, own;
	/* The cost of a hit of a call that the thread counts, and what a call
	 * of no time seems to take, ns. 0: not known. */
	double called, call_own;
};

/* What calibration has found. */
struct costs {
	/* samples of the cost of an int3, in ns */
	double samples[CALIBRATION_WINDOW];
	/* the number of samples since the cost was last invalidated */
	size_t sample_count;
	/* The samples were taken while the thread itself recorded when it went
	 * on: resumption.c. */
	bool is_told;
	double cost, spread; /* the results, in ns */
	uint64_t next;       /* the time at which the next calibration is due */
	/* the time from the next calibration to the one after it, ns */
	uint64_t interval;
	struct fast_costs fast;
};

/* Discard the samples of the cost, because something has changed on which the
 * cost depends, above all on which CPUs the tool and the program are
 * executed. */
void cost_invalidate(struct probe *probe);
/* Compute the cost and its spread from the samples. The cost is the mean
 * without the highest and the lowest tenth, which contain the effects of
 * interrupts. The spread is half the width of the middle half of the samples.
 * Returns false if there are too few samples. */
bool cost_summarise(const double samples[CALIBRATION_WINDOW], size_t count,
		    double *cost, double *spread);
/* The same for samples of jumps. The cost is their mean without those that
 * contain an interrupt. */
bool cost_of_jumps(const struct jump_samples *samples, double *cost,
		   double *spread);
/* What does a call of no time seem to take, ns? `mean` is that of the calls of
 * a calibration. The thread adds them up by itself, so an interrupt, or a time
 * without a CPU, is in the mean: if that is larger than what the cost of a hit
 * allows, the result is `before`, what was found before, or if this is 0, the
 * cost of a hit. */
double cost_of_empty_call(double mean, double hit, double before);
/* Add a sample, ns. */
void cost_add_jump(struct jump_samples *samples, double ns);

#endif
