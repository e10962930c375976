/*
 * data_objects.h - the data objects (variables) of the symbol tables, sorted by
 * address, so that the object at an address can be found
 */
#ifndef PERFTOOL_DEBUGINFO_DATA_OBJECTS_H
#define PERFTOOL_DEBUGINFO_DATA_OBJECTS_H

#include "debuginfo/elf/elf.h"

/* A data object, with the name that the symbol table gives it. */
struct object {
	uint64_t address, size;
	/* points into the table's strings; includes the symbol's version, if it
	 * has one */
	const char *name;
	bool local;
};

struct objects {
	VEC(struct object) list; /* sorted by address */
	bool known;
};

void objects_deinit(struct objects *objects);

/* The object that contains the byte at `address`, or NULL. */
const struct object *objects_at(struct debugfile *file, uint64_t address);

#endif
