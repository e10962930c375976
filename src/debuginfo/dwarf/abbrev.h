/*
 * abbrev.h - abbreviation tables: what attributes a DIE has, in which forms
 */
#ifndef PERFTOOL_DEBUGINFO_ABBREV_H
#define PERFTOOL_DEBUGINFO_ABBREV_H

#include "unit.h"

/* The table of the unit, read once; NULL: there is none. */
const struct abbrev_table *abbrev_table_of(struct debugfile *file,
					   const struct unit *unit);

/* The table at `offset` of .debug_abbrev, of which at most `budget` bytes are
 * read; how many were is *read. NULL: there is none. The caller destroys it. */
struct abbrev_table *abbrev_table_read(struct bytes section, uint64_t offset,
				       uint64_t budget, uint64_t *read);
void abbrev_table_destroy(struct abbrev_table *table);

/* Bytes of a value in this form, or -1: that depends on what it is. */
int form_size(unsigned form, unsigned offset_size);

const struct abbrev *abbrev_find_sparse(const struct abbrev_table *table,
					uint64_t code);

/* The abbreviation of this code, or NULL. */
static inline const struct abbrev *abbrev_find(const struct abbrev_table *table,
					       uint64_t code)
{
	if (!table->dense)
		return abbrev_find_sparse(table, code);
	return code && code <= table->abbrevs.count
		       ? &table->abbrevs.data[code - 1]
		       : NULL;
}

#endif
