/*
 * functions_table.h - calls and times by function, as text, JSON and CSV: what
 * `print functions` prints, and `save functions` saves
 */
#ifndef PERFTOOL_REPORT_FUNCTIONS_TABLE_H
#define PERFTOOL_REPORT_FUNCTIONS_TABLE_H

#include "perftool/profile/call_bounds.h"
#include "perftool/profile/call_stacks.h"
#include "perftool/profile/function_times.h"
#include "perftool/report.h"

struct functions_report {
	const struct function_times_list *list;
	const struct procedures *procedures;
	/* `thread` of the arcs is an index into these; of each thread `pid`,
	 * `tid` and `name` are used; `tid` is 0 of those that have ended and
	 * are added up, and `added_up` their number */
	const struct sampled_thread *threads;
	uint64_t added_up;
	/* of each procedure, how far its times may be off; NULL: not known */
	const struct call_bound *bounds;
	/* the procedures (plus 1) of which an entry or an exit is an int3;
	 * NULL: none */
	const struct map *by_int3;
	/* why the tool does not know when threads waited; NULL: it knows */
	const char *cpu_problem;
	/* The order of the list, and percentages, are by the times on a CPU,
	 * which are known. */
	bool by_cpu;
	/* only the first ones of the list are shown; 0: all */
	size_t top;
	/* Jumps read the clock without waiting for earlier instructions. */
	bool is_unordered;
};

/*
 * Append how long all calls took, and a row for each function: its calls, the
 * time in the function itself, that with its children, what part of the time of
 * all calls the latter is, and how long of it the function was on a CPU.
 * Of the options, these are used:
 *
 *	verbose          also how long the function waited, and a row for each
 *	                 thread
 *	memo             times in the memo's form
 *	color, columns   and what they need
 */
void report_functions_text(const struct functions_report *report,
			   const struct report_options *options,
			   struct str *out);

/* Append one JSON object with the functions and their threads, or a row of CSV
 * for each function. doc/FORMATS.md has the fields. */
void report_functions_json(const struct functions_report *report,
			   struct str *out);
void report_functions_csv(const struct functions_report *report,
			  struct str *out);

#endif
