/*
 * split.h - what a node or a leg counted, by the value of an expression
 *
 * Part of the measure layer. Every execution of the leg (every hit of the
 * node) since it was split, or since the tables were zeroed, is in exactly one
 * row: that of its value, the one of what could not be evaluated, or that of
 * all values that came when there were SPLIT_VALUES already. The expression is
 * evaluated by whoever makes the hits, at the leg's *from* or at its *to*; an
 * execution that was open when the leg was split by its *from* is in no row.
 *
 * The texts of labels are copied when they are first seen; a label that is
 * known costs a look-up and allocates nothing.
 */
#ifndef PERFTOOL_SPLIT_H
#define PERFTOOL_SPLIT_H

#include "perftool/measure.h"

/* Values that have a row of their own; they take memory. */
#define SPLIT_VALUES 4096
#define SPLIT_ROWS 10 /* shown, unless said otherwise */

enum split_sort {
	SORT_AS_SET, /* as it is set; at first by time, of a node by count */
	SORT_TIME,   /* in all; of a node by count */
	SORT_COUNT,
	SORT_MEAN, /* of a node by count */
};

/* Which rows are shown, and in which order: the first ones of that order. */
struct split_view {
	uint32_t rows; /* 0: as it is set; at first SPLIT_ROWS */
	enum split_sort sort;
};

struct split_spec {
	bool at_to;     /* legs: evaluated at *to* */
	uint32_t label; /* which of the hit's labels */
	struct split_view view;
};

enum row_kind {
	ROW_VALUE,
	ROW_OTHER, /* of several values */
	ROW_ERROR, /* the expression could not be evaluated */
};

struct measure_row {
	enum row_kind kind;
	/* Of ROW_VALUE; the text is the split's. */
	struct label label;
	size_t values; /* of ROW_OTHER: those that have rows of their own */
	uint64_t count;

	/* of legs, as in struct measure_leg */
	uint64_t interrupted;
	__int128 total;
	int64_t min, max;
	struct histogram *record; /* NULL: of a node */

	/* For measure_since_last(): the counts when it was called last, and the
	 * times since then of executions that were not interrupted. */
	struct {
		uint64_t count, interrupted;
		__int128 total;
	} last;
	struct measure_range recent;
};

VEC_STRUCT(measure_row_list, struct measure_row);

struct measure_split {
	struct split_spec spec; /* with its defaults filled in */
	uint64_t count;         /* the sum of all rows */
	size_t values;          /* that were told apart and counted */
	uint64_t overflow;      /* counted without a row for their value */
};

/* One that is there already is replaced, and its counts with it. */
struct error *measure_split_leg(struct measure *measure, uint32_t id,
				const struct split_spec *spec);
struct error *measure_split_node(struct measure *measure, uint32_t id,
				 const struct split_spec *spec);

/* ERROR_NOT_FOUND: no such leg or node, or it is not split. */
struct error *measure_unsplit_leg(struct measure *measure, uint32_t id);
struct error *measure_unsplit_node(struct measure *measure, uint32_t id);

/* Show it so from now on; errors as above. */
struct error *measure_view_leg(struct measure *measure, uint32_t id,
			       const struct split_view *view);
struct error *measure_view_node(struct measure *measure, uint32_t id,
				const struct split_view *view);

/*
 * The rows to show: the first values (of equal ones the one that came first),
 * then what is left as ROW_OTHER, then ROW_ERROR. Rows of nothing are left out.
 * Appended; texts are the split's, the rest is for measure_rows_deinit().
 */
void measure_split_rows(const struct measure_split *split,
			const struct split_view *view,
			struct measure_row_list *out);
void measure_rows_deinit(struct measure_row_list *rows);

/* As measure_leg_quantile() and measure_leg_below_resolution(); `spread` of
 * the calibration in ns, 0 without compensation. */
bool measure_row_quantile(const struct measure_row *row, double q,
			  double *result);
bool measure_row_below_resolution(const struct measure_row *row, double spread);

#endif
