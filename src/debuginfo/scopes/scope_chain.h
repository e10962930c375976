/*
 * scope_chain.h - finds the inlined calls and the function that contain an
 * address, and the variables that are visible there
 */
#ifndef PERFTOOL_DEBUGINFO_SCOPE_CHAIN_H
#define PERFTOOL_DEBUGINFO_SCOPE_CHAIN_H

#include "debuginfo/dwarf/dwarf.h"

/* A variable that is visible at an address, and the function to which it
 * belongs. */
struct visible {
	const char *name;
	struct die die; /* the DIE of the variable or parameter */
	/* the function out of line (not an inlined call) that contains the
	 * address; abbrev NULL: the variable is outside of functions */
	struct die function;
	/* the variable belongs to a call that was inlined into `function` */
	bool inlined;
	/* offset of the DIE of the function or inlined call to which the
	 * variable belongs */
	uint64_t scope;
	/* nesting depth of the variable's block, from 1; 0: the variable is in
	 * a block that has no code */
	unsigned depth;
};

/* The deepest nesting of inlined calls that the reader follows. A broken file
 * could nest them deeper. */
#define MAX_NESTED 64

/*
 * The scopes that contain an address: the inlined calls, the innermost first,
 * and last the function around them. Each scope is one source frame. list[i] is
 * the scope's index in scopes->list. The first `begins` of the inlined calls
 * begin at the address. Before the instruction at the address is executed,
 * these calls can count as already entered or as not called yet.
 */
struct scope_chain {
	struct unit *unit;
	const struct scopes *scopes;
	struct die function;
	uint32_t list[MAX_NESTED];
	unsigned count, begins;
};

/* Find the scopes that contain `address`. False: the debug information has no
 * function there. */
bool scope_chain_at(struct debugfile *file, uint64_t address,
		    struct scope_chain *out);

/* Read the DIE of scope `number` of the chain (0 is the innermost). False: the
 * DIE cannot be read. */
bool scope_chain_die(struct debugfile *file, const struct scope_chain *chain,
		     unsigned number, struct die *out);

/*
 * Visit the parameters and local variables of frame number `frame` at
 * `address`, then those of the frames around it, up to the function out of
 * line. Frame 0 is the innermost inlined call. The order in a scope is that of
 * the source, except that variables which the compiler has optimised out of a
 * copy of a function or out of an inlined call come last in their scope. If
 * `visit` returns false, each_local() stops and returns false.
 */
bool each_local(struct debugfile *file, uint64_t address, unsigned frame,
		bool (*visit)(void *context, const struct visible *visible),
		void *context);

/* Visit, as each_local() does, the variables of the inlined calls inside of
 * frame `frame`. The function visits nothing unless all these calls begin at
 * `address`. */
bool each_local_ahead(struct debugfile *file, uint64_t address, unsigned frame,
		      bool (*visit)(void *context,
				    const struct visible *visible),
		      void *context);

/* Visit, as each_local() does, the variables of scope `number` of the chain,
 * and of no other scope. */
bool each_local_of(struct debugfile *file, const struct scope_chain *chain,
		   unsigned number, uint64_t address,
		   bool (*visit)(void *context, const struct visible *visible),
		   void *context);

/* Find the function out of line (not an inlined call) that contains `address`.
 * False: the debug information has no such function. */
bool function_at(struct debugfile *file, uint64_t address, struct die *out);

#endif
