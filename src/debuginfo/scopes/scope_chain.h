/*
 * scope_chain.h - which variables can be seen at an address
 */
#ifndef PERFTOOL_DEBUGINFO_SCOPE_CHAIN_H
#define PERFTOOL_DEBUGINFO_SCOPE_CHAIN_H

#include "debuginfo/dwarf/dwarf.h"

/* A variable that can be seen, and the function it belongs to. */
struct visible {
	const char *name;
	struct die die;      /* variable or parameter */
	struct die function; /* out of line; abbrev NULL: of no function */
	bool inlined;        /* of a call inlined into it */
	uint64_t scope;      /* which function or inlined call */
	unsigned depth;      /* of nested blocks in it; 0: in a block of which
				no code is left */
};

/* Inlined calls nest no deeper than that; a broken file could. */
#define MAX_NESTED 64

/*
 * The calls that were inlined at an address, innermost first, and last the
 * function around them, as scopes of the unit: one for each frame of the
 * source. The first `begins` of them begin there: at that instruction they may
 * be taken as entered, or as yet to be called.
 */
struct scope_chain {
	struct unit *unit;
	const struct scopes *scopes;
	struct die function;
	uint32_t list[MAX_NESTED];
	unsigned count, begins;
};

/* False: there is no function that anybody knows. */
bool scope_chain_at(struct debugfile *file, uint64_t address,
		    struct scope_chain *out);

/* The DIE of one of them; false: it cannot be read. */
bool scope_chain_die(struct debugfile *file, const struct scope_chain *chain,
		     unsigned number, struct die *out);

/*
 * Visit the parameters and locals of frame number `frame` at `address`, then
 * those around it out to the function, each scope in the order of the source;
 * what the compiler has left out of a copy or a call comes last in its scope.
 */
bool each_local(struct debugfile *file, uint64_t address, unsigned frame,
		bool (*visit)(void *context, const struct visible *visible),
		void *context);

/* The same of the frames that `frame` has called at `address`, but which begin
 * there. */
bool each_local_ahead(struct debugfile *file, uint64_t address, unsigned frame,
		      bool (*visit)(void *context,
				    const struct visible *visible),
		      void *context);

/* The same of one scope of a chain alone. */
bool each_local_of(struct debugfile *file, const struct scope_chain *chain,
		   unsigned number, uint64_t address,
		   bool (*visit)(void *context, const struct visible *visible),
		   void *context);

/* The function (out of line) whose code has `address`; false: none known. */
bool function_at(struct debugfile *file, uint64_t address, struct die *out);

#endif
