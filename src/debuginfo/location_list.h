/*
 * location_list.h - where a variable is at an address: .debug_loc of DWARF 2 to
 * 4, .debug_loclists of DWARF 5
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATION_LIST_H
#define PERFTOOL_DEBUGINFO_LOCATION_LIST_H

#include "dwarf.h"

/* The expression for `address` of the list that an attribute refers to; false:
 * a hole, the variable is nowhere at this address. */
bool location_list_find(struct debugfile *file, const struct unit *unit,
			const struct attribute *list, uint64_t address,
			struct bytes *out);

#endif
