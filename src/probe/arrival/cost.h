/*
 * cost.h - what a break costs its thread: cost.c
 */
#ifndef PROBE_COST_H
#define PROBE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe;

/* Samples a calibration is taken from: the last ones. */
#define CALIBRATION_WINDOW 256

/* What a hit costs its thread that nobody sees, in ns. */
struct unseen {
	double before, after; /* its time, or that of its being held */
};

/* Of jumps. */
struct fast_costs {
	uint64_t from; /* counter at SITE_FAST_FROM; 0: none */
	double samples[CALIBRATION_WINDOW];
	size_t sample_count;
	double cost, spread; /* ns */
};

/* What calibration has found. */
struct costs {
	double samples[CALIBRATION_WINDOW]; /* of int3s, ns */
	size_t sample_count;                /* of this placement, ever */
	bool is_told;        /* they went on when they said: resumption.c */
	double cost, spread; /* results, ns */
	uint64_t next;       /* time of the next calibration */
	uint64_t interval;   /* and from there to the one after it, ns */
	struct fast_costs fast;
};

/* Of the cost of an int3, what comes before and after. */
struct unseen cost_unseen(const struct probe *probe);
/* What was found holds no longer: the placement has changed. */
void cost_invalidate(struct probe *probe);
/* The figure: the mean of the last samples, without what interrupts did to
 * some of them; the spread: half of what the middle half of them spans. False:
 * there are too few. */
bool cost_summarise(const double samples[CALIBRATION_WINDOW], size_t count,
		    double *cost, double *spread);
/* A record of one of the calibration's jumps: when its counter was read. */
void cost_add_jump(struct probe *probe, bool is_from, uint64_t tsc);

#endif
