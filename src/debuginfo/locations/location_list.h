/*
 * location_list.h - finds the expression for a variable's place at an address:
 * .debug_loc of DWARF 2 to 4, .debug_loclists of DWARF 5
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATION_LIST_H
#define PERFTOOL_DEBUGINFO_LOCATION_LIST_H

#include "debuginfo/dwarf/dwarf.h"

/* Find the expression for `address` in the list that an attribute refers to.
 * False: the list has no expression for this address, so the variable has no
 * place there. */
bool location_list_find(const struct unit *unit, const struct attribute *list,
			uint64_t address, struct bytes *out);

/*
 * Find the expression in the attribute `name` of a DIE (such as
 * DW_AT_location), or in the location list to which the attribute refers
 * (*is_list). False: the DIE has no such attribute. If the list has no
 * expression for `address`, the result is an empty expression.
 */
bool location_list_of(struct debugfile *file, const struct die *die,
		      unsigned name, uint64_t address, struct bytes *out,
		      bool *is_list);

/* Does the expression give the place of a static variable, which is not in a
 * frame and not in a register? The variable may be thread-local. */
bool location_is_static(struct bytes expression);

/* Is the expression just an address of the file, which is the same for all
 * threads? */
bool location_is_address(struct bytes expression);

#endif
