/*
 * histogram.h - the distribution of a node's values or of a leg's times
 *
 * This file is part of the measure layer. The classes, the defaults and the
 * rules are in doc/RULES.md, "Histograms". A value is compared with the base
 * before the base is subtracted. The sum and the average are those of the
 * values as they were before base and scale were applied.
 */
#ifndef PERFTOOL_HISTOGRAM_H
#define PERFTOOL_HISTOGRAM_H

#include "perftool/measure.h"

/*
 * Creates a histogram, which the caller destroys, and stores it in `*out`.
 * `shift`: the scale is a shift (for a leg); otherwise it is a divisor (for a
 * node). Returns an error, which the caller frees, if the parameters make no
 * sense: a divisor of 0, a shift of more than 63, more than 65,536 buckets, or
 * more than 64 buckets of a log histogram. A histogram of class hdr has no
 * parameters, so its creation never fails.
 */
struct error *histogram_create(const struct histogram_spec *spec, bool shift,
			       struct histogram **out);
void histogram_destroy(struct histogram *histogram);
/* Records a value. A value of kind VALUE_NONE, or one that is not a number
 * (NaN), is not recorded. */
void histogram_add(struct histogram *histogram, struct value value);
/* Records an integer, as histogram_add() does with value_signed(value). */
void histogram_add_signed(struct histogram *histogram, int64_t value);
/* Records so many integers of about this value, which is not below 0. The
 * histogram is of class hdr. The caller then adds the exact sum of the integers
 * with histogram_add_to_sum(). */
void histogram_add_many(struct histogram *histogram, int64_t value,
			uint64_t count);
void histogram_add_to_sum(struct histogram *histogram, int64_t sum);
/*
 * For a histogram that was saved and is added to this one, which has the same
 * buckets. histogram_add_bucket() records the values of a bucket, `index` being
 * its place among all buckets of a linear or log histogram. `floats`: they were
 * not all integers. histogram_add_outside() records values that are in no
 * bucket, and histogram_add_sums() adds the sum of all these values.
 */
struct bucket;
void histogram_add_bucket(struct histogram *histogram, size_t index,
			  const struct bucket *bucket, bool floats);
void histogram_add_outside(struct histogram *histogram, uint64_t underflow,
			   uint64_t overflow);
void histogram_add_sums(struct histogram *histogram, __int128 sum,
			bool has_floats, double sum_floats);
void histogram_zero(struct histogram *histogram);
/* Marks the histogram as one that the user asked for. Returns false if the user
 * had asked for it already. */
bool histogram_claim(struct histogram *histogram);

/* Adds all that `from` has recorded to `into`. Both histograms are of class
 * hdr. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/* Returns a copy, which the caller destroys. The copy has recorded the same
 * values, and also remembers what histogram_since_last() saw last. */
struct histogram *histogram_copy(const struct histogram *histogram);

/* Returns a histogram of what was recorded since the last call of this
 * function, or since the histogram was made or zeroed. The caller destroys the
 * result. */
struct histogram *histogram_since_last(struct histogram *histogram);

/* Returns the spec in which the defaults are filled in. */
const struct histogram_spec *histogram_spec(const struct histogram *histogram);
uint64_t histogram_references(const struct histogram *histogram);
/* the sum of the integers only */
__int128 histogram_sum(const struct histogram *histogram);
/* the sum of all values */
double histogram_sum_float(const struct histogram *histogram);
bool histogram_has_floats(const struct histogram *histogram);
uint64_t histogram_underflow(const struct histogram *histogram);
uint64_t histogram_overflow(const struct histogram *histogram);

struct bucket {
	/* bounds [from, to) before base and scale were applied */
	double from, to;
	__int128 label; /* the number in the memo's Value column */
	uint64_t count;
};

/*
 * Iterates over the buckets in order. The caller sets `*cursor` to 0 before the
 * first call, and stops when the function returns false. A linear or log
 * histogram has all its buckets in the iteration; an hdr histogram has only
 * those that are not empty.
 */
bool histogram_next(const struct histogram *histogram, size_t *cursor,
		    struct bucket *bucket);

/*
 * Stores the value below which the part `q` (0 to 1) of all values lies.
 * Returns false if no value was recorded. If the value is in the underflow or
 * in the overflow, the result is the edge of the buckets; for class hdr it is
 * minus or plus infinity.
 */
bool histogram_quantile(const struct histogram *histogram, double q,
			double *result);
/* Does the same as histogram_quantile(), but limits the result to `min` and
 * `max`, which are the smallest and the largest of the values. A bucket may be
 * wider than the range of the values that it counted. */
bool histogram_quantile_within(const struct histogram *histogram, int64_t min,
			       int64_t max, double q, double *result);

#endif
