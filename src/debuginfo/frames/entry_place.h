/*
 * entry_place.h - where the ABI puts parameters at a function's first
 * instruction, and the result at its return
 */
#ifndef PERFTOOL_DEBUGINFO_ENTRY_PLACE_H
#define PERFTOOL_DEBUGINFO_ENTRY_PLACE_H

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/locations/locations.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debugtype.h"

/* The place of a parameter or result, computed once for a function. It names
 * registers; entry_locate() uses their values. */
struct entry_place {
	/* the value is in reg[0] and reg[1]; else in memory */
	bool in_registers;
	unsigned reg[2]; /* DWARF numbers */
	unsigned count;  /* number of registers; 0: the value has no bytes */
	/* number of bits of the value in each register; 0: all bits */
	unsigned bits;
	/* the place in memory is relative to the address in reg[0] */
	bool by_register;
	/* of the place in memory: offset from rsp, or from the address in
	 * reg[0] */
	uint64_t offset;
	bool by_address; /* the place holds the address of the value */
};

/* Find the place of the parameter `name` when the function, which begins at
 * `address`, is entered (System V ABI, 3.2.3). ERROR_NOT_FOUND: there is no
 * such parameter. ERROR_EVALUATE: its place is not known. */
struct error *entry_find(struct debugfile *file, const struct die *function,
			 uint64_t address, const char *name,
			 struct entry_place *out);

/* Find the place of a function's result when the function returns.
 * ERROR_NOT_FOUND: the function has no result, or its place is not known. */
struct error *entry_find_result(struct debugfile *file,
				const struct die *function,
				struct entry_place *out);

/* Turn `entry` into a struct place by the registers that the reader has now.
 * ERROR_EVALUATE: memory that has the address of the value cannot be read. */
struct error *entry_locate(const struct entry_place *entry,
			   const struct frame_reader *reader,
			   struct place *out);

#endif
