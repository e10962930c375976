/*
 * type_chain.h - the steps from the DIE of one type to the next
 */
#ifndef PERFTOOL_DEBUGINFO_TYPE_CHAIN_H
#define PERFTOOL_DEBUGINFO_TYPE_CHAIN_H

#include "debuginfo/dwarf/dwarf.h"

/* Follow DW_AT_type of the DIE, or of a DIE that it is a copy or definition
 * of. False: there is no DW_AT_type, which means void for a type. */
bool type_next(struct debugfile *file, const struct die *die, struct die *out);

/* Follow typedefs and qualifiers to the type that they stand for. False: this
 * type is void, or the chain is a circle. */
bool type_strip(struct debugfile *file, struct die *die);

/* Is the unit written in C++, of any standard? */
bool unit_is_c_plus_plus(const struct unit *unit);

#endif
