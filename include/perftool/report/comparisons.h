/*
 * comparisons.h - what `perftool compare` and `-r` print (layer report)
 */
#ifndef PERFTOOL_REPORT_COMPARISONS_H
#define PERFTOOL_REPORT_COMPARISONS_H

#include "perftool/compare.h"
#include "perftool/report.h"

/* Append a comparison. The text fits `options->columns`. */
void report_comparison_text(const struct comparison *comparison,
			    const struct report_options *options,
			    struct str *out);

/* A condition of --fail-if that holds for a leg of a comparison. */
struct held_condition {
	const struct compare_condition *condition;
	const struct comparison *comparison;
	const struct leg_comparison *leg;
};
VEC_STRUCT(held_condition_list, struct held_condition);

/* Append all comparisons, and the conditions that hold, as one JSON object; or
 * the comparisons as CSV, with a row for each figure. */
void report_comparisons_json(const struct comparison *comparisons, size_t count,
			     const struct held_condition_list *held,
			     struct str *out);
void report_comparisons_csv(const struct comparison *comparisons, size_t count,
			    struct str *out);
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
