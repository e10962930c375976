/*
 * graph_arcs.h - the arcs of a call graph: for each pair of caller and callee
 * the sum over all threads and call sites, from calls and from ticks
 */
#ifndef PROFILE_GRAPH_ARCS_H
#define PROFILE_GRAPH_ARCS_H

#include "perftool/profile/call_graph.h"

struct graph_arc {
	uint32_t parent; /* NO_PROCEDURE: not known */
	uint32_t child;
	uint64_t count, unreturned;
	int64_t elapsed, self; /* ns; struct call_times */
	/* What the lines of the graph show of the arc: the part of the child's
	 * own time and of that of its descendants. */
	int64_t line_self, line_descendants;
};

struct graph_arcs {
	VEC(struct graph_arc) list;
	struct map by_pair; /* index plus 1 */
	/* for each procedure: were its calls counted? */
	bool *is_counted;
	/* ns; of ticks whose stacks have no frame */
	int64_t unknown;
};

void graph_arcs_deinit(struct graph_arcs *arcs);

/* Gather the arcs of a source. `arcs` is empty before. The numbers of calls and
 * ticks are left in `graph`. */
void graph_arcs_make(const struct call_graph_source *source,
		     struct graph_arcs *arcs, struct call_graph *graph);

#endif
