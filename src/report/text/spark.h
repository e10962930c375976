/*
 * spark.h - a histogram as a spark line of a few characters
 */
#ifndef PERFTOOL_REPORT_SPARK_H
#define PERFTOOL_REPORT_SPARK_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/histogram.h"

/*
 * Return a spark line of the times in the histogram, which has values. The axis
 * has `width` characters and is logarithmic; the shortest time is at the left
 * and the longest at the right. The higher a character, the more times there
 * are. A blank stands where there are no times. If all times are in one bucket,
 * the line is one character. `ascii`: use no block characters. The caller frees
 * the line.
 */
char *spark_cell(const struct histogram *histogram, size_t width, bool ascii);

#endif
