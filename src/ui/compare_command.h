/*
 * compare_command.h - `perftool compare`
 */
#ifndef UI_COMPARE_COMMAND_H
#define UI_COMPARE_COMMAND_H

#include "options.h"

/* Returns the exit status: 1 if a condition of --fail-if holds. `*signal` is
 * the signal that has ended the work, or 0. */
int compare_main(const struct options *options, int *signal);

#endif
