/*
 * top_table.h - the table of `top`: functions by their own time
 */
#ifndef PERFTOOL_REPORT_TOP_TABLE_H
#define PERFTOOL_REPORT_TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/str.h"
#include "perftool/profile/procedures.h"
#include "perftool/report.h"

struct top_row {
	uint32_t procedure;
	/* percentages of the ticks: that found the thread in the function
	 * itself, and that had it anywhere in the stack */
	double own, total;
	double calls;         /* a second; below 0: they were not counted */
	bool calls_are_least; /* there are more, and nobody knows how many */
	/* the command that would time the function; NULL: none can */
	const char *command;
	/* the function is inlined, and the command counts it instead */
	bool only_counts;
};

struct top_report {
	const struct procedures *procedures; /* the numbers in `rows` */
	const struct top_row *rows;          /* most own time first */
	size_t row_count;
	size_t functions; /* how many functions had own time */
	uint64_t ticks;
	double seconds; /* of measured time, in which the ticks were taken */
	/* Time on CPUs a second of measured time. Ticks that fell due and were
	 * not taken count, so it is not `ticks' by time. */
	double cpus;
	/* The part of the stacks that has no outer end, percent. */
	double broken;
	const char *remark; /* NULL, or a line about how ticks were taken */
	/* NULL, or lines about calls that were not counted */
	const char *calls_remark;
	/* More than this many seconds of the measurement are to come; the table
	 * is an interim one. 0: it is the last one. */
	double to_come;
};

/* Append the table. Of the options, `color`, `columns` and `lines` are used: if
 * the screen has too few lines, it shows fewer functions, and a command at
 * least. */
void report_top_text(const struct top_report *report,
		     const struct report_options *options, struct str *out);
/* Append the same as a JSON object, or the rows as CSV. doc/FORMATS.md has the
 * fields. */
void report_top_json(const struct top_report *report, struct str *out);
void report_top_csv(const struct top_report *report, struct str *out);

#endif
