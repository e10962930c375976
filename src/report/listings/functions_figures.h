/*
 * functions_figures.h - figures that the text and the records of calls by
 * function have in common
 */
#ifndef REPORT_FUNCTIONS_FIGURES_H
#define REPORT_FUNCTIONS_FIGURES_H

#include "perftool/report/functions_table.h"

/* The name of the row, and of the record, of arcs beyond the limit. */
#define OTHER_FUNCTIONS "<other>"

/* The time of all calls. */
static inline int64_t functions_whole(const struct functions_report *report,
				      bool on_cpu)
{
	return on_cpu ? report->list->whole_on_cpu : report->list->whole;
}

/* How far the times of some of the calls of a function may be off. */
static inline struct call_bound
functions_bound(const struct functions_report *report,
		const struct function_times *function,
		const struct call_times *part)
{
	if (!report->bounds || !function->times.count)
		return (struct call_bound){0};
	return call_bound_share(&report->bounds[function->procedure],
				(double)part->count /
					(double)function->times.count);
}

/* How many functions of the list are shown, and how many are left out. If any
 * is, so are the arcs beyond the limit. */
static inline size_t functions_shown(const struct functions_report *report)
{
	const size_t count = report->list->functions.count;

	return report->top && report->top < count ? report->top : count;
}

static inline size_t functions_left_out(const struct functions_report *report)
{
	return report->list->functions.count - functions_shown(report);
}

#endif
