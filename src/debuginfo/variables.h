/*
 * variables.h - what the file knows of its variables by name
 */
#ifndef PERFTOOL_DEBUGINFO_VARIABLES_H
#define PERFTOOL_DEBUGINFO_VARIABLES_H

#include "dwarf.h"

void globals_destroy(struct globals *globals);

#endif
