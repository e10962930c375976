/*
 * comparisons.h - what `perftool compare` and `-r` print (layer report)
 */
#ifndef PERFTOOL_REPORT_COMPARISONS_H
#define PERFTOOL_REPORT_COMPARISONS_H

#include "perftool/compare.h"
#include "perftool/report.h"

/* A condition of --fail-if that holds for a leg of a comparison. */
struct held_condition {
	const struct compare_condition *condition;
	const struct comparison *comparison;
	const char *leg;
	double before, after;
};
VEC_STRUCT(held_condition_list, struct held_condition);

/* Write a comparison. The text fits `options->columns`. Of very many legs it
 * has those with the largest totals. */
struct error *report_comparison_text(const struct comparison *comparison,
				     const struct report_options *options,
				     const struct report_sink *sink,
				     struct str *text);

/* Write all comparisons, and the conditions that hold, as one JSON object; or
 * the comparisons as CSV, with a row for each figure. What the sink has not
 * taken is left in `text`. */
struct error *report_comparisons_json(const struct comparison *comparisons,
				      size_t count,
				      const struct held_condition_list *held,
				      const struct report_sink *sink,
				      struct str *text);
struct error *report_comparisons_csv(const struct comparison *comparisons,
				     size_t count,
				     const struct report_sink *sink,
				     struct str *text);
/* Append a line that says which condition holds for which leg. */
void report_held_condition(const struct held_condition *held, struct str *out);

/* Append a table of how far the figures of runs lie apart. `failed`: runs that
 * were left out. */
void report_spread_text(const struct leg_spread_list *legs, size_t runs,
			size_t failed, const struct report_options *options,
			struct str *out);
/* Append the same as a JSON array, and as CSV. */
void report_spread_json(const struct leg_spread_list *legs, struct str *out);
void report_spread_csv(const struct leg_spread_list *legs, struct str *out);

#endif
