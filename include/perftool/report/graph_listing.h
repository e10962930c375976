/*
 * graph_listing.h - a call graph: what `print graph` prints. As text it has the
 * form of gprof and of SPIN's profiler
 */
#ifndef PERFTOOL_REPORT_GRAPH_LISTING_H
#define PERFTOOL_REPORT_GRAPH_LISTING_H

#include "perftool/profile/call_bounds.h"
#include "perftool/profile/call_graph.h"
#include "perftool/report.h"

struct profile_measurement; /* profile_files.h */

struct graph_report {
	const struct call_graph *graph;
	const struct procedures *procedures;
	uint64_t tick; /* ns: the period of the ticks; 0: there are none */
	/* The entries have their times on a CPU (`cpu`), to be shown beside the
	 * elapsed ones; or all times are those on a CPU (not both). */
	bool has_cpu, by_cpu;
	/* of each procedure, how far its times may be off; NULL: not known */
	const struct call_bound *bounds;
	/* Say before the listing what the columns mean. */
	bool describes;
	/* how it was measured, for JSON; NULL: not known */
	const struct profile_measurement *measurement;
};

/* Append each procedure with its parents and children, then the flat profile,
 * then the index. Of the options, `color` and `columns` are used. */
void report_graph_text(const struct graph_report *report,
		       const struct report_options *options, struct str *out);
/* Append a JSON object with all entries, their parents and their children; or
 * CSV, with a row for each entry, without parents and children. doc/FORMATS.md
 * has the fields. */
void report_graph_json(const struct graph_report *report, struct str *out);
void report_graph_csv(const struct graph_report *report, struct str *out);

#endif
