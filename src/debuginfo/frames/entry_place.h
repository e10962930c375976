/*
 * entry_place.h - the places of parameters at a function's first instruction,
 * and of its result when it returns
 */
#ifndef PERFTOOL_DEBUGINFO_ENTRY_PLACE_H
#define PERFTOOL_DEBUGINFO_ENTRY_PLACE_H

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/locations/locations.h"
#include "perftool/debugtype.h"

/* The place of a parameter or result, in terms of registers whose values are
 * not known yet. */
struct entry_place {
	bool in_registers; /* in reg[0] and reg[1]; else in memory */
	unsigned reg[2];   /* DWARF numbers */
	unsigned count;    /* number of registers; 0: the value has no bytes */
	/* bits of the value in each register; 0: all of them */
	unsigned bits;
	bool by_register; /* in memory: at the address in reg[0] */
	/* in memory: offset from rsp, or from the address in reg[0] */
	uint64_t offset;
	bool by_address; /* the place holds the address of the value */
};

/* Find the place of the parameter `name` when the function is entered (System
 * V ABI, 3.2.3). ERROR_NOT_FOUND: there is no such parameter. ERROR_EVALUATE:
 * its place is not known. */
struct error *entry_find(struct debugfile *file, const struct die *function,
			 const char *name, struct entry_place *out);

/* Find the place of a function's result when the function returns.
 * ERROR_NOT_FOUND: the function has no result, or its place is not known. */
struct error *entry_find_result(struct debugfile *file,
				const struct die *function,
				struct entry_place *out);

/* Compute the place with the reader's present registers. */
struct error *entry_locate(const struct entry_place *entry,
			   const struct frame_reader *reader,
			   struct place *out);

#endif
