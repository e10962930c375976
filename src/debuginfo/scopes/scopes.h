/*
 * scopes.h - which function, call and block an address is in
 *
 * This folder answers one question about the DIEs of a unit: which function the
 * code at an address belongs to, which calls were inlined there, one in the
 * other, and which lexical block of theirs it is in. It makes a table of the
 * ranges of a unit when that is first asked for, and keeps it with the unit.
 * nested_ranges.h finds the deepest of nested ranges; scope_chain.h goes
 * through the scopes around an address, and through the variables that can be
 * seen there.
 *
 * It uses dwarf/ and elf/. Its users are types (a type is looked for in the
 * unit that the code was compiled as), symbols (functions that no symbol
 * names), lines, frames (inlined calls) and variables (locals).
 */
#ifndef PERFTOOL_DEBUGINFO_SCOPES_H
#define PERFTOOL_DEBUGINFO_SCOPES_H

#include "debuginfo/dwarf/dwarf.h"
#include "nested_ranges.h"
#include "scope_chain.h"

/* One range of a function or of an inlined call; several may have one DIE. */
struct scope {
	uint64_t low, high;
	uint64_t die;    /* offset */
	uint32_t parent; /* index of any scope of what it is inlined into */
	uint16_t depth;  /* of the DIE in its unit */
	bool inlined;
};

#define NO_SCOPE INNERMOST_NONE

/* One range of a lexical block that declares something. */
struct block {
	uint64_t die;
	unsigned depth;
};

struct scopes {
	VEC(struct scope) list; /* in the order of the DIEs, one's together */
	struct innermost innermost, functions; /* indices of the list */
	VEC(struct block) blocks;              /* made when first asked for */
	struct innermost innermost_blocks;     /* indices of these */
	bool blocks_known;
};

/* Made once; never NULL. The unit's root must have been read. */
const struct scopes *unit_scopes(struct debugfile *file, struct unit *unit);
void scopes_destroy(struct scopes *scopes);

/* The innermost scope at `address`, or NO_SCOPE. `low` of it is that of the
 * part that contains the address. */
uint32_t scopes_at(const struct scopes *scopes, uint64_t address);

/* Does a part of the function or inlined call that scope `index` is a part of
 * begin at `address`, and none end there? */
bool scopes_begin_at(const struct scopes *scopes, uint32_t index,
		     uint64_t address);

/* The function (out of line) at `address`, or NO_SCOPE. */
uint32_t scopes_function_at(const struct scopes *scopes, uint64_t address);

/*
 * The innermost block around `address`, by the offset of its DIE: a lexical one
 * that declares something, else the function or inlined call itself. NO_OFFSET:
 * no function is known there.
 */
uint64_t block_at(struct debugfile *file, struct unit *unit, uint64_t address);

/* The unit that the code at `address` was compiled as. Link-time optimization
 * puts code into others than the names that it can see. */
struct unit *unit_compiled_at(struct debugfile *file, uint64_t address);

#endif
