/*
 * ranges.h - the addresses of a DIE or a unit
 */
#ifndef PERFTOOL_DEBUGINFO_RANGES_H
#define PERFTOOL_DEBUGINFO_RANGES_H

#include "die.h"

/* Entry `index` of the unit's part of .debug_addr. */
bool unit_address(const struct unit *unit, uint64_t index, uint64_t *out);

/* Append the code of a DIE: DW_AT_low_pc and high_pc, or DW_AT_ranges. It is
 * kept: whoever asks for it again and again does not use up the budget. */
void die_ranges(struct debugfile *file, const struct die *die,
		struct range_list *out);

/* The same, not kept: the caller asks once and keeps the result itself. */
void die_read_ranges(struct debugfile *file, const struct die *die,
		     struct range_list *out);

/* Those that are kept. */
void ranges_destroy(struct dwarf *dwarf);

/* The same of what the attributes say: DW_AT_ranges if it is there, else the
 * other two. No more than *budget entries of lists are read. */
void attribute_ranges(struct debugfile *file, const struct unit *unit,
		      const struct attribute *ranges,
		      const struct attribute *low, const struct attribute *high,
		      uint64_t *budget, struct range_list *out);

/* The same of a unit: what its root DIE says. */
void unit_ranges(struct debugfile *file, const struct unit *unit,
		 struct range_list *out);

/* An entry of a list of DWARF 5, behind its kind, one of DW_RLE_...: its
 * bounds, or the base of those that follow. */
struct list_bounds {
	uint64_t base, low, high;
};

enum list_entry {
	LIST_END, /* or nothing that is known */
	LIST_BASE,
	LIST_BOUNDS,
	LIST_NOWHERE, /* bounds that cannot be had */
};

enum list_entry list_entry_read(const struct unit *unit, struct cursor *cursor,
				unsigned kind, struct list_bounds *out);

/* Whether an address of code is real: linkers leave 0 or -1 behind for
 * functions they dropped. */
bool range_is_real(const struct debugfile *file, uint64_t low, uint64_t high);

#endif
