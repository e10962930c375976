/*
 * runs.c - compares the values that runs of a program have given
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "perftool/base/alloc.h"

/* With fewer runs on one side, none are drawn. */
#define DRAWN_MIN 4

/* The values of one side, and what is made of them. */
struct side {
	const double *values;
	size_t count;
	size_t cut; /* how many are left out at either end */
	double *drawn;
};

/* The median of the values, which it sorts: the mean of those that are left if
 * `cut` are left out at either end. Most often there are few values, for which
 * an insertion sort is the fastest. */
static double median_of(double *values, size_t count, size_t cut)
{
	double sum = 0;

	if (count > 64)
		qsort(values, count, sizeof(*values), compare_doubles);
	for (size_t i = 1; count <= 64 && i < count; i++) {
		double value = values[i];
		size_t at = i;

		for (; at && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
	for (size_t i = cut; i < count - cut; i++)
		sum += values[i] - values[cut];
	return values[cut] + sum / (double)(count - 2 * cut);
}

static size_t cut_of(size_t count)
{
	return count ? (count - 1) / 2 : 0;
}

double compare_median(const double *values, size_t count)
{
	double *copy, median;

	if (!count)
		return NAN;
	copy = xmalloc(count * sizeof(*copy));
	memcpy(copy, values, count * sizeof(*copy));
	median = median_of(copy, count, cut_of(count));
	free(copy);
	return median;
}

static double draw(struct side *side, struct random *random)
{
	for (size_t i = 0; i < side->count; i++)
		side->drawn[i] =
			side->values[random_below(random, side->count)];
	return median_of(side->drawn, side->count, side->cut);
}

/* The square of the standard error of the mean. */
static double error_of(const struct side *side)
{
	double mean = 0, sum = 0;

	/* the difference from the first value is exact if all are equal */
	for (size_t i = 0; i < side->count; i++)
		mean += (side->values[i] - side->values[0]) /
			(double)side->count;
	mean += side->values[0];
	for (size_t i = 0; i < side->count; i++)
		sum += (side->values[i] - mean) * (side->values[i] - mean);
	return sum / (double)(side->count - 1) / (double)side->count;
}

/* The degrees of freedom by Welch and Satterthwaite, of two errors. */
static double freedom(double a, size_t a_count, double b, size_t b_count)
{
	double parts =
		a * a / (double)(a_count - 1) + b * b / (double)(b_count - 1);

	return parts > 0 ? (a + b) * (a + b) / parts
			 : (double)(a_count + b_count - 2);
}

static void student_interval(const struct side *before,
			     const struct side *after, struct estimate *out)
{
	double a = error_of(before), b = error_of(after);
	double t = student_quantile(0.975,
				    freedom(a, before->count, b, after->count));

	estimate_take_half(out, t * sqrt(a + b));
}

static void drawn_interval(struct side *before, struct side *after,
			   struct random *random, struct estimate *out)
{
	size_t count = random->resamples;
	double *befores = xmalloc(count * sizeof(*befores));
	double *afters = xmalloc(count * sizeof(*afters));

	before->drawn = xmalloc(before->count * sizeof(double));
	after->drawn = xmalloc(after->count * sizeof(double));
	for (size_t i = 0; i < count; i++) {
		afters[i] = draw(after, random);
		befores[i] = draw(before, random);
	}
	estimate_take_drawn(out, befores, afters, count);
	free(before->drawn);
	free(after->drawn);
	free(befores);
	free(afters);
}

static bool all_equal(const double *values, size_t count, double value)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] != value)
			return false;
	return true;
}

/* How many more runs on each side would show the difference? An interval is
 * narrower by the square root of the number of runs. */
static size_t more_runs(const struct estimate *estimate, size_t runs)
{
	double difference = fabs(estimate_difference(estimate));
	double half = (estimate->high - estimate->low) / 2;
	double needed;

	if (difference <= 0)
		return 0;
	needed = ceil((double)runs * (half / difference) * (half / difference));
	if (needed > COMPARE_RUNS_MAX)
		return 0;
	return needed <= (double)runs ? 1 : (size_t)needed - runs;
}

struct estimate compare_runs(const double *before, size_t before_count,
			     const double *after, size_t after_count,
			     double grain, struct random *random)
{
	struct side a = {before, before_count, cut_of(before_count), NULL};
	struct side b = {after, after_count, cut_of(after_count), NULL};
	struct estimate out = {.before = compare_median(before, before_count),
			       .after = compare_median(after, after_count)};

	if (before_count < 2 || after_count < 2 || !random->resamples)
		return out;
	out.has_interval = true;
	if (all_equal(before, before_count, before[0]) &&
	    all_equal(after, after_count, before[0])) {
		estimate_judge(&out);
		return out;
	}
	if (before_count < DRAWN_MIN || after_count < DRAWN_MIN)
		student_interval(&a, &b, &out);
	else
		drawn_interval(&a, &b, random, &out);
	estimate_widen(&out, grain);
	estimate_judge(&out);
	if (out.verdict == VERDICT_NONE)
		out.more_runs = more_runs(&out, before_count < after_count
							? before_count
							: after_count);
	return out;
}

struct run_spread compare_spread(const double *values, size_t count)
{
	struct side side = {.values = values, .count = count};
	struct run_spread out = {.count = count,
				 .median = compare_median(values, count),
				 .low = NAN,
				 .high = NAN,
				 .deviation = NAN};

	for (size_t i = 0; i < count; i++) {
		out.low = i && out.low < values[i] ? out.low : values[i];
		out.high = i && out.high > values[i] ? out.high : values[i];
	}
	if (count > 1)
		out.deviation = sqrt(error_of(&side) * (double)count);
	return out;
}
