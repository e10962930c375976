/*
 * location_list.h - where a variable is at an address: .debug_loc of DWARF 2 to
 * 4, .debug_loclists of DWARF 5
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATION_LIST_H
#define PERFTOOL_DEBUGINFO_LOCATION_LIST_H

#include "debuginfo/dwarf/dwarf.h"

/* The expression for `address` of the list that an attribute refers to; false:
 * a hole, the variable is nowhere at this address. */
bool location_list_find(const struct unit *unit, const struct attribute *list,
			uint64_t address, struct bytes *out);

/*
 * The expression in an attribute such as DW_AT_location, or that of the list it
 * refers to; false: the DIE has none. A hole of a list is an empty expression.
 */
bool location_list_of(struct debugfile *file, const struct die *die,
		      unsigned name, uint64_t address, struct bytes *out,
		      bool *is_list);

/* Is it always at the same place, in a thread's own copy perhaps: not in a
 * frame, not in a register? */
bool location_is_static(struct bytes expression);

/* Is it an address of the file, the same for all threads, and no more? */
bool location_is_address(struct bytes expression);

#endif
