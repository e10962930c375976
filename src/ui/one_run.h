/*
 * one_run.h - one use of perftool: from the options to the end of the session
 */
#ifndef UI_ONE_RUN_H
#define UI_ONE_RUN_H

#include <stdbool.h>

#include "options.h"
#include "perftool/base/str.h"

/* What one of several runs of a program (--repeat) has measured. Its report is
 * not written, but kept here. */
struct run_record {
	bool is_quiet;   /* remarks were made in an earlier run */
	struct str json; /* empty: nothing was run */
	bool has_ended;  /* has the program ended, or the time of --for? */
	/* Was it the user who has ended the run? Was it a failure of the tool,
	 * so that another run would fail, too? */
	bool is_interrupted, is_tool_failure;
};

/* Runs the tool. Returns the exit status. `*signal` gets the signal that has
 * ended the tool, or 0. `record` is NULL if the run is the only one. */
int one_run(const struct options *options, struct run_record *record,
	    int *signal);

#endif
