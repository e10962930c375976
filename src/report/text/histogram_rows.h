/*
 * histogram_rows.h - the rows that the text of a histogram has: their values
 * and counts, the lengths of their bars, and the gaps in which nothing was
 * counted
 */
#ifndef PERFTOOL_REPORT_HISTOGRAM_ROWS_H
#define PERFTOOL_REPORT_HISTOGRAM_ROWS_H

#include "perftool/base/vec.h"
#include "perftool/histogram.h"

struct histogram_row {
	char *label;
	/* the least value of the row, unadjusted, for the column From */
	double from;
	bool timed; /* `from` is set; Underflow and Overflow have none */
	uint64_t count;

	/* The width of the row on the axis of the picture; 0: the row has no
	 * width, such as Underflow. */
	double width;
	double density; /* count divided by width; the bar is as long */

	/* The row is a gap: it stands for several rows that are empty. */
	bool is_gap;
	uint64_t empty; /* the number of these rows; 0: there is no number */
};

VEC_STRUCT(histogram_row_list, struct histogram_row);

/* Make the rows of the histogram. The list is empty if nothing was counted in
 * an hdr histogram. The caller frees the list with histogram_rows_deinit(). */
void histogram_rows(const struct histogram *histogram,
		    struct histogram_row_list *out);
void histogram_rows_deinit(struct histogram_row_list *rows);

#endif
