/*
 * scan_program.h - abbreviations as programs that step over DIEs
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_PROGRAM_H
#define PERFTOOL_DEBUGINFO_SCAN_PROGRAM_H

#include "scan.h"

/* The attributes that matter. */
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

/* As a bit of `has`. */
#define BIT(what) (1U << (what))

/* What is looked for. */
#define LOOK_CODE 1      /* inlined calls */
#define LOOK_TYPES 2     /* types, and the namespaces they are in */
#define LOOK_VARIABLES 4 /* those of the file */
#define LOOK_IMPORTS 8   /* units that are parts of this one */

#define NO_SIZE UINT16_MAX

struct scan_program {
	uint32_t first_spec;
	uint32_t steps; /* the first one, if it has to be gone through */
	uint16_t has;   /* bits of what they mark */
	uint16_t tag;
	uint16_t size;    /* of all values, if each DIE has the same; or NO_SIZE
			   */
	uint16_t sibling; /* where among them are the 4 bytes that say where
			     what follows the children is; or NO_SIZE */
	uint8_t is, enters; /* what can be found by it; below it */
	bool has_children;
};

/* A DIE that has been stepped over. */
struct scanned {
	const struct scan_program *program;
	const uint8_t *found[WHAT_COUNT]; /* where the values are */
	uint16_t number[WHAT_COUNT];      /* of the attribute */
	uint16_t has;                     /* bits of those there */
};

/* Find or make the table of the unit in hand. TABLE_LATER: it may only be had
 * when the scan is alone. */
enum table_state { TABLE_GOOD, TABLE_BAD, TABLE_LATER };
enum table_state scan_find_table(struct scan *scan);
void scan_clear_tables(struct scan *scan);

/* What that table was made of. */
const struct abbrev_table *scan_abbrevs(const struct scan *scan);

/* The unit's bytes from an offset in .debug_info on. */
struct cursor scan_cursor(const struct unit *unit, uint64_t offset);

/* The DIE at the cursor. Without a program it is the end of a list of siblings.
 * False: the unit ends. */
bool scan_step_over(struct scan *scan, struct cursor *cursor,
		    struct scanned *out);

/*
 * The next DIE among these siblings that something can be found by, or below:
 * that DIE as scan_step_over() has it, and its offset. Those before it are
 * passed with what is below them.
 */
bool scan_find(struct scan *scan, struct cursor *cursor, unsigned look,
	       uint64_t *offset, struct scanned *out);

/* Past the children of the DIE that the cursor has just left. */
bool scan_skip_children(struct scan *scan, struct cursor *cursor,
			const struct scanned *parent);

/* A value of it; false: it has none that can be read. */
bool scan_value(const struct scan *scan, const struct scanned *scanned,
		enum what what, struct attribute *out);

/* The same of a string; or NULL. */
const char *scan_string(const struct scan *scan, const struct scanned *scanned,
			enum what what);

#endif
