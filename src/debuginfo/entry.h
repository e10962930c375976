/*
 * entry.h - where parameters are at a function's first instruction
 */
#ifndef PERFTOOL_DEBUGINFO_ENTRY_H
#define PERFTOOL_DEBUGINFO_ENTRY_H

#include "dwarf.h"

/* A parameter's place: a register, or the stack above the return address. */
struct entry_place {
	bool in_register;
	unsigned reg;    /* DWARF number */
	uint64_t offset; /* from rsp */
};

/*
 * Where the parameter `name` of a function is as it is entered (System V ABI,
 * 3.2.3). ERROR_NOT_FOUND: it has no such parameter. ERROR_EVALUATE: it has,
 * but it is in a vector register, or a structure, or nobody can tell.
 */
struct error *entry_find(struct debugfile *file, const struct die *function,
			 const char *name, struct entry_place *out);

#endif
