/*
 * inlined.h - the inlined calls of a file, by the name of what was called
 */
#ifndef PERFTOOL_DEBUGINFO_INLINED_H
#define PERFTOOL_DEBUGINFO_INLINED_H

#include "dwarf.h"

struct inlined_call {
	const char *name; /* as linked, or DW_AT_name */
	uint64_t address; /* of its first instruction */
};

struct inlined {
	VEC(struct inlined_call) calls;
};

void inlined_destroy(struct inlined *inlined);

#endif
