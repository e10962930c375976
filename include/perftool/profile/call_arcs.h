/*
 * call_arcs.h - exact counts and times of calls, by caller, callee and call
 * site: what `print graph` and `print functions` are computed from
 *
 * The sources are SPIN's call graph profile (its arcs have "the execution count
 * and elapsed cycles") and the Amiga Profiler. doc/RULES.md, "Profiles", has
 * the rules.
 */
#ifndef PERFTOOL_PROFILE_CALL_ARCS_H
#define PERFTOOL_PROFILE_CALL_ARCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/profile/procedures.h"

/* Times are ns, the tool's own time taken out; they can be a little below 0. */
struct call_times {
	uint64_t count;      /* calls that have ended */
	uint64_t unreturned; /* of these: ended otherwise than by a return */
	int64_t elapsed;     /* from the entries to the ends */
	int64_t self;        /* elapsed, less that of the named functions that
				were called from it */
	/* elapsed of those calls during which no other call of the same
	 * function was open in the thread: recursion counts once */
	int64_t outermost;
	/* of `self` and of `outermost`: how long the thread was off its CPU */
	int64_t self_waiting, waiting;
};

struct call_arc {
	uint32_t thread; /* index that the caller chose (a thread of a process)
			  */
	/* The innermost named function that was open. If none was, it is the
	 * function of the call site, and `by_site` is true: its own calls were
	 * not measured. NO_PROCEDURE: the call site is not known, either. */
	uint32_t caller;
	bool by_site;
	uint32_t callee;
	/* return address of the call less 1, an address of the file of the
	 * module `site_module`; 0: not known, or the caller came by a tail
	 * jump */
	uint64_t site;
	uint32_t site_module; /* as in struct code_address */
	struct call_times times;
};

/* All zero is empty, and without a limit. */
struct call_arcs {
	VEC(struct call_arc) list;
	struct map by_hash;
	/* `profile arcs N`: further arcs are added up in `other`; 0: no limit
	 */
	size_t limit;
	struct call_times other;
	size_t others; /* additions to `other`; not 0: the table was full */
};

void call_arcs_deinit(struct call_arcs *arcs);
/* Forget all arcs. The limit stays. */
void call_arcs_clear(struct call_arcs *arcs);

/* Add to an arc what `arc->times` has. */
void call_arcs_add(struct call_arcs *arcs, const struct call_arc *arc);

void call_times_add(struct call_times *to, const struct call_times *times);

#endif
