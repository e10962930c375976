/*
 * histogram.c - implements perftool/histogram.h
 *
 * Invariant: references = underflow + overflow + the counts of all buckets. A
 * value that is missing, or that is not a number (NaN), is not recorded at all.
 */
#include "perftool/histogram.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hdr.h"
#include "perftool/base/alloc.h"

#define MAXIMUM_BUCKETS 65536
#define MAXIMUM_LOG_BUCKETS 64 /* octaves of a 64-bit value */

struct histogram {
	struct histogram_spec spec;
	bool shift;
	bool has_floats;
	uint64_t references, underflow, overflow;
	__int128 sum;      /* of the integers */
	double sum_floats; /* of the floating values */
	uint64_t *buckets; /* for linear and log */
	struct hdr hdr;
	/* The state at the last call of histogram_since_last(). NULL: there was
	 * no call. */
	struct histogram *last;
};

static struct error *check(const struct histogram_spec *spec, bool shift)
{
	uint32_t limit = spec->class == HISTOGRAM_LOG ? MAXIMUM_LOG_BUCKETS
						      : MAXIMUM_BUCKETS;

	if (spec->class == HISTOGRAM_HDR)
		return NULL;
	if (spec->buckets > limit)
		return error_create(
			ERROR_USAGE,
			"%" PRIu32 " buckets are too many: a %s "
			"histogram has at most %" PRIu32,
			spec->buckets,
			spec->class == HISTOGRAM_LOG ? "log" : "linear", limit);
	if (shift && spec->scale > 63)
		return error_create(ERROR_USAGE,
				    "scale %" PRId64 " is too large: a leg's "
				    "time is shifted right by at most 63",
				    spec->scale);
	if (!shift && spec->scale == 0)
		return error_create(ERROR_USAGE,
				    "the scale cannot be 0: a node's value is "
				    "divided by the scale");
	return NULL;
}

static struct histogram_spec complete(const struct histogram_spec *spec,
				      bool shift)
{
	struct histogram_spec full = *spec;

	if (full.class == HISTOGRAM_HDR)
		return (struct histogram_spec){.class = HISTOGRAM_HDR,
					       .is_implied = spec->is_implied};
	if (!full.buckets)
		full.buckets = full.class == HISTOGRAM_LOG ? 48 : 8;
	if (full.scale < 0)
		full.scale = shift ? 0 : 1;
	return full;
}

struct error *histogram_create(const struct histogram_spec *spec, bool shift,
			       struct histogram **out)
{
	struct histogram *histogram;

	TRY(check(spec, shift));
	histogram = xcalloc(1, sizeof(*histogram));
	histogram->spec = complete(spec, shift);
	histogram->shift = shift;
	if (histogram->spec.class != HISTOGRAM_HDR)
		histogram->buckets = xcalloc(histogram->spec.buckets,
					     sizeof(*histogram->buckets));
	*out = histogram;
	return NULL;
}

void histogram_destroy(struct histogram *histogram)
{
	if (!histogram)
		return;
	histogram_destroy(histogram->last);
	hdr_deinit(&histogram->hdr);
	free(histogram->buckets);
	free(histogram);
}

void histogram_zero(struct histogram *histogram)
{
	histogram_destroy(histogram->last);
	histogram->last = NULL;
	hdr_deinit(&histogram->hdr);
	if (histogram->buckets)
		memset(histogram->buckets, 0,
		       histogram->spec.buckets * sizeof(*histogram->buckets));
	histogram->references = histogram->underflow = histogram->overflow = 0;
	histogram->sum = 0;
	histogram->sum_floats = 0;
	histogram->has_floats = false;
}

bool histogram_claim(struct histogram *histogram)
{
	bool was_implied = histogram->spec.is_implied;

	histogram->spec.is_implied = false;
	return was_implied;
}

static int log2_of(unsigned __int128 x)
{
	uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;

	if (high)
		return 127 - __builtin_clzll(high);
	return low ? 63 - __builtin_clzll(low) : 0;
}

static void count_index(struct histogram *histogram, unsigned __int128 index)
{
	if (index >= histogram->spec.buckets)
		histogram->overflow++;
	else
		histogram->buckets[(size_t)index]++;
}

static void bucket_integer(struct histogram *histogram, __int128 value)
{
	const struct histogram_spec *spec = &histogram->spec;
	unsigned __int128 x;

	if (histogram->shift && value < 0)
		/* A time is below 0 only by the error of the compensation. */
		value = 0;
	if (spec->class == HISTOGRAM_HDR) {
		hdr_add_integers(&histogram->hdr, value < 0,
				 (uint64_t)(value < 0 ? -value : value), 1);
		return;
	}
	if (value < spec->base) {
		histogram->underflow++;
		return;
	}
	x = (unsigned __int128)(value - spec->base);
	x = histogram->shift ? x >> spec->scale
			     : x / (unsigned __int128)spec->scale;
	if (spec->class == HISTOGRAM_LOG)
		x = (unsigned __int128)log2_of(x);
	count_index(histogram, x);
}

