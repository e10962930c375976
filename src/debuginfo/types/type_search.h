/*
 * type_search.h - finds types by their names
 */
#ifndef PERFTOOL_DEBUGINFO_TYPE_SEARCH_H
#define PERFTOOL_DEBUGINFO_TYPE_SEARCH_H

#include "debuginfo/dwarf/dwarf.h"

/* Find the DIE that defines the type which the DIE `declaration` declares.
 * False: the file has no definition. */
bool type_names_complete(struct debugfile *file, const struct die *declaration,
			 struct die *out);

#endif
