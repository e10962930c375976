/*
 * spark.h - the times of a leg as one short line
 */
#ifndef PERFTOOL_REPORT_SPARK_H
#define PERFTOOL_REPORT_SPARK_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/histogram.h"

/*
 * How dense the times are from the shortest, at the left, to the longest, on a
 * logarithmic axis of `width` characters; a blank where there are none. The
 * caller frees it. `ascii`: no block characters.
 */
char *spark_cell(const struct histogram *histogram, size_t width, bool ascii);

#endif
