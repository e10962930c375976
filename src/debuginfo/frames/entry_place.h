/*
 * entry_place.h - where parameters are at a function's first instruction, and
 * its result at its last
 */
#ifndef PERFTOOL_DEBUGINFO_ENTRY_PLACE_H
#define PERFTOOL_DEBUGINFO_ENTRY_PLACE_H

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/locations/locations.h"
#include "perftool/debugtype.h"

/* The place of a parameter or result, before the registers are known. */
struct entry_place {
	bool in_registers; /* reg[0], reg[1]; else in memory */
	unsigned reg[2];   /* DWARF numbers */
	unsigned count;    /* of registers; 0: it has no bytes at all */
	unsigned bits;     /* that each holds of it; 0: all */
	bool by_register;  /* memory: at the address that is in reg[0] */
	uint64_t offset;   /* memory: from rsp, or from that address */
	bool by_address;   /* there is its address, not itself */
};

/*
 * Where the parameter `name` of a function is as it is entered (System V ABI,
 * 3.2.3). ERROR_NOT_FOUND: it has no such parameter. ERROR_EVALUATE: it has,
 * but nobody can tell.
 */
struct error *entry_find(struct debugfile *file, const struct die *function,
			 const char *name, struct entry_place *out);

/* Where a function's result is as it returns. ERROR_NOT_FOUND: nobody can
 * tell, or it has none. */
struct error *entry_find_result(struct debugfile *file,
				const struct die *function,
				struct entry_place *out);

/* Where that is now. */
struct error *entry_locate(const struct entry_place *entry,
			   const struct frame_reader *reader,
			   struct place *out);

#endif
