/*
 * abbrev.h - abbreviation tables: what attributes a DIE has, in which forms
 */
#ifndef PERFTOOL_DEBUGINFO_ABBREV_H
#define PERFTOOL_DEBUGINFO_ABBREV_H

#include "debuginfo/elf/elf.h"

struct unit;

struct abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	uint32_t first_spec, spec_count;
	/* Bytes of all its values where offsets have 4 bytes; -1: that depends
	 * on what they are. Saves looking at DIEs that are only passed by. */
	int32_t fixed_size;
};

struct attribute_spec {
	uint16_t name, form;
	int64_t implicit; /* value of DW_FORM_implicit_const */
};

struct abbrev_table {
	VEC(struct abbrev) abbrevs; /* sorted by code */
	bool dense;                 /* the codes are 1, 2, 3 ... */
	VEC(struct attribute_spec) specs;
};

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
