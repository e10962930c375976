/*
 * cost_in_run.h - what hits at jumps cost in the run, compared with what
 * calibration has found: cost_in_run.c
 */
#ifndef PROBE_COST_IN_RUN_H
#define PROBE_COST_IN_RUN_H

#include "perftool/pc_samples.h"
#include "perftool/probe.h"

struct ring;

/* Of one thread. */
struct ring_samples {
	struct perf_log log; /* samples of its pc; may not be open */
	bool was_hit;        /* the thread has made a hit at a jump */
	bool was_tried;      /* the tool has tried to open the log */
	/* what its hits have cost since then, as calibration has it, ns */
	double charged;
};

/* Of all threads together whose pc is sampled. */
struct cost_in_run {
	uint64_t samples; /* in the program's code and in the tool's */
	uint64_t at_hits; /* of these, in the code that hits execute */
	double charged;   /* what hits cost, as calibration has it, ns */
	/* by what the calibrated costs are to be multiplied; 0 means 1 */
	double factor;
	uint64_t used; /* `samples` when the factor was last computed */
	/* how many samples count no longer */
	uint64_t earlier;
	/* All threads were stopped a moment ago; until when that lasts */
	bool is_disturbed;
	uint64_t disturbed_until;
	size_t logs; /* how many are open */
};

/* By what calibrated costs of hits at jumps are to be multiplied. */
double cost_in_run_factor(const struct probe *probe);
/* Hits of the ring's thread cost it so many ns, as calibration has it. */
void cost_in_run_charge(struct probe *probe, struct ring *ring, double ns);
/* Read the samples of all threads, and begin to sample those that have made
 * hits. If the samples show other costs than before, use these from now on, and
 * correct what was reported as overhead. */
void cost_in_run_read(struct probe *probe);
/* All threads were stopped, and go on now. */
void cost_in_run_disturbed(struct probe *probe);
/* The ring is about to be freed. */
void cost_in_run_close(struct probe *probe, struct ring *ring);
/* A run begins, or hits cost something else from now on. */
void cost_in_run_reset(struct probe *probe);

#endif
