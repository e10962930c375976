/*
 * log_axis.h - a logarithmic axis of times
 */
#ifndef REPORT_LOG_AXIS_H
#define REPORT_LOG_AXIS_H

#include <stddef.h>

#include "perftool/base/str.h"

/* Times up to this one are drawn at the place of a half, because 0 has no place
 * on a logarithmic axis. */
#define LOG_AXIS_ZERO 0.5

struct log_axis {
	double least, most; /* ns; at least LOG_AXIS_ZERO */
	double left, width; /* in user units */
};

/* The place of a time, within the axis. */
double log_axis_place(const struct log_axis *axis, double ns);

#define LOG_AXIS_MARKS 24

/* Find the times at which the axis has marks: the powers of 10; between them 2
 * and 5 if there is room for so many. Returns their number. */
size_t log_axis_marks(const struct log_axis *axis,
		      double marks[static LOG_AXIS_MARKS]);

/* Append the text of a mark, such as "20 us". */
void log_axis_text(double ns, struct str *out);

#endif
