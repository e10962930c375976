/*
 * compare_command.h - `perftool compare`
 */
#ifndef UI_COMPARE_COMMAND_H
#define UI_COMPARE_COMMAND_H

#include "options.h"

/* Returns the exit status: 1 if a condition of --fail-if holds. */
int compare_main(const struct options *options);

#endif
