/*
 * scan_program.h - scan programs: lists of steps that skip the values of a DIE
 *
 * A scan makes one program from each abbreviation of a unit. All DIEs with this
 * abbreviation have the same attributes in the same forms, so the program knows
 * which values it must skip one by one, and which it can skip together. It
 * marks where in the DIE the values are that the scan needs.
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

/* An attribute (enum what) as a bit of the members `has`. */
#define BIT(what) (1U << (what))

/* What a scan looks for. */
#define LOOK_CODE 1      /* inlined calls */
#define LOOK_TYPES 2     /* types, and scopes that contain types */
#define LOOK_VARIABLES 4 /* variables outside of functions */
#define LOOK_IMPORTS 8   /* DIEs that import other units into this unit */

#define NO_SIZE UINT16_MAX

struct scan_program {
	uint32_t first_spec;
	/* the index of the program's first step in the table's `steps` */
	uint32_t steps;
	uint16_t has; /* BIT()s of the attributes whose values the steps mark */
	uint16_t tag;
	/* the size of all values in bytes, if it is the same for each DIE; else
	 * NO_SIZE */
	uint16_t size;
	/* how many bytes behind the first value the value of DW_AT_sibling is,
	 * 4 bytes that say where the first DIE behind the children is; NO_SIZE:
	 * not known */
	uint16_t sibling;
	/* LOOK_ bits: what a DIE with this abbreviation is, and what can be
	 * below it */
	uint8_t is, enters;
	bool has_children;
};

/* A DIE whose values a program has skipped. */
struct scanned {
	const struct scan_program *program;
	const uint8_t *found[WHAT_COUNT]; /* where the marked values are */
	/* the number of each marked attribute in its abbreviation */
	uint16_t number[WHAT_COUNT];
	uint16_t has; /* BIT()s of the attributes whose values were marked */
};

/* Set scan->table to a table with the programs for the unit that is being
 * scanned: a table that was used recently, or a new one. TABLE_BAD: the
 * abbreviations cannot be read. TABLE_LATER: the table can be made only when no
 * other thread scans. */
enum table_state { TABLE_GOOD, TABLE_BAD, TABLE_LATER };
enum table_state scan_find_table(struct scan *scan);
void scan_clear_tables(struct scan *scan);

/* The abbreviation table from which scan->table was made. */
const struct abbrev_table *scan_abbrevs(const struct scan *scan);

/* A cursor over the unit's bytes from `offset` (unit_source.h) on. */
struct cursor scan_cursor(const struct unit *unit, uint64_t offset);

/* Move the cursor behind the values of the DIE at the cursor, and mark the
 * values that the scan needs in `out`. `out->program` is NULL if the cursor was
 * at the end of a list of siblings. False: the unit ends here, or the DIE
 * cannot be read. */
bool scan_step_over(struct scan *scan, struct cursor *cursor,
		    struct scanned *out);

/*
 * Find the next sibling, from the DIE at the cursor on, that is, or can
 * contain, something that `look` asks for (LOOK_ bits). The function steps over
 * this DIE as scan_step_over() does, and stores its offset in `*offset`. It
 * skips all DIEs before it, with their children. If no sibling fits, the
 * function stops at the end of the list of siblings, with `out->program` NULL.
 * False: the unit ends here, or a DIE cannot be read.
 */
bool scan_find(struct scan *scan, struct cursor *cursor, unsigned look,
	       uint64_t *offset, struct scanned *out);

/* Skip the children of `parent`, the DIE whose values the cursor has just
 * passed. False: the unit ends here, or a DIE cannot be read. */
bool scan_skip_children(struct scan *scan, struct cursor *cursor,
			const struct scanned *parent);

/* Read the value of attribute `what` of the DIE. False: the value was not
 * marked, or it cannot be read. */
bool scan_value(const struct scan *scan, const struct scanned *scanned,
		enum what what, struct attribute *out);

/* Read the value of attribute `what` of the DIE if it is a string; else
 * NULL. */
const char *scan_string(const struct scan *scan, const struct scanned *scanned,
			enum what what);

#endif
