/*
 * data_objects.h - the variables of the symbol tables
 */
#ifndef PERFTOOL_DEBUGINFO_DATA_OBJECTS_H
#define PERFTOOL_DEBUGINFO_DATA_OBJECTS_H

#include "debuginfo/elf/elf.h"

/* An object of data, as linked. */
struct object {
	uint64_t address, size;
	const char *name; /* in the table's strings: with its version, if any */
	bool local;
};

struct objects {
	VEC(struct object) list; /* by address */
	bool known;
};

void objects_deinit(struct objects *objects);

/* The object that has the byte at `address`, or NULL. */
const struct object *objects_at(struct debugfile *file, uint64_t address);

#endif