static void bucket_float(struct histogram *histogram, double value)
{
	const struct histogram_spec *spec = &histogram->spec;
	double x;

	if (histogram->shift && value < 0)
		value = 0;
	if (value < (spec->class == HISTOGRAM_HDR ? -HUGE_VAL
						  : (double)spec->base) ||
	    value == -HUGE_VAL) {
		histogram->underflow++;
		return;
	}
	if (value == HUGE_VAL) {
		histogram->overflow++;
		return;
	}
	if (spec->class == HISTOGRAM_HDR) {
		hdr_add_floats(&histogram->hdr, value, 1);
		return;
	}
	x = value - (double)spec->base;
	x = histogram->shift ? ldexp(x, -(int)spec->scale)
			     : x / (double)spec->scale;
	if (spec->class == HISTOGRAM_LOG)
		x = x < 2 ? 0 : (double)ilogb(x);
	if (x >= spec->buckets)
		histogram->overflow++;
	else
		histogram->buckets[(size_t)x]++;
}

static void add_integer(struct histogram *histogram, __int128 value)
{
	histogram->references++;
	histogram->sum += value;
	bucket_integer(histogram, value);
}

void histogram_add_signed(struct histogram *histogram, int64_t value)
{
	bool negative = value < 0;

	/* The times of all legs take this short way. */
	if (histogram->spec.class == HISTOGRAM_HDR && !negative) {
		histogram->references++;
		histogram->sum += value;
		hdr_add_integers(&histogram->hdr, false, (uint64_t)value, 1);
		return;
	}
	add_integer(histogram, value);
}

void histogram_add_many(struct histogram *histogram, int64_t value,
			uint64_t count)
{
	histogram->references += count;
	hdr_add_integers(&histogram->hdr, false, (uint64_t)value, count);
}

void histogram_add_to_sum(struct histogram *histogram, int64_t sum)
{
	histogram->sum += sum;
}

void histogram_add(struct histogram *histogram, struct value value)
{
	switch (value.kind) {
	case VALUE_NONE:
		return;
	case VALUE_FLOAT:
		if (isnan(value.f))
			return;
		histogram->references++;
		histogram->has_floats = true;
		histogram->sum_floats += value.f;
		bucket_float(histogram, value.f);
		return;
	case VALUE_SIGNED:
		histogram_add_signed(histogram, value.i);
		return;
	case VALUE_UNSIGNED:
		add_integer(histogram, value.u);
		return;
	}
}

/* ---- what was saved ------------------------------------------------------ */

void histogram_add_bucket(struct histogram *histogram, size_t index,
			  const struct bucket *bucket, bool floats)
{
	double from = bucket->from;

	if (histogram->spec.class != HISTOGRAM_HDR) {
		if (index >= histogram->spec.buckets)
			return;
		histogram->buckets[index] += bucket->count;
	} else if (floats || from != floor(from) || fabs(from) >= 0x1p63) {
		/* The lower bound is in the bucket. */
		hdr_add_floats(&histogram->hdr, from, bucket->count);
	} else {
		hdr_add_integers(&histogram->hdr, from < 0,
				 (uint64_t)fabs(from), bucket->count);
	}
	histogram->references += bucket->count;
}

void histogram_add_outside(struct histogram *histogram, uint64_t underflow,
			   uint64_t overflow)
{
	histogram->underflow += underflow;
	histogram->overflow += overflow;
	histogram->references += underflow + overflow;
}

void histogram_add_sums(struct histogram *histogram, __int128 sum,
			bool has_floats, double sum_floats)
{
	histogram->sum += sum;
	histogram->sum_floats += sum_floats;
	histogram->has_floats |= has_floats;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	hdr_merge(&into->hdr, &from->hdr);
	into->references += from->references;
	into->underflow += from->underflow;
	into->overflow += from->overflow;
	into->sum += from->sum;
	into->sum_floats += from->sum_floats;
	into->has_floats |= from->has_floats;
}

/* ---- since the last time ------------------------------------------------- */

/* Returns a copy that does not remember the last call of
 * histogram_since_last(). */
static struct histogram *copy(const struct histogram *histogram)
{
	struct histogram *made = xcalloc(1, sizeof(*made));
	size_t size = histogram->spec.buckets * sizeof(*made->buckets);

	*made = *histogram;
	made->last = NULL;
	made->hdr = (struct hdr){0};
	hdr_merge(&made->hdr, &histogram->hdr);
	if (histogram->buckets) {
		made->buckets = xmalloc(size);
		memcpy(made->buckets, histogram->buckets, size);
	}
	return made;
}

struct histogram *histogram_copy(const struct histogram *histogram)
{
	struct histogram *made = copy(histogram);

	if (histogram->last)
		made->last = copy(histogram->last);
	return made;
}

/* `last` is an earlier state of `from`, so no count of it is larger. */
static void subtract(struct histogram *from, const struct histogram *last)
{
	from->references -= last->references;
	from->underflow -= last->underflow;
	from->overflow -= last->overflow;
	from->sum -= last->sum;
	from->sum_floats -= last->sum_floats;
	for (size_t i = 0; from->buckets && i < from->spec.buckets; i++)
		from->buckets[i] -= last->buckets[i];
	hdr_subtract(&from->hdr, &last->hdr);
}

