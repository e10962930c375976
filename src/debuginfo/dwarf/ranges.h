/*
 * ranges.h - finds the address ranges of the code of a DIE or of a unit
 */
#ifndef PERFTOOL_DEBUGINFO_RANGES_H
#define PERFTOOL_DEBUGINFO_RANGES_H

#include "die.h"

/* Read the address in entry `index` of the unit's part of .debug_addr. False:
 * the unit's part has no such entry. */
bool unit_address(const struct unit *unit, uint64_t index, uint64_t *out);

/* Append the address ranges of a DIE's code to `out`: DW_AT_ranges, or else
 * DW_AT_low_pc and DW_AT_high_pc. The function also stores the result, so that
 * repeated calls for the same DIE do not use up the budget for entries of range
 * lists. */
void die_ranges(struct debugfile *file, const struct die *die,
		struct range_list *out);

/* Append the address ranges of a DIE's code, as die_ranges() does, but do not
 * store the result. The function is for a caller that asks once and stores the
 * result itself. */
void die_read_ranges(struct debugfile *file, const struct die *die,
		     struct range_list *out);

/* Free the results that die_ranges() has stored. */
void ranges_destroy(struct dwarf *dwarf);

/* Append the address ranges that these attributes give: `ranges` if its class
 * is not ATTRIBUTE_NONE, else `low` and `high`. The function reads at most
 * `*budget` entries of range lists, and subtracts the number of entries that it
 * has read from `*budget`. */
void attribute_ranges(struct debugfile *file, const struct unit *unit,
		      const struct attribute *ranges,
		      const struct attribute *low, const struct attribute *high,
		      uint64_t *budget, struct range_list *out);

/* Append the address ranges of a unit's code, as the attributes of its root DIE
 * give them. The root must have been read. A type unit has no code. */
void unit_ranges(struct debugfile *file, const struct unit *unit,
		 struct range_list *out);

/*
 * An entry of a range list or a location list of DWARF 5. The entry has either
 * the bounds of a range, [low, high), or a base address, to which the bounds in
 * later entries are relative.
 */
struct list_bounds {
	uint64_t base, low, high;
};

/* What list_entry_read() has found. */
enum list_entry {
	LIST_END,     /* the end of the list, or an entry of an unknown kind */
	LIST_BASE,    /* a base address: `base` is set */
	LIST_BOUNDS,  /* the bounds of a range: `low` and `high` are set */
	LIST_NOWHERE, /* bounds of a range that cannot be read */
};

/* Read an entry of a list from the cursor. The caller has already read the
 * entry's kind (DW_RLE_...) and passes it as `kind`. Before the first entry of
 * a list, the caller sets `out->base` to the start address of the unit. */
enum list_entry list_entry_read(const struct unit *unit, struct cursor *cursor,
				unsigned kind, struct list_bounds *out);

/* Is the range [low, high) real code: not empty, and in an executable segment?
 * If a linker drops a function, it leaves 0 or -1 as the function's address in
 * the debug information. */
bool range_is_real(const struct debugfile *file, uint64_t low, uint64_t high);

#endif
