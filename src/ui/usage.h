/*
 * usage.h - what --help prints
 */
#ifndef UI_USAGE_H
#define UI_USAGE_H

#include <stdio.h>

#include "options.h"

/* Prints the usage of a subcommand, or that of the whole program. */
void usage_print(FILE *file, enum subcommand subcommand);

#endif
