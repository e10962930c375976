/*
 * type_chain.h - follows DW_AT_type from the DIE of a variable or type to the
 * DIE of the next type
 */
#ifndef PERFTOOL_DEBUGINFO_TYPE_CHAIN_H
#define PERFTOOL_DEBUGINFO_TYPE_CHAIN_H

#include "debuginfo/dwarf/dwarf.h"

/* Read the DIE to which DW_AT_type of `die` refers. If `die` has no DW_AT_type,
 * use that of the DIE of which `die` is a copy (DW_AT_abstract_origin) or which
 * it completes (DW_AT_specification). False: there is no DW_AT_type, which
 * means void. */
bool type_next(struct debugfile *file, const struct die *die, struct die *out);

/* If `die` is a typedef or qualifier, replace it by the type for which it
 * stands, until it is another type. False: this type is void, or the chain is a
 * circle. */
bool type_strip(struct debugfile *file, struct die *die);

/* Is the unit written in C++, of any standard? */
bool unit_is_c_plus_plus(const struct unit *unit);

#endif
