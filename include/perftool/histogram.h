/*
 * histogram.h - the distribution of a node's value or of a leg's time
 *
 * Part of the measure layer. Classes, defaults and rules: spec of measurement,
 * "Histograms". A value is compared with the base before it is subtracted;
 * sum and average are of the unadjusted values.
 */
#ifndef PERFTOOL_HISTOGRAM_H
#define PERFTOOL_HISTOGRAM_H

#include "perftool/measure.h"

/*
 * `shift`: the scale is a shift (legs), else a divisor (nodes). Fails when
 * the parameters make no sense: a divisor of 0, a shift over 63, no buckets or
 * more than 65,536.
 */
struct error *histogram_create(const struct histogram_spec *spec, bool shift,
			       struct histogram **out);
void histogram_destroy(struct histogram *histogram);
void histogram_add(struct histogram *histogram, struct value value);
/* As of value_signed(). */
void histogram_add_signed(struct histogram *histogram, int64_t value);
void histogram_zero(struct histogram *histogram);
/* It becomes one that the user asked for. False: it was one already. */
bool histogram_claim(struct histogram *histogram);

/* All that `from` has recorded, too. Both are of class hdr. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/* Another one that has recorded the same, and the same since the last time. */
struct histogram *histogram_copy(const struct histogram *histogram);

/* What it has recorded since this was called last, or since it was made or
 * zeroed. The caller destroys the result. */
struct histogram *histogram_since_last(struct histogram *histogram);

/* The spec with its defaults filled in. */
const struct histogram_spec *histogram_spec(const struct histogram *histogram);
uint64_t histogram_references(const struct histogram *histogram);
__int128 histogram_sum(const struct histogram *histogram);     /* of integers */
double histogram_sum_float(const struct histogram *histogram); /* of all */
bool histogram_has_floats(const struct histogram *histogram);
uint64_t histogram_underflow(const struct histogram *histogram);
uint64_t histogram_overflow(const struct histogram *histogram);

struct bucket {
	double from, to; /* values in [from, to), unadjusted */
	__int128 label;  /* what the memo prints in the Value column */
	uint64_t count;
};

/*
 * The buckets in order, from *cursor = 0 until false: every bucket of a
 * linear or log histogram, the non-empty ones of an hdr histogram.
 */
bool histogram_next(const struct histogram *histogram, size_t *cursor,
		    struct bucket *bucket);

/* The value below which the part `q` (0 .. 1) of all values lie. */
bool histogram_quantile(const struct histogram *histogram, double q,
			double *result);
/* The same, but no less than `min` and no more than `max`, the least and the
 * greatest of the values: a bucket may be wider than what was seen in it. */
bool histogram_quantile_within(const struct histogram *histogram, int64_t min,
			       int64_t max, double q, double *result);

#endif
