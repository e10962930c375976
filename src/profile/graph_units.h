/*
 * graph_units.h - the units of a call graph, and their times
 *
 * A unit is a strongly connected component: a procedure, or a cycle. No
 * procedure outside a unit is both called by the unit and calls it. So the
 * calls into a unit from outside are never open at the same time in a thread,
 * and their times add up to the time of the unit.
 */
#ifndef PROFILE_GRAPH_UNITS_H
#define PROFILE_GRAPH_UNITS_H

#include "graph_arcs.h"

/* A procedure or a cycle. */
struct graph_unit {
	uint32_t members;
	bool is_counted;
	bool is_recursive;   /* members call each other, or themselves */
	uint64_t called;     /* by others */
	uint64_t unreturned; /* of all calls of members */
	uint64_t inner;      /* by members that called other ones */
	int64_t self;        /* of all members */
	int64_t incoming;    /* the time of the calls by others */
	int64_t outgoing;    /* the time of the calls of others */
	/* the time of calls into the unit that are in no arc, as far as it is
	 * known from what they have called */
	int64_t open;
	/* of the calls by others: the time of the called procedure itself, and
	 * the time below it */
	int64_t direct_self, below;
	/* the part of `below` that has been divided so far, and what came of
	 * it; any of the arcs by others, or NULL */
	int64_t divided_below, divided_self;
	struct graph_arc *some_arc;
	bool is_entered; /* the cycle has its entry */
	uint32_t entry;  /* of a cycle: index */
};

/* What is known of a procedure besides its unit. */
struct graph_vertex {
	bool is_live; /* it has arcs */
	uint64_t called, recursive, unreturned;
	int64_t self, elapsed;
	int64_t outside; /* the time of its calls of other units */
	uint32_t entry;
};

struct graph_work {
	const struct procedures *procedures;
	struct graph_arcs arcs;
	struct graph_vertex *vertices;
	uint32_t *unit_of;
	struct graph_unit *units;
	size_t unit_count;
	struct call_graph *graph;
};

/* Do both ends of the arc belong to one unit? */
static inline bool is_inner(const struct graph_work *work,
			    const struct graph_arc *arc)
{
	return arc->parent != NO_PROCEDURE &&
	       work->unit_of[arc->parent] == work->unit_of[arc->child];
}

/* Find the units, and compute what `vertices`, `units` and the lines of the
 * arcs have. */
void graph_units_compute(struct graph_work *work);

/* graph_lines.c: add the parents and children of all entries, which have their
 * order. */
void graph_lines_add(struct graph_work *work);

#endif
