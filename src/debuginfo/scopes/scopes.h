/*
 * scopes.h - finds the function, inlined call and block that contain an address
 *
 * This folder finds out which function the code at an address belongs to, which
 * calls were inlined there, and in which of their lexical blocks the address
 * is. When a caller first asks about a unit, the folder makes a table of the
 * ranges of the unit's functions and inlined calls. The unit owns the table.
 * nested_ranges.h finds the deepest of nested ranges. scope_chain.h walks
 * through the scopes around an address, and through the variables that are
 * visible there.
 *
 * This folder uses dwarf/ and elf/. The following folders use it: types/ (looks
 * for a type in the unit that the code was compiled in), symbols/ (functions
 * that have no symbol), lines/, frames/ (inlined calls) and variables/
 * (locals).
 */
#ifndef PERFTOOL_DEBUGINFO_SCOPES_H
#define PERFTOOL_DEBUGINFO_SCOPES_H

#include "debuginfo/dwarf/dwarf.h"
#include "nested_ranges.h"
#include "scope_chain.h"

/* One range of a function or of an inlined call. Several ranges may have the
 * same DIE. */
struct scope {
	uint64_t low, high;
	uint64_t die; /* offset of the DIE */
	/* index in the list of the function or inlined call around this DIE (of
	 * one of its ranges), or NO_SCOPE */
	uint32_t parent;
	uint16_t depth; /* depth of the DIE below the root of its unit */
	bool inlined;
};

#define NO_SCOPE INNERMOST_NONE

/* One range of a lexical block that declares a variable, a type, a label or the
 * like. */
struct block {
	uint64_t die;
	unsigned depth;
};

struct scopes {
	/* in the order of the DIEs; the ranges of one DIE are next to each
	 * other */
	VEC(struct scope) list;
	/* Both give for an address an index in `list`: `innermost` of the
	 * innermost function or inlined call, `functions` of the innermost
	 * function out of line. */
	struct innermost innermost, functions;
	VEC(struct block) blocks; /* made when first needed */
	/* gives for an address an index in `blocks` */
	struct innermost innermost_blocks;
	bool blocks_known;
};

/* The scopes of a unit, never NULL. The function makes them when they are first
 * needed; the unit owns them. The caller has read the unit's root DIE. */
const struct scopes *unit_scopes(struct debugfile *file, struct unit *unit);
void scopes_destroy(struct scopes *scopes);

/* The index of the innermost scope (a range of a function or inlined call) that
 * contains `address`, or NO_SCOPE. */
uint32_t scopes_at(const struct scopes *scopes, uint64_t address);

/* Scope `index` is a range of a function or inlined call. Does the function or
 * call begin at `address`: does one of its ranges begin there, and none of its
 * ranges end there? */
bool scopes_begin_at(const struct scopes *scopes, uint32_t index,
		     uint64_t address);

/* The index of the innermost function out of line (not an inlined call) that
 * contains `address`, or NO_SCOPE. */
uint32_t scopes_function_at(const struct scopes *scopes, uint64_t address);

/* The offset of the DIE of the innermost block that contains `address`. A
 * lexical block that declares nothing does not count; an inlined call or a
 * function counts as a block. NO_OFFSET: the debug information has no function
 * there. */
uint64_t block_at(struct debugfile *file, struct unit *unit, uint64_t address);

/* The unit of the source file from which the code at `address` was compiled,
 * and whose names this code can use. With link-time optimization this is not
 * the unit that has the code. NULL: no unit has code there. */
struct unit *unit_compiled_at(struct debugfile *file, uint64_t address);

#endif
