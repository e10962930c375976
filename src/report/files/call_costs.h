/*
 * call_costs.h - what each line of a function costs, and each call that it
 * makes: the form in which callgrind's files have a profile
 *
 * The cost of a function with all that it called is its own plus that of its
 * calls. So that this stays true with recursion, a stack counts in one call of
 * each function only: that of the function's innermost activation. A call that
 * is counted counts with the time of those activations of the callee that no
 * other activation of it encloses.
 */
#ifndef REPORT_CALL_COSTS_H
#define REPORT_CALL_COSTS_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "profile_functions.h"
#include "weight_columns.h"

/* Where in a function something costs. */
struct cost_place {
	uint32_t function; /* as in struct profile_functions */
	uint32_t file;     /* index into `files` plus 1; 0: not known */
	uint32_t line;     /* 0: not known */
};

struct cost_row {
	struct cost_place at;
	uint32_t callee; /* NO_PROCEDURE: the cost is the function's own */
	/* of calls, if they were counted; else of the samples that have the
	 * call */
	uint64_t count;
	uint64_t cost[SAMPLE_REASONS]; /* by column */
	size_t seen; /* the last sample that has the call, plus 1 */
};

/* All zero is empty. */
struct call_costs {
	/* by function, own costs before calls, then by file and line; the own
	 * costs and the calls of one line are one row */
	VEC(struct cost_row) rows;
	VEC(char *) files;
	struct strmap file_numbers;
	struct map by_hash;
	/* where each function is: the file that most of it is in, and its first
	 * line there */
	struct cost_place *homes;
	struct weight_columns columns;
	uint64_t total[SAMPLE_REASONS]; /* of own costs */
};

/* Compute the costs: of the calls that were counted, if any were, with the own
 * time of a function spread over its lines as its ticks are; else of the
 * samples. */
void call_costs_init(struct call_costs *costs, const struct profile *profile,
		     const struct profile_functions *functions);
void call_costs_deinit(struct call_costs *costs);

#endif
