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
	/* The size in bytes of all values of a DIE with this abbreviation, if
	 * the unit's offsets have 4 bytes. -1: the size depends on the values.
	 * If the size is known, the reader steps over a DIE without looking at
	 * its values. */
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

/* The abbreviation table of the unit. The function reads the table when a unit
 * first needs it; the unit's source owns the table. NULL: the offset in the
 * unit's header is beyond the end of .debug_abbrev. */
const struct abbrev_table *abbrev_table_of(struct debugfile *file,
					   const struct unit *unit);

/*
 * Read the table at `offset` of .debug_abbrev. The function reads at most
 * `budget` bytes and stores the number of bytes that it has read in `*read`. It
 * stops at the first abbreviation that makes no sense and returns those before
 * it. NULL: the offset is beyond the end of the section. The caller frees the
 * table with abbrev_table_destroy().
 */
struct abbrev_table *abbrev_table_read(struct bytes section, uint64_t offset,
				       uint64_t budget, uint64_t *read);
void abbrev_table_destroy(struct abbrev_table *table);

/* The size in bytes of a value in this form. -1: the size depends on the value,
 * or the form is not known. `offset_size` is the size of the unit's section
 * offsets, 4 or 8. */
int form_size(unsigned form, unsigned offset_size);

/* Do the work of abbrev_find() for a table that is not `dense`. */
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
