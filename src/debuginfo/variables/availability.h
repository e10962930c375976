/*
 * availability.h - finds a line where a variable that has no value here has
 * one
 */
#ifndef PERFTOOL_DEBUGINFO_AVAILABILITY_H
#define PERFTOOL_DEBUGINFO_AVAILABILITY_H

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/base/str.h"

/* Append "; it has one at FILE:LINE". This is the first line after `address`
 * such that the variable has a place wherever a breakpoint on this line stops.
 * Append nothing if there is no such line nearby. */
void elsewhere_describe(struct debugfile *file, const struct die *variable,
			uint64_t address, struct str *out);

#endif
