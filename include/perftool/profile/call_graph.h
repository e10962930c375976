/*
 * call_graph.h - each procedure with its callers and its callees, as in the
 * listing of gprof and of SPIN's profiler: what `print graph` shows
 *
 * The sources are calls, whose times were measured from entry to end, and
 * ticks. A procedure whose calls were counted has measured times. The ticks in
 * it, and in whatever it called, are not added to these. Ticks whose stacks
 * have no such procedure are the only source for the procedures in them. If no
 * calls were counted, that is so for all ticks.
 *
 * Procedures that call each other in a circle are a cycle: a strongly connected
 * component of the graph that has more than one member. The time of a cycle is
 * that of the calls into it from outside, and so is the number of its calls.
 *
 * doc/RULES.md, "Profiles", has the rules.
 */
#ifndef PERFTOOL_PROFILE_CALL_GRAPH_H
#define PERFTOOL_PROFILE_CALL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/vec.h"
#include "perftool/profile/call_arcs.h"
#include "perftool/profile/call_stacks.h"

struct call_graph_source {
	/* the table that the numbers of stacks and arcs belong to */
	const struct procedures *procedures;
	const struct call_stacks *stacks; /* NULL: there are no ticks */
	const struct call_arcs *arcs;     /* NULL: no calls were counted */
	uint64_t tick; /* ns that a tick stands for: the period */
};

enum graph_entry_kind {
	GRAPH_PROCEDURE,
	GRAPH_CYCLE,   /* all members of a cycle together */
	GRAPH_OTHER,   /* the arcs beyond the limit, of whatever procedures */
	GRAPH_UNKNOWN, /* ticks whose stacks have no frame */
};

enum graph_line_kind {
	/* The other entry has called this one, or was called by it. */
	GRAPH_CALL,
	/* The same, but between members of one cycle, or of a procedure with
	 * itself. The line has no times, because they are in those of the calls
	 * from outside. */
	GRAPH_INNER_CALL,
	GRAPH_MEMBER, /* of the cycle; its figures are those of its own entry */
	/* Parents: */
	GRAPH_SPONTANEOUS, /* it is not known who called */
	GRAPH_OPEN,        /* calls that have not ended, and are in no arc */
	/* A parent or a child: */
	GRAPH_BEYOND, /* calls by or of others whose arcs are beyond the limit
		       */
};

/* A parent or a child of an entry. */
struct graph_line {
	enum graph_line_kind kind;
	uint32_t entry; /* index in `entries`; of GRAPH_CALL, GRAPH_INNER_CALL,
			   GRAPH_MEMBER */
	uint64_t count; /* calls */
	/* ns. Of a parent: the part of the entry's own time, and of that of its
	 * descendants, that belongs to calls by the parent. Of a child: the
	 * same for the entry's calls of the child. */
	int64_t self, descendants;
};

struct graph_entry {
	enum graph_entry_kind kind;
	uint32_t procedure; /* of GRAPH_PROCEDURE */
	uint32_t cycle;     /* of a cycle and of its members; 0: in none */
	/* False: the entry is known from ticks, or from call sites, only, and
	 * has no counts. */
	bool is_counted;
	uint64_t called; /* by others; of a cycle: from outside */
	/* by itself; of a cycle: by members that called other ones */
	uint64_t recursive;
	/* of all calls, by whomever: how many have ended without a return */
	uint64_t unreturned;
	/* ns. Together they are the time of the entry, in which recursion
	 * counts once. The descendants of a member of a cycle are outside the
	 * cycle. */
	int64_t self, descendants;
	/* ns; of all calls, those by itself and by members of its cycle
	 * included; 0 if it is not counted */
	int64_t elapsed;
	/* ns; the part of its time, descendants included, on a CPU; as
	 * call_graph_note_cpu() has found, else 0 */
	int64_t cpu;
	/* which of `lines` are its parents, and after these its children; a
	 * cycle's children are its members */
	size_t first_line, parents, children;
};

/* All zero is empty. */
struct call_graph {
	/* The entry with most time is first: [1] of the listing is element 0.
	 * A cycle is before its members. */
	VEC(struct graph_entry) entries;
	VEC(struct graph_line) lines;
	/* ns; the sum of all entries' own times; and of those that are above 0,
	 * of which percentages are */
	int64_t total, whole;
	bool is_counted;     /* any entry is */
	uint64_t calls;      /* the sum of all counts */
	size_t beyond_limit; /* additions to arcs beyond the limit */
	/* ticks; those of them that are in counted procedures or below; and
	 * those of the latter whose innermost procedure is not counted */
	uint64_t ticks, ticks_below, ticks_uncounted;
};

void call_graph_deinit(struct call_graph *graph);

/* Make the graph. `graph` is empty before. */
void call_graph_make(const struct call_graph_source *source,
		     struct call_graph *graph);

/* Note in the entries of a graph how much of their time was on a CPU. `on_cpu`
 * is the graph of the same source, whose arcs have the times on a CPU. */
void call_graph_note_cpu(struct call_graph *graph,
			 const struct call_graph *on_cpu);

static inline int64_t graph_entry_time(const struct graph_entry *entry)
{
	return entry->self + entry->descendants;
}

#endif