struct histogram *histogram_since_last(struct histogram *histogram)
{
	struct histogram *since = copy(histogram), *now = copy(histogram);

	if (histogram->last)
		subtract(since, histogram->last);
	histogram_destroy(histogram->last);
	histogram->last = now;
	return since;
}

const struct histogram_spec *histogram_spec(const struct histogram *histogram)
{
	return &histogram->spec;
}

uint64_t histogram_references(const struct histogram *histogram)
{
	return histogram->references;
}

__int128 histogram_sum(const struct histogram *histogram)
{
	return histogram->sum;
}

double histogram_sum_float(const struct histogram *histogram)
{
	return (double)histogram->sum + histogram->sum_floats;
}

bool histogram_has_floats(const struct histogram *histogram)
{
	return histogram->has_floats;
}

uint64_t histogram_underflow(const struct histogram *histogram)
{
	return histogram->underflow;
}

uint64_t histogram_overflow(const struct histogram *histogram)
{
	return histogram->overflow;
}

/* Returns the value that becomes `x` when base and scale are applied. */
static double unadjusted(const struct histogram *histogram, double x)
{
	const struct histogram_spec *spec = &histogram->spec;

	return (double)spec->base + (histogram->shift
					     ? ldexp(x, (int)spec->scale)
					     : x * (double)spec->scale);
}

static void linear_bucket(const struct histogram *histogram, size_t index,
			  struct bucket *bucket)
{
	const struct histogram_spec *spec = &histogram->spec;
	__int128 width = histogram->shift ? (__int128)1 << spec->scale
					  : (__int128)spec->scale;

	bucket->label = spec->base + (__int128)index * width;
	bucket->from = unadjusted(histogram, (double)index);
	bucket->to = unadjusted(histogram, (double)(index + 1));
}

static void log_bucket(const struct histogram *histogram, size_t index,
		       struct bucket *bucket)
{
	bucket->label = (__int128)1 << index;
	bucket->from = unadjusted(histogram, index ? ldexp(1, (int)index) : 0);
	bucket->to = unadjusted(histogram, ldexp(1, (int)index + 1));
}

bool histogram_next(const struct histogram *histogram, size_t *cursor,
		    struct bucket *bucket)
{
	if (histogram->spec.class == HISTOGRAM_HDR) {
		if (!hdr_next(&histogram->hdr, !histogram->has_floats, cursor,
			      &bucket->from, &bucket->to, &bucket->count))
			return false;
		/* A double that is larger than this does not fit into a 128-bit
		 * integer. */
		bucket->label = fabs(bucket->from) < 0x1p126
					? (__int128)floor(bucket->from)
					: 0;
		return true;
	}
	if (*cursor >= histogram->spec.buckets)
		return false;
	if (histogram->spec.class == HISTOGRAM_LINEAR)
		linear_bucket(histogram, *cursor, bucket);
	else
		log_bucket(histogram, *cursor, bucket);
	bucket->count = histogram->buckets[(*cursor)++];
	return true;
}

/*
 * Returns an estimate of the value of rank `rank` (from 1) in the bucket. The
 * function assumes that the values are spread evenly in the bucket. For class
 * hdr it returns the middle of the bucket. If the bucket has room for one
 * integer only, and there are only integers, the result is this integer.
 */
static double within(const struct histogram *histogram,
		     const struct bucket *bucket, uint64_t rank)
{
	double width = bucket->to - bucket->from;

	if (!histogram->has_floats && width <= 1)
		return bucket->from;
	if (histogram->spec.class == HISTOGRAM_HDR)
		return bucket->from + width / 2;
	return bucket->from +
	       width * ((double)rank - 0.5) / (double)bucket->count;
}

bool histogram_quantile(const struct histogram *histogram, double q,
			double *result)
{
	uint64_t rank, before = histogram->underflow;
	struct bucket bucket = {0};
	size_t cursor = 0;

	if (!histogram->references)
		return false;
	q = q < 0 ? 0 : q > 1 ? 1 : q;
	rank = (uint64_t)ceil(q * (double)histogram->references);
	if (rank < 1)
		rank = 1;
	if (rank > histogram->references)
		rank = histogram->references;
	if (rank <= before) {
		*result = histogram->spec.class == HISTOGRAM_HDR
				  ? -HUGE_VAL
				  : (double)histogram->spec.base;
		return true;
	}
	while (histogram_next(histogram, &cursor, &bucket)) {
		if (rank <= before + bucket.count) {
			*result = within(histogram, &bucket, rank - before);
			return true;
		}
		before += bucket.count;
	}
	*result = histogram->spec.class == HISTOGRAM_HDR ? HUGE_VAL : bucket.to;
	return true;
}

bool histogram_quantile_within(const struct histogram *histogram, int64_t min,
			       int64_t max, double q, double *result)
{
	double value;

	if (!histogram_quantile(histogram, q, &value))
		return false;
	if (value < (double)min)
		value = (double)min;
	if (value > (double)max)
		value = (double)max;
	*result = value;
	return true;
}
