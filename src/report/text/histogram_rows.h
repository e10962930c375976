/*
 * histogram_rows.h - the rows of a histogram as text: what they hold, how long
 * their bars are, and where nothing was counted
 */
#ifndef PERFTOOL_REPORT_HISTOGRAM_ROWS_H
#define PERFTOOL_REPORT_HISTOGRAM_ROWS_H

#include "perftool/base/vec.h"
#include "perftool/histogram.h"

struct histogram_row {
	char *label;
	double from; /* where it begins, unadjusted; for the From column */
	bool timed;  /* there is such a place */
	uint64_t count;

	/* On the axis of the picture; 0: the row has none, as Underflow. */
	double width;
	double density; /* count by width: the length of the bar */

	/* A gap: the row stands for several that are empty. */
	bool is_gap;
	uint64_t empty; /* how many these are; 0: that has no number */
};

VEC_STRUCT(histogram_row_list, struct histogram_row);

/* The caller releases the list. Empty: nothing was counted. */
void histogram_rows(const struct histogram *histogram,
		    struct histogram_row_list *out);
void histogram_rows_deinit(struct histogram_row_list *rows);

#endif
