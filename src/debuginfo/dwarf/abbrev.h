/*
 * abbrev.h - abbreviation tables (DWARF 5, 7.5.3)
 *
 * A DIE begins with the code of an abbreviation. The abbreviation says which
 * tag and which attributes the DIE has, and in which forms their values are.
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
	/* The size in bytes of all values of the DIE, in a unit whose offsets
	 * have 4 bytes. -1: the size depends on the values. With this size the
	 * reader steps over a DIE without looking at its values. */
	int32_t fixed_size;
};

struct attribute_spec {
	uint16_t name, form;
	int64_t implicit; /* the value if the form is DW_FORM_implicit_const */
};

struct abbrev_table {
	VEC(struct abbrev) abbrevs; /* sorted by code */
	bool dense;                 /* the codes are 1, 2, 3, ... */
	VEC(struct attribute_spec) specs;
};

/* The table of the unit. The table is read when a unit first needs it, and the
 * unit's source owns it. NULL: the unit's offset is beyond .debug_abbrev. */
const struct abbrev_table *abbrev_table_of(struct debugfile *file,
					   const struct unit *unit);

/*
 * Read the table at `offset` of .debug_abbrev. At most `budget` bytes are read;
 * the number of bytes that were read is stored in `*read`. The table ends
 * before the first abbreviation that makes no sense. NULL: the offset is beyond
 * the section. The caller frees the table with abbrev_table_destroy().
 */
struct abbrev_table *abbrev_table_read(struct bytes section, uint64_t offset,
				       uint64_t budget, uint64_t *read);
void abbrev_table_destroy(struct abbrev_table *table);

/* The size in bytes of a value in this form. -1: the size depends on the value,
 * or the form is not known. `offset_size` is that of the unit, 4 or 8. */
int form_size(unsigned form, unsigned offset_size);

/* abbrev_find() for a table that is not dense. */
const struct abbrev *abbrev_find_sparse(const struct abbrev_table *table,
					uint64_t code);

/* The abbreviation with this code, or NULL. The table owns it. */
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
