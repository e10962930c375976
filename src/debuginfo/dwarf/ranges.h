/*
 * ranges.h - the ranges of addresses that a DIE or a unit has code at
 */
#ifndef PERFTOOL_DEBUGINFO_RANGES_H
#define PERFTOOL_DEBUGINFO_RANGES_H

#include "die.h"

/* Read entry `index` of the unit's part of .debug_addr. False: there is no such
 * entry. */
bool unit_address(const struct unit *unit, uint64_t index, uint64_t *out);

/* Append the code of a DIE to `out`: DW_AT_ranges, or else DW_AT_low_pc and
 * DW_AT_high_pc. The result is also kept, so that repeated calls for the same
 * DIE do not use up the budget. */
void die_ranges(struct debugfile *file, const struct die *die,
		struct range_list *out);

/* Append the code of a DIE, without keeping the result. This is for a caller
 * that asks once and keeps the result. */
void die_read_ranges(struct debugfile *file, const struct die *die,
		     struct range_list *out);

/* Free the results that die_ranges() has kept. */
void ranges_destroy(struct dwarf *dwarf);

/* Append the code that these attributes give: `ranges` if the attribute is
 * there, else `low` and `high`. At most `*budget` entries of lists are read;
 * the number of entries that were read is subtracted from it. */
void attribute_ranges(struct debugfile *file, const struct unit *unit,
		      const struct attribute *ranges,
		      const struct attribute *low, const struct attribute *high,
		      uint64_t *budget, struct range_list *out);

/* Append the code of a unit, as the attributes of its root DIE give it. The
 * root must have been read. A type unit has no code. */
void unit_ranges(struct debugfile *file, const struct unit *unit,
		 struct range_list *out);

/*
 * An entry of a range list or a location list of DWARF 5. The entry has either
 * the bounds of a range, [low, high), or the base address for the entries that
 * follow it.
 */
struct list_bounds {
	uint64_t base, low, high;
};

/* What list_entry_read() has found. */
enum list_entry {
	LIST_END,     /* the end of the list, or an unknown kind of entry */
	LIST_BASE,    /* a new base */
	LIST_BOUNDS,  /* bounds */
	LIST_NOWHERE, /* bounds that cannot be read */
};

/* Read the entry at the cursor. The caller has read its kind, which is one of
 * DW_RLE_..., and sets `out->base` before the first entry of the list. */
enum list_entry list_entry_read(const struct unit *unit, struct cursor *cursor,
				unsigned kind, struct list_bounds *out);

/* Is the range [low, high) real code: not empty, and in an executable segment?
 * A linker leaves 0 or -1 as the address of a function that it dropped. */
bool range_is_real(const struct debugfile *file, uint64_t low, uint64_t high);

#endif
