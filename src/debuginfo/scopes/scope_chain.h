/*
 * scope_chain.h - the variables that are visible at an address
 */
#ifndef PERFTOOL_DEBUGINFO_SCOPE_CHAIN_H
#define PERFTOOL_DEBUGINFO_SCOPE_CHAIN_H

#include "debuginfo/dwarf/dwarf.h"

/* A variable that is visible, and the function it belongs to. */
struct visible {
	const char *name;
	struct die die; /* the DIE of the variable or parameter */
	/* the function out of line; abbrev NULL: the variable is in no
	 * function */
	struct die function;
	/* it belongs to a call that was inlined into the function */
	bool inlined;
	/* offset of the DIE of the function or inlined call */
	uint64_t scope;
	/* nesting depth of its block, from 1; 0: it is in a block of which no
	 * code is left */
	unsigned depth;
};

/* The deepest nesting of inlined calls. A broken file could nest them
 * deeper. */
#define MAX_NESTED 64

/*
 * The calls that were inlined at an address, innermost first, and last the
 * function around them: one scope of the unit for each source frame. The first
 * `begins` of the calls begin at the address. At this instruction they can be
 * taken as entered already, or as not called yet.
 */
struct scope_chain {
	struct unit *unit;
	const struct scopes *scopes;
	struct die function;
	uint32_t list[MAX_NESTED];
	unsigned count, begins;
};

/* Find the chain at `address`. False: no function is known there. */
bool scope_chain_at(struct debugfile *file, uint64_t address,
		    struct scope_chain *out);

/* Read the DIE of scope `number` of the chain. False: it cannot be read. */
bool scope_chain_die(struct debugfile *file, const struct scope_chain *chain,
		     unsigned number, struct die *out);

/*
 * Visit the parameters and locals of frame number `frame` at `address`, then
 * those of the frames around it out to the function. The order in a scope is
 * that of the source. Variables that the compiler has left out of a copy or an
 * inlined call come last in their scope. The function stops when `visit`
 * returns false, and then returns false.
 */
bool each_local(struct debugfile *file, uint64_t address, unsigned frame,
		bool (*visit)(void *context, const struct visible *visible),
		void *context);

/* Visit, in the same way, the variables of the inlined calls inside frame
 * `frame`. Nothing is visited unless all these calls begin at `address`. */
bool each_local_ahead(struct debugfile *file, uint64_t address, unsigned frame,
		      bool (*visit)(void *context,
				    const struct visible *visible),
		      void *context);

/* Visit, in the same way, the variables of scope `number` of the chain
 * alone. */
bool each_local_of(struct debugfile *file, const struct scope_chain *chain,
		   unsigned number, uint64_t address,
		   bool (*visit)(void *context, const struct visible *visible),
		   void *context);

/* Find the function (out of line) that contains `address`. False: none is
 * known. */
bool function_at(struct debugfile *file, uint64_t address, struct die *out);

#endif
