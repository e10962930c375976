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
	/* the least value of the row, before base and scale were applied; the
	 * column From shows it */
	double from;
	bool timed; /* `from` is set; Underflow and Overflow have none */
	uint64_t count;

	/* How much of the axis of values the row covers: octaves if the axis is
	 * logarithmic, otherwise 1. It is 0 for rows that have no place on the
	 * axis, such as Underflow. */
	double width;
	double density; /* count / width, which the bar shows */

	/* The row is a gap: it stands for several rows that are empty. */
	bool is_gap;
	uint64_t empty; /* number of the empty rows; 0: not countable */
};

VEC_STRUCT(histogram_row_list, struct histogram_row);

/* Make the rows of the histogram. The list is empty if nothing was counted in
 * an hdr histogram. The caller frees the list with histogram_rows_deinit(). */
void histogram_rows(const struct histogram *histogram,
		    struct histogram_row_list *out);
void histogram_rows_deinit(struct histogram_row_list *rows);

#endif
