/*
 * unit.h - the units of .debug_info and .debug_types
 *
 * Offsets are checked against their sections and every loop is bounded by the
 * bytes it eats, so that a broken unit ends early and knows less. Only unit
 * headers are read for all units; the rest of a unit is read when an address or
 * a name leads to it.
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

/* Where a unit's part of a section begins, in a package of several. */
struct unit_parts {
	uint32_t line, lists, str_offsets, rnglists;
};

/* Offsets here, and those of DIEs, are as unit_source.h has them. */
struct unit {
	struct source *source;

	/* from the header */
	uint64_t offset, end; /* in .debug_info: header to the end */
	uint64_t root;        /* offset of its first DIE */
	uint64_t abbrev_offset;
	uint64_t signature, type_offset; /* of a type unit */
	uint64_t dwo_id;                 /* of a skeleton and what it is of */
	/* DW_UT_split_type is DW_UT_type here */
	uint8_t version, address_size, offset_size, type;
	bool in_row; /* of the index of a package, which has told `parts` */
	struct unit_parts parts;

	/* its bytes, from the header on, and its abbreviations: there once
	 * unit_load() has been asked for them; die_read() asks */
	const uint8_t *data;
	const struct abbrev_table *abbrevs;
	bool owns_data;

	/* from the root DIE, when `root_state` is ROOT_GOOD */
	enum { ROOT_UNREAD, ROOT_GOOD, ROOT_BAD } root_state;
	const char *name, *directory, *producer; /* may be NULL */
	uint64_t language;
	uint64_t low_pc;
	uint64_t line_offset; /* in .debug_line, or NO_OFFSET */
	uint64_t addr_base, str_offsets_base, rnglists_base, loclists_base;
	uint64_t ranges_base; /* of a skeleton: for the lists of its DIEs */
	const char *dwo_name; /* of a skeleton: the file that has its DIEs */
	struct attribute low, high, range_list; /* its code: unit_ranges() */

	/* Of a skeleton: the unit with its DIEs, when it has been sought and
	 * was found; of that one: its skeleton. */
	struct unit *split, *skeleton;
	bool split_sought;

	/* made when needed */
	struct scopes *scopes;
	void (*destroy_scopes)(struct scopes *scopes);
	VEC(struct unit *) imports; /* see unit_imports() */
	bool imports_known;
	bool loclists_known, has_loclists;
};

struct unit_range {
	uint64_t low, high;
	uint64_t unit; /* offset of its header */
};

struct packed;

struct dwarf {
	struct source *main;
	struct source *shared; /* see file_shared_source() */
	bool shared_sought;
	char *shared_mismatch;
	struct splits *splits;  /* see split_units.c */
	uint64_t abbrev_budget; /* bytes that may still be read of tables */
	uint64_t range_budget;  /* entries that may still be read of lists */
	VEC(struct unit_range) map; /* see unit_map.c: of the main source */
	struct map ranges; /* see die_ranges(): lists by the DIE\'s offset */
	bool map_known,
		map_whole;    /* of units that .debug_aranges has; of all */
	uint64_t line_budget; /* bytes that may still be read of line tables */
};

/* Never NULL; without debug information it has no units. */
struct dwarf *file_dwarf(struct debugfile *file);
void dwarf_destroy(struct dwarf *dwarf);

/* What honest units of a source need, several times over. */
void dwarf_add_budgets(struct dwarf *dwarf, struct source *source);

/* Have the unit's bytes and abbreviations; false: they cannot be read. */
bool unit_load(struct debugfile *file, struct unit *unit);

/* Read a unit's root DIE; false: it cannot be read. */
bool unit_read_root(struct debugfile *file, struct unit *unit);

/* The same of a unit that is loaded, by what it holds and sections that have
 * been asked for before, so that several threads can do it. */
bool unit_read_loaded_root(struct debugfile *file, struct unit *unit);

/* Read the header of the unit whose bytes start at `bytes`, which has it whole,
 * at `offset`, of .debug_types or of .debug_info, of which there are `left`
 * from there on. False: no more units that can be read. */
bool unit_read_header(struct source *source, struct bytes bytes, uint64_t left,
		      uint64_t offset, bool in_types, struct unit *unit);

/* The unit whose code includes `address`, its root read; or NULL. It is the one
 * with the DIEs, if they are split off and can be found. */
struct unit *unit_at(struct debugfile *file, uint64_t address);

/* The unit that the byte at `offset` is in, or NULL. */
struct unit *unit_with_header(struct debugfile *file, uint64_t offset);

/* The unit that the DIE at `offset` is in, its root read; or NULL. */
struct unit *unit_of_die(struct debugfile *file, uint64_t offset);

/* The units whose DIEs count as the unit's own: it imports them, or they are
 * imported by those. Which are in unit->imports then. */
void unit_find_imports(struct debugfile *file, struct unit *unit);

/* Is the DIE at `offset` the unit's own, or one of those? */
bool unit_covers(struct debugfile *file, struct unit *unit, uint64_t offset);

#endif
