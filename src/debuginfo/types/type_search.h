/*
 * type_search.h - types by their names
 */
#ifndef PERFTOOL_DEBUGINFO_TYPE_SEARCH_H
#define PERFTOOL_DEBUGINFO_TYPE_SEARCH_H

#include "debuginfo/dwarf/dwarf.h"

/* Find the definition of the type that a DIE declares. False: the file has
 * none. */
bool type_names_complete(struct debugfile *file, const struct die *declaration,
			 struct die *out);

#endif
