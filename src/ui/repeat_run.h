/*
 * repeat_run.h - `perftool --repeat N`: measures several runs of a program
 */
#ifndef UI_REPEAT_RUN_H
#define UI_REPEAT_RUN_H

#include "options.h"

/* Returns the exit status: that of the first run that has failed, or 0.
 * `*signal` gets the signal that has ended the tool, or 0. */
int repeat_main(const struct options *options, int *signal);

#endif
