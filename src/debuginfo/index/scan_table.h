/*
 * scan_table.h - the steps of scan programs, and the tables that hold the
 * programs for an abbreviation table
 *
 * Only scan_table.c, which makes the steps, and scan_program.c, which runs
 * them, know the form of steps.
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_TABLE_H
#define PERFTOOL_DEBUGINFO_SCAN_TABLE_H

#include "scan_program.h"

/* What a step does after it has skipped `skip` bytes. */
enum step_kind {
	STEP_END,
	STEP_NOTHING,
	STEP_LEB,
	STEP_STRING,
	/* skip a block and the size before it; `number` 1: the size has one
	 * byte, 0: it is a LEB128 number */
	STEP_BLOCK,
	/* skip the value of attribute number `number` of the abbreviation, as
	 * attribute.c reads it */
	STEP_VALUE,
	/* mark the place that is reached: here is the value of `what`, which is
	 * attribute number `number` of the abbreviation */
	STEP_MARK,
};

struct scan_step {
	uint16_t skip;
	uint8_t kind, what;
	uint16_t number;
};

/* The programs for all abbreviations of an abbreviation table. Several units
 * may share a table. */
struct scan_table {
	const struct source *source;
	/* offset of the abbreviation table in .debug_abbrev; NO_OFFSET: this
	 * table is unused */
	uint64_t offset;
	uint8_t offset_size;
	bool owned;
	const struct abbrev_table *abbrevs;
	VEC(struct scan_program) programs; /* one for each abbreviation */
	VEC(struct scan_step) steps;
};

#endif
