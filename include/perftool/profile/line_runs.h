/*
 * line_runs.h - how often control enters the lines of a function, and how long
 * it stays in each: what follows from the order in which threads begin runs
 *
 * A run is a sequence of instructions of one line. A thread reports each run
 * that it begins, with the frame of the function. The counts are those that
 * gcov gives: a line counts when control comes to it from another line, or
 * comes back within the line to where it has been since (a loop that is written
 * in one line).
 */
#ifndef PERFTOOL_PROFILE_LINE_RUNS_H
#define PERFTOOL_PROFILE_LINE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* What begins with a run; several may. */
enum {
	LINE_RUN_BLOCK = 1, /* a basic block */
	LINE_RUN_LINE = 2,  /* a line, within a block */
	LINE_RUN_ENTRY = 4, /* the function */
	LINE_RUN_CALL = 8,  /* a call: the time until the next run is not the
			       function's own */
	LINE_RUN_EXIT =
		16, /* the instruction with which the function is left */
};

struct line_count {
	uint32_t line;
	uint64_t executions;
	double own, total; /* ns; `total` has the time of calls, too */
};

/* The lines of one function, and the threads that are in it. All zero: nothing
 * has been reported. */
struct line_runs {
	VEC(struct line_count) lines; /* in the order in which they were met */
	struct map index;             /* line -> index + 1 */
	struct map threads;           /* serial -> struct line_thread */
	uint64_t calls;               /* how often the function was entered */
};

struct line_run {
	uint32_t thread; /* the serial number of the thread */
	uint64_t frame;  /* the CFA; 0: not known */
	uint64_t number; /* identifies the run: its address, for example */
	uint32_t line;   /* 0: the line before goes on */
	unsigned marks;
	double time; /* of the thread, without what the tool has cost it; ns */
};

void line_runs_begin(struct line_runs *runs, const struct line_run *run);
/* The thread has ended, or nothing is known of it any more. */
void line_runs_forget(struct line_runs *runs, uint32_t thread);
void line_runs_deinit(struct line_runs *runs);
/* The counts of a line; NULL: it was never executed. */
const struct line_count *line_runs_find(const struct line_runs *runs,
					uint32_t line);

#endif
