/*
 * availability.h - for a variable that has no value at an address, finds a line
 * at which it has a value
 */
#ifndef PERFTOOL_DEBUGINFO_AVAILABILITY_H
#define PERFTOOL_DEBUGINFO_AVAILABILITY_H

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/base/str.h"

/*
 * Append "; it has a value at FILE:LINE". FILE:LINE is the first line of the
 * code after `address` at which the variable has a value wherever a breakpoint
 * on this line stops the program. Append nothing if there is no such line
 * nearby.
 */
void elsewhere_describe(struct debugfile *file, const struct die *variable,
			uint64_t address, struct str *out);

#endif
