/*
 * type_chain.h - from one type to the next
 */
#ifndef PERFTOOL_DEBUGINFO_TYPE_CHAIN_H
#define PERFTOOL_DEBUGINFO_TYPE_CHAIN_H

#include "debuginfo/dwarf/dwarf.h"

/* DW_AT_type, of the DIE or of the one it is a copy of. */
bool type_next(struct debugfile *file, const struct die *die, struct die *out);

/* Follow typedefs and qualifiers; false: void, or a circle. */
bool type_strip(struct debugfile *file, struct die *die);

/* Is the unit written in C++, of whatever standard? */
bool unit_is_c_plus_plus(const struct unit *unit);

#endif
