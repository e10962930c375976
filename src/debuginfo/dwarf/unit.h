/*
 * unit.h - the units of .debug_info and .debug_types
 *
 * The reader checks that each offset is inside of its section, and no loop runs
 * longer than there are bytes to read. A broken unit therefore ends early, and
 * the reader knows less about it. The reader reads the headers of all units,
 * and nothing else of most units. The reader reads the rest of a unit when it
 * needs a DIE of the unit for an address or a name.
 */
#ifndef PERFTOOL_DEBUGINFO_UNIT_H
#define PERFTOOL_DEBUGINFO_UNIT_H

#include "attribute.h"
#include "debuginfo/elf/elf.h"
#include "perftool/base/map.h"
#include "unit_source.h"

struct abbrev_table;
struct scopes;
struct line_table;

#define NO_OFFSET UINT64_MAX

/* Of a unit in a package of split units: the offsets at which the unit's part
 * of each section begins (split_package.c). */
struct unit_parts {
	uint32_t line, lists, str_offsets, rnglists;
};

/* A unit. The offsets of units and DIEs are offsets over all files of the debug
 * information, as unit_source.h defines them. */
struct unit {
	struct source *source;

	/* The members up to `type` are from the unit's header. The unit with
	 * its header is [offset, end). */
	uint64_t offset, end;
	uint64_t root; /* offset of the first DIE */
	uint64_t abbrev_offset;
	/* of a type unit; `type_offset` counts from the first byte of the
	 * unit's header */
	uint64_t signature, type_offset;
	/* the number that a skeleton and its split unit share */
	uint64_t dwo_id;
	/* `type`: DW_UT_...; for DW_UT_split_type it is DW_UT_type */
	uint8_t version, address_size, offset_size, type;
	/* `parts` has been set from the index of a package */
	bool in_row;
	struct unit_parts parts;

	/* The unit's bytes from the header on, and its abbreviations. They are
	 * valid once unit_load() has been called; die_read() calls it. */
	const uint8_t *data;
	const struct abbrev_table *abbrevs;
	bool owns_data; /* the unit frees `data` */

	/* The members up to `range_list` are from the root DIE. They are valid
	 * if `root_state` is ROOT_GOOD. */
	enum { ROOT_UNREAD, ROOT_GOOD, ROOT_BAD } root_state;
	const char *name, *directory, *producer; /* may be NULL */
	uint64_t language;
	uint64_t low_pc;
	uint64_t line_offset; /* offset of the line table, or NO_OFFSET */
	uint64_t addr_base, str_offsets_base, rnglists_base, loclists_base;
	/* DW_AT_GNU_ranges_base of the skeleton: in a split unit, offsets of
	 * range lists count from this offset in .debug_ranges */
	uint64_t ranges_base;
	/* of a skeleton: the name of the file that has the split unit */
	const char *dwo_name;
	struct attribute low, high, range_list; /* see unit_ranges() */

	/* Of a skeleton: its split unit, or NULL if the split unit has not been
	 * found. Of a split unit: its skeleton. */
	struct unit *split, *skeleton;
	bool split_sought; /* unit_whole() has looked for `split` */

	/* made by unit_scopes() when they are first needed */
	struct scopes *scopes;
	void (*destroy_scopes)(struct scopes *scopes);
	VEC(struct unit *) imports; /* see unit_find_imports() */
	bool imports_known;
	bool loclists_known, has_loclists;
};

/* A range of a unit's code: [low, high). */
struct unit_range {
	uint64_t low, high;
	uint64_t unit; /* offset of the unit's header */
};

struct packed;

/* What this folder knows about a file, except for its call frame information
 * (struct frames). The budgets limit the work that a broken file can cause. */
struct dwarf {
	struct source *main;
	struct source *shared; /* see file_shared_source() */
	bool shared_sought;
	/* the path of a shared file that was not used because it belongs to
	 * another build, or NULL */
	char *shared_mismatch;
	struct splits *splits; /* see split_units.c */
	/* how many bytes of abbreviation tables may still be read */
	uint64_t abbrev_budget;
	/* how many entries of range lists may still be read */
	uint64_t range_budget;
	/* the address ranges of the main source's units, sorted; see
	 * unit_map.c */
	VEC(struct unit_range) map;
	/* the results that die_ranges() has stored, by the offset of the DIE */
	struct map ranges;
	/* map_known: `map` has at least the ranges of the units that
	 * .debug_aranges has; map_whole: it has the ranges of all units */
	bool map_known, map_whole;
	/* how many bytes of line tables may still be read */
	uint64_t line_budget;
};

/* The struct dwarf of the file, which the function makes when it is first
 * needed. The file owns it. The result is never NULL; for a file without debug
 * information it has no units. */
struct dwarf *file_dwarf(struct debugfile *file);
void dwarf_destroy(struct dwarf *dwarf);

/* Raise the budgets for a source: by several times the work that its units can
 * cause if they are not broken. */
void dwarf_add_budgets(struct dwarf *dwarf, struct source *source);

/* Read the unit's bytes and abbreviations, unless they have been read before.
 * False: they cannot be read. */
bool unit_load(struct debugfile *file, struct unit *unit);

/* Read the unit's root DIE, unless it has been read before. False: the root
 * cannot be read. */
bool unit_read_root(struct debugfile *file, struct unit *unit);

/*
 * Read the root DIE of a unit that has been loaded (unit_load()). False: the
 * root cannot be read. Several threads may call the function at the same time
 * for different units, because it uses only data of the unit and sections that
 * have been read before.
 */
bool unit_read_loaded_root(struct debugfile *file, struct unit *unit);

/*
 * Read the header of the unit at `offset` and set `*unit`. `bytes` begins with
 * the unit and has at least the whole header. `in_types`: the unit is in
 * .debug_types, else in .debug_info. `left` is the number of bytes from the
 * unit's first byte to the end of the section. If only the length in the header
 * can be used, the unit gets the state ROOT_BAD. False: the length is wrong, so
 * neither this unit nor those behind it can be read.
 */
bool unit_read_header(struct source *source, struct bytes bytes, uint64_t left,
		      uint64_t offset, bool in_types, struct unit *unit);

/* The unit that has code at `address`, or NULL. The root of the result has been
 * read. If the unit is split and the split unit can be found, the result is the
 * split unit. */
struct unit *unit_at(struct debugfile *file, uint64_t address);

/* The unit that contains the byte at `offset`, which may be a byte of the
 * unit's header, or NULL. The root of the result may not have been read. */
struct unit *unit_with_header(struct debugfile *file, uint64_t offset);

/* The unit that contains the DIE at `offset`, or NULL. The root of the result
 * has been read. */
struct unit *unit_of_die(struct debugfile *file, uint64_t offset);

/* Find the units whose DIEs count as the unit's own: the units that it imports
 * (DW_TAG_imported_unit), the units that these import, and so on. Store them in
 * unit->imports. */
void unit_find_imports(struct debugfile *file, struct unit *unit);

/* Is the DIE at `offset` in the unit itself, or in one of the units that
 * unit_find_imports() finds? */
bool unit_covers(struct debugfile *file, struct unit *unit, uint64_t offset);

#endif
