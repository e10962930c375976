/*
 * unit.h - the units of .debug_info and .debug_types
 *
 * All offsets are checked against their sections, and no loop runs longer than
 * it has bytes to read. A broken unit therefore ends early, and the reader
 * knows less about it. Only the headers are read for all units. The rest of a
 * unit is read when an address or a name leads to the unit.
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

/* In a package of split units: where the unit's part of each section begins. */
struct unit_parts {
	uint32_t line, lists, str_offsets, rnglists;
};

/* A unit. The offsets of units and DIEs are as unit_source.h has them. */
struct unit {
	struct source *source;

	/* These members are from the unit's header. The unit is [offset, end),
	 * with its header. */
	uint64_t offset, end;
	uint64_t root; /* offset of the first DIE */
	uint64_t abbrev_offset;
	/* of a type unit; `type_offset` counts from the header */
	uint64_t signature, type_offset;
	/* the number that a skeleton and its split unit share */
	uint64_t dwo_id;
	/* `type` is DW_UT_type for DW_UT_split_type, too */
	uint8_t version, address_size, offset_size, type;
	/* a row of the index of a package has given `parts` */
	bool in_row;
	struct unit_parts parts;

	/* The unit's bytes from the header on, and its abbreviations. They are
	 * valid once unit_load() has been called; die_read() calls it. */
	const uint8_t *data;
	const struct abbrev_table *abbrevs;
	bool owns_data; /* the unit frees `data` */

	/* from the root DIE; valid if `root_state` is ROOT_GOOD */
	enum { ROOT_UNREAD, ROOT_GOOD, ROOT_BAD } root_state;
	const char *name, *directory, *producer; /* may be NULL */
	uint64_t language;
	uint64_t low_pc;
	uint64_t line_offset; /* in .debug_line, or NO_OFFSET */
	uint64_t addr_base, str_offsets_base, rnglists_base, loclists_base;
	/* DW_AT_GNU_ranges_base of a skeleton: the range lists of the DIEs of
	 * its split unit count from here */
	uint64_t ranges_base;
	/* of a skeleton: the name of the file that has the split unit */
	const char *dwo_name;
	struct attribute low, high, range_list; /* see unit_ranges() */

	/* Of a skeleton: its split unit, or NULL if the split unit has not been
	 * found. Of a split unit: its skeleton. */
	struct unit *split, *skeleton;
	bool split_sought; /* unit_whole() has looked for the split unit */

	/* made when first needed */
	struct scopes *scopes;
	void (*destroy_scopes)(struct scopes *scopes);
	VEC(struct unit *) imports; /* see unit_find_imports() */
	bool imports_known;
	bool loclists_known, has_loclists;
};

/* Code of a unit: [low, high). */
struct unit_range {
	uint64_t low, high;
	uint64_t unit; /* offset of the unit's header */
};

struct packed;

/* What this folder knows about a file, except for its call frame information.
 * The budgets limit the work that a broken file can cause. */
struct dwarf {
	struct source *main;
	struct source *shared; /* see file_shared_source() */
	bool shared_sought;
	/* path of a shared file that is of another build, or NULL */
	char *shared_mismatch;
	struct splits *splits; /* see split_units.c */
	/* how many bytes of abbreviation tables may still be read */
	uint64_t abbrev_budget;
	/* how many entries of range lists may still be read */
	uint64_t range_budget;
	/* the code of the main source's units; see unit_map.c */
	VEC(struct unit_range) map;
	/* range lists by the offset of their DIE; see die_ranges() */
	struct map ranges;
	/* map_known: `map` has at least the units that .debug_aranges has;
	 * map_whole: it has all units */
	bool map_known, map_whole;
	/* how many bytes of line tables may still be read */
	uint64_t line_budget;
};

/* The file's part for this folder, made when it is first needed. The file owns
 * it. It is never NULL; without debug information it has no units. */
struct dwarf *file_dwarf(struct debugfile *file);
void dwarf_destroy(struct dwarf *dwarf);

/* Add several times as much to the budgets as the units of the source can need
 * if they are not broken. */
void dwarf_add_budgets(struct dwarf *dwarf, struct source *source);

/* Make sure that the unit's bytes and abbreviations are there. False: they
 * cannot be read. */
bool unit_load(struct debugfile *file, struct unit *unit);

/* Make sure that the unit's root DIE has been read. False: it cannot be
 * read. */
bool unit_read_root(struct debugfile *file, struct unit *unit);

/*
 * Read the root DIE of a unit that is loaded. False: it cannot be read. Several
 * threads may do this at the same time for different units: the function uses
 * only what the unit has, and sections that were read before.
 */
bool unit_read_loaded_root(struct debugfile *file, struct unit *unit);

/*
 * Read the header of the unit at `offset` and set `*unit`. `bytes` begins with
 * the unit and has at least the whole header. `in_types`: the section is
 * .debug_types, else .debug_info; it has `left` bytes from the unit on. A unit
 * whose length is known, but whose header cannot be used, is ROOT_BAD. False:
 * neither this unit nor those behind it can be read.
 */
bool unit_read_header(struct source *source, struct bytes bytes, uint64_t left,
		      uint64_t offset, bool in_types, struct unit *unit);

/* The unit with code at `address`, or NULL. Its root has been read. If the unit
 * is split and the split unit can be found, the result is the split unit. */
struct unit *unit_at(struct debugfile *file, uint64_t address);

/* The unit that contains the byte at `offset`, or NULL. Its root may not have
 * been read. */
struct unit *unit_with_header(struct debugfile *file, uint64_t offset);

/* The unit that contains the DIE at `offset`, or NULL. Its root has been
 * read. */
struct unit *unit_of_die(struct debugfile *file, uint64_t offset);

/* Find the units whose DIEs count as the unit's own: the unit imports them, or
 * a unit that it imports does, and so on. Store them in unit->imports. */
void unit_find_imports(struct debugfile *file, struct unit *unit);

/* Is the DIE at `offset` in the unit, or in a unit that unit_find_imports()
 * finds for it? */
bool unit_covers(struct debugfile *file, struct unit *unit, uint64_t offset);

#endif
