/*
 * log_shape.h - a histogram as bars that all cover the same factor of a
 * logarithmic axis
 */
#ifndef REPORT_LOG_SHAPE_H
#define REPORT_LOG_SHAPE_H

#include "log_axis.h"
#include "perftool/histogram.h"

#define LOG_SHAPE_BARS 96

struct log_shape {
	struct log_axis axis;
	size_t bars;                  /* at most LOG_SHAPE_BARS */
	double parts[LOG_SHAPE_BARS]; /* of all values, 0 to 1, in each bar */
	double largest;               /* the largest of them */
	double factor;                /* that a bar covers */
};

/* Divides the values of a histogram of class hdr among so many bars. Values
 * below 1 ns are at the place of 0. Returns false if there are no values. */
bool log_shape_make(const struct histogram *histogram, size_t bars,
		    struct log_shape *out);

#endif
