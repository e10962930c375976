/*
 * abbrev.h - abbreviation tables: what attributes a DIE has, in which forms
 */
#ifndef PERFTOOL_DEBUGINFO_ABBREV_H
#define PERFTOOL_DEBUGINFO_ABBREV_H

#include "dwarf.h"

/* The table at `offset`, read once; NULL: there is none. */
const struct abbrev_table *abbrev_table_at(struct debugfile *file,
					   uint64_t offset);
void abbrev_table_destroy(struct abbrev_table *table);

const struct abbrev *abbrev_find(const struct abbrev_table *table,
				 uint64_t code);

#endif
