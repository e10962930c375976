/*
 * callees.h - the functions whose calls a request is for
 *
 * A request for calls names one function or a pattern. Requests for allocations
 * and for the taking of locks stand for the calls of a list of functions of the
 * C and C++ libraries.
 */
#ifndef PROBE_CALLEES_H
#define PROBE_CALLEES_H

#include "perftool/probe.h"
#include "spot.h"

struct space;

struct callee {
	/* as in the FUNC of a location, or the very name by which the function
	 * is linked */
	const char *name;
	bool is_exact;
	/* for REQUEST_SYNC_ENTER: the results with which a lock was taken */
	enum lock_taken taken;
};

#define MOST_CALLEES 32

/* Fill `out` with the functions whose calls the breakpoint is for. Returns how
 * many they are. */
size_t callees_of(const struct breakpoint *breakpoint,
		  struct callee out[static MOST_CALLEES]);
/* Append the functions of the file that the callee names. */
struct error *callee_functions(struct debugfile *file,
			       const struct callee *callee,
			       struct function_list *out);
/* Is one of these functions at the run-time address, or a stub of a procedure
 * linkage table that leads to one? */
bool callee_is_at(struct space *space, struct breakpoint *breakpoint,
		  uint64_t address);

#endif
