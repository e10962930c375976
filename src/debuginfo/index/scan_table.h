/*
 * scan_table.h - the steps of programs, and the tables that hold programs
 *
 * Only scan_table.c, which makes the steps, and scan_program.c, which runs
 * them, know their form.
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_TABLE_H
#define PERFTOOL_DEBUGINFO_SCAN_TABLE_H

#include "scan_program.h"

/* What a step does after it has skipped its `skip` bytes. */
enum step_kind {
	STEP_END,
	STEP_NOTHING,
	STEP_LEB,
	STEP_STRING,
	/* skip a block; its size comes first, in `number` bytes; 0: as
	 * LEB128 */
	STEP_BLOCK,
	/* skip the value of attribute `number`, as attribute.c reads it */
	STEP_VALUE,
	/* here is the value of `what`, which is attribute `number` */
	STEP_MARK,
};

struct scan_step {
	uint16_t skip;
	uint8_t kind, what;
	uint16_t number;
};

/* Abbreviations as programs. Several units may share a table, sometimes in
 * turns with other tables. */
struct scan_table {
	const struct source *source;
	uint64_t offset; /* offset of the abbreviations; NO_OFFSET: none */
	uint8_t offset_size;
	bool owned;
	const struct abbrev_table *abbrevs;
	VEC(struct scan_program) programs; /* one for each abbreviation */
	VEC(struct scan_step) steps;
};

#endif
