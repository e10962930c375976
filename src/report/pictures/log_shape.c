/*
 * log_shape.c - see log_shape.h
 *
 * A bucket of the histogram is narrower than a bar, or wider (a single small
 * number of nanoseconds). In both cases its values are spread evenly over the
 * part of the axis that it covers.
 */
#include "log_shape.h"

#include <math.h>

/* The axis covers at least this factor, so that a single bucket does not look
 * like a wide distribution. */
#define LEAST_FACTOR 8
/* The room at both ends, as a part of the axis. */
#define MARGIN 0.015

/* The part of the axis that a bucket covers, as logarithms. */
struct extent {
	double from, to;
};

static struct extent extent_of(const struct bucket *bucket)
{
	double from = bucket->from < 1 ? LOG_AXIS_ZERO : bucket->from;
	double to = bucket->to < 1 ? 1 : bucket->to;

	return (struct extent){log(from), log(fmin(to, 1e300))};
}

/* Finds the range of the axis. */
static bool find_range(const struct histogram *histogram, struct extent *out)
{
	struct bucket bucket;
	size_t cursor = 0;
	bool found = false;
	double missing;

	while (histogram_next(histogram, &cursor, &bucket)) {
		struct extent extent = extent_of(&bucket);

		if (!bucket.count)
			continue;
		if (!found)
			*out = extent;
		out->from = fmin(out->from, extent.from);
		out->to = fmax(out->to, extent.to);
		found = true;
	}
	if (!found)
		return false;
	missing = log(LEAST_FACTOR) - (out->to - out->from);
	if (missing > 0) {
		out->from = fmax(out->from - missing / 2, log(LOG_AXIS_ZERO));
		out->to = fmax(out->to, out->from + log(LEAST_FACTOR));
	}
	/* a little room beside the first and the last bar */
	missing = MARGIN * (out->to - out->from);
	out->from = fmax(out->from - missing, log(LOG_AXIS_ZERO));
	out->to += missing;
	return true;
}

/* Adds a part of all values to the bars that the extent covers. */
static void spread(struct log_shape *shape, const struct extent *range,
		   struct extent extent, double part)
{
	double width = (range->to - range->from) / (double)shape->bars;
	double from = (extent.from - range->from) / width;
	double to = (extent.to - range->from) / width;
	size_t bar = from > 0 ? (size_t)from : 0;

	for (; bar < shape->bars && (double)bar < to; bar++) {
		double covered =
			fmin(to, (double)bar + 1) - fmax(from, (double)bar);

		if (covered > 0)
			shape->parts[bar] += part * covered / (to - from);
	}
}

bool log_shape_make(const struct histogram *histogram, size_t bars,
		    struct log_shape *out)
{
	double all = (double)histogram_references(histogram);
	struct extent range;
	struct bucket bucket;
	size_t cursor = 0;

	*out = (struct log_shape){.bars = bars};
	if (!find_range(histogram, &range))
		return false;
	while (histogram_next(histogram, &cursor, &bucket))
		if (bucket.count)
			spread(out, &range, extent_of(&bucket),
			       (double)bucket.count / all);
	for (size_t i = 0; i < bars; i++)
		out->largest = fmax(out->largest, out->parts[i]);
	out->axis.least = exp(range.from);
	out->axis.most = exp(range.to);
	out->factor = exp((range.to - range.from) / (double)bars);
	return out->largest > 0;
}
