/*
 * split.h - what a node or a leg counted, divided by the value of an expression
 *
 * This file is part of the measure layer. Every hit of a node, or execution of
 * a leg, since the split was made or the tables were zeroed is in exactly one
 * row. It is the row of the value, the row for expressions that could not be
 * evaluated, or the row for all values that appeared when there were
 * SPLIT_VALUES rows already. The code that makes the hits evaluates the
 * expression, at the *from* or at the *to* of a leg. If a leg is split by its
 * *from*, an execution that had begun before the split was made or zeroed is in
 * no row.
 *
 * A label's text is copied when the label is first seen. A label that is known
 * costs one look-up and allocates nothing.
 */
#ifndef PERFTOOL_SPLIT_H
#define PERFTOOL_SPLIT_H

#include "perftool/measure.h"

/* The largest number of values that have a row of their own. Each row needs
 * memory. */
#define SPLIT_VALUES 4096
#define SPLIT_ROWS 10 /* number of rows shown by default */

enum split_sort {
	/* The order that was set for this split. The default order for a leg is
	 * by time, for a node by count. */
	SORT_AS_SET,
	/* By total time. A node has no times, so its order is by count. */
	SORT_TIME,
	SORT_COUNT,
	/* By mean time. A node has no times, so its order is by count. */
	SORT_MEAN,
};

/* Which rows are shown, and in which order. The rows that are shown are the
 * first ones of the order. */
struct split_view {
	/* 0: the number that was set for this split; the default is
	 * SPLIT_ROWS */
	uint32_t rows;
	enum split_sort sort;
};

struct split_spec {
	/* For a leg: the expression is evaluated at *to*, not at *from*. */
	bool at_to;
	uint32_t label; /* the index among the labels of the hit */
	struct split_view view;
};

enum row_kind {
	ROW_VALUE,
	ROW_OTHER, /* a row for several values */
	ROW_ERROR, /* the expression could not be evaluated */
};

struct measure_row {
	enum row_kind kind;
	/* For ROW_VALUE only. The text belongs to the split. */
	struct label label;
	/* For ROW_OTHER: how many of the values that it stands for have a row
	 * of their own in the split, which is not shown. */
	size_t values;
	uint64_t count;

	/* For legs only; the meaning is that of struct measure_leg. */
	uint64_t interrupted;
	__int128 total;
	int64_t min, max;
	struct histogram *record; /* NULL: of a node, or count is 0 */

	/* For measure_since_last(): `last` has the counts as they were at its
	 * last call. `recent` has the range of the times since then, without
	 * those of interrupted executions. */
	struct {
		uint64_t count, interrupted;
		__int128 total;
	} last;
	struct measure_range recent;
};

VEC_STRUCT(measure_row_list, struct measure_row);

struct measure_split {
	struct split_spec spec; /* with the defaults filled in */
	uint64_t count;         /* the sum over all rows */
	/* number of values that were counted in a row of their own */
	size_t values;
	/* number of counts for values without a row of their own */
	uint64_t overflow;
};

/* Split a leg or a node. If it is split already, the new split replaces the old
 * one, and the counts of the old one are lost. Return an error ERROR_NOT_FOUND,
 * which the caller frees, if there is no such leg or node. */
struct error *measure_split_leg(struct measure *measure, uint32_t id,
				const struct split_spec *spec);
struct error *measure_split_node(struct measure *measure, uint32_t id,
				 const struct split_spec *spec);

/* Undo a split. Return an error ERROR_NOT_FOUND, which the caller frees, if
 * there is no such leg or node, or if it is not split. */
struct error *measure_unsplit_leg(struct measure *measure, uint32_t id);
struct error *measure_unsplit_node(struct measure *measure, uint32_t id);

/* Set how the split is shown from now on. The errors are those of
 * measure_unsplit_leg(). */
struct error *measure_view_leg(struct measure *measure, uint32_t id,
			       const struct split_view *view);
struct error *measure_view_node(struct measure *measure, uint32_t id,
				const struct split_view *view);

/*
 * A split of its own, in which no hit is counted: the sum of splits. `timed`:
 * it is that of a leg. measure_split_add() adds what `row` has counted to the
 * row of the same kind and value; the row has a record if the split is timed,
 * and nothing of it is kept. The caller destroys the split (NULL is allowed).
 */
struct measure_split *measure_split_create(const struct split_spec *spec,
					   bool timed);
void measure_split_destroy(struct measure_split *split);
void measure_split_add(struct measure_split *split,
		       const struct measure_row *row);

/*
 * Appends the rows that are to be shown to `*out`: first the rows of the
 * values, then ROW_OTHER with the rest of the values, then ROW_ERROR. If two
 * rows are equal in the order, the one that appeared first comes first. Rows
 * without a count are left out. The texts belong to the split. The caller frees
 * the rest by measure_rows_deinit().
 */
void measure_split_rows(const struct measure_split *split,
			const struct split_view *view,
			struct measure_row_list *out);
void measure_rows_deinit(struct measure_row_list *rows);

/* These functions are for a row what measure_leg_quantile() and
 * measure_leg_below_resolution() are for a leg. `spread` is how far the mean
 * may be off, in ns: see measure_leg_resolution(). It is 0 without
 * compensation. */
bool measure_row_quantile(const struct measure_row *row, double q,
			  double *result);
bool measure_row_below_resolution(const struct measure_row *row, double spread);

#endif
