/*
 * unit.h - units, abbreviations and DIEs of .debug_info
 *
 * Versions 2 to 5, as gcc and clang write them into a linked file, and into
 * what belongs to it (unit_source.h, split_units.h). Nothing is
 * believed: offsets are checked against their sections and every loop is
 * bounded by the bytes it eats, so that a broken unit ends early and knows
 * less. Only unit headers are read for all units; the rest of a unit when an
 * address or a name leads to it.
 */
#ifndef PERFTOOL_DEBUGINFO_UNIT_H
#define PERFTOOL_DEBUGINFO_UNIT_H

#include <libdwarf/dwarf.h>

#include "debuginfo/elf/elf.h"
#include "perftool/base/map.h"
#include "unit_source.h"

struct abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	uint32_t first_spec, spec_count;
	/* Bytes of all its values where offsets have 4 bytes; -1: that depends
	 * on what they are. Saves looking at DIEs that are only passed by. */
	int32_t fixed_size;
};

enum attribute_class {
	ATTRIBUTE_NONE,     /* not there, or of a form we do not follow */
	ATTRIBUTE_ADDRESS,  /* number */
	ATTRIBUTE_UNSIGNED, /* number */
	ATTRIBUTE_SIGNED,   /* number, cast */
	ATTRIBUTE_BLOCK,    /* block: exprloc too */
	ATTRIBUTE_FLAG,     /* number */
	ATTRIBUTE_STRING,   /* string */
	ATTRIBUTE_DIE,      /* number: offset of a DIE */
	ATTRIBUTE_TYPE,     /* number: signature of a type unit */
	ATTRIBUTE_OFFSET,   /* number: into another section */
	ATTRIBUTE_INDEX,    /* number: into a list of offsets (loclistx ...) */
};

struct attribute {
	enum attribute_class class;
	uint64_t number;
	const char *string;
	struct bytes block;
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

/* ---- DIEs ------------------------------------------------------------ */

struct die {
	struct unit *unit;
	const struct abbrev *abbrev; /* NULL: the end of a list of siblings */
	uint64_t offset;
	uint64_t attributes, next; /* offsets: of its values, of what follows */
};

static inline unsigned die_tag(const struct die *die)
{
	return die->abbrev->tag;
}

/* May there be functions below a DIE of this tag? */
bool holds_functions(unsigned tag);

/* Read the DIE at `offset`; false: there is none. */
bool die_read(struct debugfile *file, struct unit *unit, uint64_t offset,
	      struct die *out);

/* Step over a value at a cursor in the unit's bytes; `wanted`: and say what it
 * is. */
void unit_read_value(struct debugfile *file, const struct unit *unit,
		     struct cursor *cursor, const struct attribute_spec *spec,
		     bool wanted, struct attribute *out);

/* An attribute of it; false: it has none that can be read. */
bool die_attribute(struct debugfile *file, const struct die *die, unsigned name,
		   struct attribute *out);

/* An attribute of it that is a number; else false, and *number is 0. */
bool die_constant(struct debugfile *file, const struct die *die, unsigned name,
		  uint64_t *number);

/* The DIE that an attribute refers to. */
bool die_reference(struct debugfile *file, const struct die *die, unsigned name,
		   struct die *out);

/*
 * An attribute of the DIE or of the ones it completes or is a copy of
 * (DW_AT_abstract_origin, DW_AT_specification).
 */
bool die_inherited(struct debugfile *file, const struct die *die, unsigned name,
		   struct attribute *out);

/* DW_AT_name, inherited; or NULL. */
const char *die_name(struct debugfile *file, const struct die *die);

/* The name as linked, inherited; else DW_AT_name; or NULL. */
const char *die_linkage_name(struct debugfile *file, const struct die *die);

/*
 * All DIEs below one, in order, with their depth (1: a child). The body of
 * what is not wanted can be skipped.
 */
struct die_walk {
	struct debugfile *file;
	struct unit *unit;
	uint64_t next;
	unsigned depth; /* of the DIE just returned */
	bool done, enter;
	struct die die;
};

void die_walk_init(struct die_walk *walk, struct debugfile *file,
		   const struct die *top);
bool die_walk_next(struct die_walk *walk);

/* Of a unit, those below its root; false: that cannot be read. */
bool die_walk_unit(struct die_walk *walk, struct debugfile *file,
		   struct unit *unit);

/* Do not visit the children of the DIE just returned. */
void die_walk_skip(struct die_walk *walk);

/* ---- addresses and ranges -------------------------------------------- */

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
