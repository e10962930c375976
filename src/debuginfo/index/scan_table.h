/*
 * scan_table.h - the steps that programs are made of, and what they are kept in
 *
 * Only scan_table.c, which makes them, and scan_program.c, which runs them,
 * know what they look like.
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_TABLE_H
#define PERFTOOL_DEBUGINFO_SCAN_TABLE_H

#include "scan_program.h"

/* What is done behind the `skip` bytes that each step begins with. */
enum step_kind {
	STEP_END,
	STEP_NOTHING,
	STEP_LEB,
	STEP_STRING,
	STEP_BLOCK, /* its size comes first, in `number` bytes; 0: as LEB128 */
	STEP_VALUE, /* attribute `number`: as die.c does it */
	STEP_MARK,  /* what comes next is `what`, attribute `number` */
};

struct scan_step {
	uint16_t skip;
	uint8_t kind, what;
	uint16_t number;
};

/* Abbreviations as programs. Units may share them, some of them by turns. */
struct scan_table {
	const struct source *source;
	uint64_t offset; /* NO_OFFSET: none */
	uint8_t offset_size;
	bool owned;
	const struct abbrev_table *abbrevs;
	VEC(struct scan_program) programs; /* one for each */
	VEC(struct scan_step) steps;
};

#endif
