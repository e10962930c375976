/*
 * line_runs.h - how often control enters the lines of a function, and how long
 * it stays in each: what follows from the order in which threads begin runs
 *
 * A run is a sequence of instructions of one line. A thread reports each run
 * that it begins, with the frame of the function. The counts are those that
 * gcov gives. A line has several blocks, and a block may have several lines. A
 * line counts when control comes to a block of it from a block that is none of
 * the line, or comes back to a block of the line without having left the line
 * in between (a loop that is written in one line).
 *
 * Where the compiler says at which instructions statements begin, each of these
 * beginnings is a block of its own, and other instructions count for no line:
 * an optimizing compiler mixes the instructions of neighbouring statements, but
 * leaves the beginnings in their order.
 */
#ifndef PERFTOOL_PROFILE_LINE_RUNS_H
#define PERFTOOL_PROFILE_LINE_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "perftool/base/hit.h"
#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* What begins with a run; several may. */
enum {
	/* a basic block (of gcov's: a call ends one) */
	LINE_RUN_BLOCK = 1,
	LINE_RUN_LINE = 2,  /* a line, within a block */
	LINE_RUN_ENTRY = 4, /* the function */
	LINE_RUN_CALL = 8,  /* a call: the time until the next run is not the
			       function's own */
	LINE_RUN_EXIT =
		16, /* the instruction with which the function is left */
	/* The compiler says where statements begin. */
	LINE_RUN_STATEMENTS = 32,
	/* code of an inlined call, in whose loops the line of the call does not
	   count again */
	LINE_RUN_INLINED = 64,
};

struct line_count {
	uint32_t line;
	uint64_t executions;
	double own, total; /* ns; `total` has the time of calls, too */
	/* how many times between two hits are in `own`, by what ended them */
	uint64_t own_parts[HIT_MECHANISMS];
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
	/* with LINE_RUN_STATEMENTS: the lines of the statements that begin with
	 * the run, in their order */
	const uint32_t *statements;
	size_t statement_count;
	enum hit_mechanism mechanism; /* of the hit that reported it */
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
