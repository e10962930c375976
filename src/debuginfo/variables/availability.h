/*
 * availability.h - where a variable that has no value here has one
 */
#ifndef PERFTOOL_DEBUGINFO_AVAILABILITY_H
#define PERFTOOL_DEBUGINFO_AVAILABILITY_H

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/base/str.h"

/*
 * Append "; it has one at FILE:LINE", of the first line after `address` at
 * whose breakpoint the variable is somewhere; nothing if there is none near.
 */
void elsewhere_describe(struct debugfile *file, const struct die *variable,
			uint64_t address, struct str *out);

#endif
