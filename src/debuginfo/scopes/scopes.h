/*
 * scopes.h - finds the function, inlined call and block that contain an
 * address
 *
 * This folder answers one question about the DIEs of a unit: which function
 * does the code at an address belong to, which calls were inlined there, and
 * in which of their lexical blocks is the address? When the question is first
 * asked about a unit, the folder makes a table of the unit's ranges and keeps
 * it with the unit. nested_ranges.h finds the deepest of nested ranges.
 * scope_chain.h walks through the scopes around an address, and through the
 * variables that are visible there.
 *
 * It uses dwarf/ and elf/. The following folders use it: types/ (looks for a
 * type in the unit that the code was compiled in), symbols/ (functions that
 * have no symbol), lines/, frames/ (inlined calls) and variables/ (locals).
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
	/* index of a scope of the function or call around it */
	uint32_t parent;
	uint16_t depth; /* depth of the DIE in its unit */
	bool inlined;
};

#define NO_SCOPE INNERMOST_NONE

/* One range of a lexical block that declares something. */
struct block {
	uint64_t die;
	unsigned depth;
};

struct scopes {
	/* in the order of the DIEs; the ranges of one DIE are neighbours */
	VEC(struct scope) list;
	/* they give indices of `list` */
	struct innermost innermost, functions;
	VEC(struct block) blocks;          /* made when first needed */
	struct innermost innermost_blocks; /* it gives indices of `blocks` */
	bool blocks_known;
};

/* The scopes of a unit, never NULL. They are made once and belong to the unit.
 * The caller has read the unit's root DIE. */
const struct scopes *unit_scopes(struct debugfile *file, struct unit *unit);
void scopes_destroy(struct scopes *scopes);

/* The index of the innermost scope at `address`, or NO_SCOPE. If the function
 * or call has several ranges, this is the one that contains the address. */
uint32_t scopes_at(const struct scopes *scopes, uint64_t address);

/* Scope `index` is a range of a function or inlined call. Does a range of this
 * function or call begin at `address`, and no range of it end there? */
bool scopes_begin_at(const struct scopes *scopes, uint32_t index,
		     uint64_t address);

/* The index of the function (out of line) at `address`, or NO_SCOPE. */
uint32_t scopes_function_at(const struct scopes *scopes, uint64_t address);

/* The offset of the DIE of the innermost block that contains `address`: a
 * lexical block that declares something, else the inlined call or the
 * function. NO_OFFSET: no function is known there. */
uint64_t block_at(struct debugfile *file, struct unit *unit, uint64_t address);

/* The unit whose names the code at `address` could see in the source. With
 * link-time optimization this is not the unit that has the code. */
struct unit *unit_compiled_at(struct debugfile *file, uint64_t address);

#endif
