/*
 * scan_program.h - abbreviations as programs that step over DIEs
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_PROGRAM_H
#define PERFTOOL_DEBUGINFO_SCAN_PROGRAM_H

#include "scan.h"

/* The attributes that a scan needs. */
enum what {
	WHAT_SIBLING,
	WHAT_NAME,
	WHAT_LINKAGE,
	WHAT_OLD_LINKAGE,
	WHAT_ORIGIN,
	WHAT_SPECIFICATION,
	WHAT_ENTRY,
	WHAT_LOW,
	WHAT_HIGH,
	WHAT_RANGES,
	WHAT_DECLARATION,
	WHAT_EXTERNAL,
	WHAT_LOCATION,
	WHAT_CONST,
	WHAT_IMPORT,
	WHAT_COUNT,
};

/* An attribute as a bit of `has`. */
#define BIT(what) (1U << (what))

/* What a scan looks for. */
#define LOOK_CODE 1      /* inlined calls */
#define LOOK_TYPES 2     /* types, and the namespaces they are in */
#define LOOK_VARIABLES 4 /* variables outside of functions */
#define LOOK_IMPORTS 8   /* imports of other units into this one */

#define NO_SIZE UINT16_MAX

struct scan_program {
	uint32_t first_spec;
	/* the first step, for a DIE that must be stepped over */
	uint32_t steps;
	uint16_t has; /* bits of the attributes that the steps mark */
	uint16_t tag;
	/* of all values in bytes, if it is the same for each DIE; or NO_SIZE */
	uint16_t size;
	/* place among the values of the 4 bytes that say where the next DIE
	 * behind the children is; or NO_SIZE */
	uint16_t sibling;
	/* LOOK_ bits: what such a DIE is, and what can be below it */
	uint8_t is, enters;
	bool has_children;
};

/* A DIE that was stepped over. */
struct scanned {
	const struct scan_program *program;
	const uint8_t *found[WHAT_COUNT]; /* pointers to the values */
	/* numbers of the attributes in the abbreviation */
	uint16_t number[WHAT_COUNT];
	uint16_t has; /* bits of the attributes it has */
};

/* Find or make the table for the unit that is being scanned. TABLE_LATER: the
 * table can be made only when no other thread scans. */
enum table_state { TABLE_GOOD, TABLE_BAD, TABLE_LATER };
enum table_state scan_find_table(struct scan *scan);
void scan_clear_tables(struct scan *scan);

/* The abbreviations that the table was made of. */
const struct abbrev_table *scan_abbrevs(const struct scan *scan);

/* A cursor over the unit's bytes from an offset in .debug_info on. */
struct cursor scan_cursor(const struct unit *unit, uint64_t offset);

/* Step over the DIE at the cursor. `out->program` is NULL at the end of a list
 * of siblings. False: the unit ends. */
bool scan_step_over(struct scan *scan, struct cursor *cursor,
		    struct scanned *out);

/*
 * Find the next DIE among these siblings that is, or can contain, something
 * that `look` asks for. The function steps over it, as scan_step_over() does,
 * and gives its offset. It skips all DIEs before it, with their children.
 * False: the unit ends.
 */
bool scan_find(struct scan *scan, struct cursor *cursor, unsigned look,
	       uint64_t *offset, struct scanned *out);

/* Skip the children of the DIE that the cursor has just stepped over. False:
 * the unit ends. */
bool scan_skip_children(struct scan *scan, struct cursor *cursor,
			const struct scanned *parent);

/* Read a value of the DIE. False: the DIE has no such value, or it cannot be
 * read. */
bool scan_value(const struct scan *scan, const struct scanned *scanned,
		enum what what, struct attribute *out);

/* Read a string of the DIE; NULL: there is none. */
const char *scan_string(const struct scan *scan, const struct scanned *scanned,
			enum what what);

#endif
