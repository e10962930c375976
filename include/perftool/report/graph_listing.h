/*
 * graph_listing.h - a call graph as text, in the form of gprof and of SPIN's
 * profiler: what `print graph` prints
 */
#ifndef PERFTOOL_REPORT_GRAPH_LISTING_H
#define PERFTOOL_REPORT_GRAPH_LISTING_H

#include "perftool/profile/call_graph.h"
#include "perftool/report.h"

struct graph_report {
	const struct call_graph *graph;
	const struct procedures *procedures;
	uint64_t tick; /* ns: the period of the ticks; 0: there are none */
	/* Say before the listing what the columns mean. */
	bool describes;
};

/* Append each procedure with its parents and children, then the flat profile,
 * then the index. Of the options, `color` and `columns` are used. */
void report_graph_text(const struct graph_report *report,
		       const struct report_options *options, struct str *out);

#endif
