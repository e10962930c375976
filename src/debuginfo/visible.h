/*
 * visible.h - which variables can be seen at an address
 */
#ifndef PERFTOOL_DEBUGINFO_VISIBLE_H
#define PERFTOOL_DEBUGINFO_VISIBLE_H

#include "dwarf.h"

/* A variable that can be seen, and the function it belongs to. */
struct visible {
	const char *name;
	struct die die;      /* variable or parameter */
	struct die function; /* out of line; abbrev NULL: of no function */
	bool inlined;        /* of a call inlined into it */
	uint64_t scope;      /* which function or inlined call */
	unsigned depth;      /* of nested blocks in it */
};

/* Inlined calls nest no deeper than that; a broken file could. */
#define MAX_NESTED 64

/*
 * The calls that were inlined at an address, innermost first, and last the
 * function around them, as scopes of the unit. The first `begins` of them begin
 * there, and of these the first `ahead` are yet to be called: the line there is
 * that of the call. The next is the innermost frame of the source.
 */
struct scope_chain {
	struct unit *unit;
	const struct scopes *scopes;
	struct die function;
	uint32_t list[MAX_NESTED];
	unsigned count, begins, ahead;
};

/* False: there is no function that anybody knows. */
bool scope_chain_at(struct debugfile *file, uint64_t address,
		    struct scope_chain *out);

/*
 * Visit the parameters and locals at `address`, of the innermost inlined call
 * first and out to the function, each scope in the order of the source. Where
 * an inlined call just begins, the function around it comes first, for its
 * code has not been left yet. `frame`: begin with frame number so many of
 * debugfile_source_frames(), 0 being the innermost.
 */
bool each_local(struct debugfile *file, uint64_t address, unsigned frame,
		bool (*visit)(void *context, const struct visible *visible),
		void *context);

/* The same of one scope of a chain alone. */
bool each_local_of(struct debugfile *file, const struct scope_chain *chain,
		   unsigned index, uint64_t address,
		   bool (*visit)(void *context, const struct visible *visible),
		   void *context);

/* The function (out of line) whose code has `address`; false: none known. */
bool function_at(struct debugfile *file, uint64_t address, struct die *out);

#endif
