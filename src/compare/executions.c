/*
 * executions.c - compares the times of the executions of one run with those of
 * another one, which are known as histograms
 */
#include <math.h>
#include <stdlib.h>

#include "estimate.h"
#include "perftool/base/alloc.h"

static bool is_enough(const struct compare_values *before,
		      const struct compare_values *after)
{
	return before->total >= COMPARE_EXECUTIONS_MIN &&
	       after->total >= COMPARE_EXECUTIONS_MIN;
}

static bool same_values(const struct compare_values *before,
			const struct compare_values *after)
{
	return before->count == 1 && after->count == 1 &&
	       before->data[0].value == after->data[0].value;
}

/* The values that were drawn for both sides. */
struct drawn {
	double *before, *after;
	size_t count;
};

static struct drawn drawn_init(const struct random *random)
{
	size_t count = random->resamples;

	return (struct drawn){xmalloc(count * sizeof(double)),
			      xmalloc(count * sizeof(double)), count};
}

static void take_interval(struct drawn *drawn, double grain,
			  struct estimate *out)
{
	estimate_take_drawn(out, drawn->before, drawn->after, drawn->count);
	estimate_widen(out, grain);
	estimate_judge(out);
	free(drawn->before);
	free(drawn->after);
}

static double mean_of(const struct compare_values *values)
{
	double sum = 0;

	for (size_t i = 0; i < values->count; i++)
		sum += values->data[i].value * (double)values->data[i].count;
	return sum / (double)values->total;
}

/* The mean of as many times as there are, drawn from them. How often each value
 * is drawn is nearly independent of the others: this is the bootstrap with
 * weights of Poisson. */
static double draw_mean(const struct compare_values *values,
			struct random *random)
{
	double sum, count;

	do {
		sum = count = 0;
		for (size_t i = 0; i < values->count; i++) {
			const struct compare_value *at = &values->data[i];
			double times =
				random_poisson(random, (double)at->count);

			sum += times * at->value;
			count += times;
		}
	} while (count == 0);
	return sum / count;
}

struct estimate compare_means(const struct compare_values *before,
			      double before_mean,
			      const struct compare_values *after,
			      double after_mean, double grain,
			      struct random *random)
{
	struct estimate out = {.before = before_mean, .after = after_mean};
	double before_off, after_off;
	struct drawn drawn;

	if (isnan(before_mean) || isnan(after_mean) ||
	    !is_enough(before, after))
		return out;
	/* what the buckets tell of the mean, and what it is */
	before_off = before_mean - mean_of(before);
	after_off = after_mean - mean_of(after);
	drawn = drawn_init(random);
	for (size_t i = 0; i < drawn.count; i++) {
		drawn.after[i] = draw_mean(after, random) + after_off;
		drawn.before[i] = draw_mean(before, random) + before_off;
	}
	take_interval(&drawn, grain, &out);
	return out;
}

/* Returns the value below which the part `part` of all values lies. */
static double value_at(const struct compare_values *values,
		       const uint64_t *sums, double part)
{
	double rank = part * (double)values->total;
	size_t low = 0, high = values->count - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if ((double)sums[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return values->data[low].value;
}

/* The quantile of as many times as there are, drawn from them. The one of rank
 * k of n drawn values lies where the k-th of n random parts does, which has the
 * beta distribution. */
static double draw_quantile(const struct compare_values *values,
			    const uint64_t *sums, double q,
			    struct random *random)
{
	double n = (double)values->total, k = ceil(q * n), a, b;

	k = k < 1 ? 1 : k > n ? n : k;
	/* far from both ends that distribution is nearly the normal one */
	if (k > 1000 && n - k > 1000) {
		double part = k / (n + 1);

		return value_at(values, sums,
				part + sqrt(part * (1 - part) / (n + 2)) *
						random_normal(random));
	}
	a = random_gamma(random, k);
	b = random_gamma(random, n - k + 1);
	return value_at(values, sums, a / (a + b));
}

static uint64_t *sums_of(const struct compare_values *values)
{
	uint64_t *sums = xcalloc(values->count, sizeof(*sums)), sum = 0;

	for (size_t i = 0; i < values->count; i++)
		sums[i] = sum += values->data[i].count;
	return sums;
}

struct estimate compare_quantiles(const struct compare_values *before,
				  double before_quantile,
				  const struct compare_values *after,
				  double after_quantile, double q, double grain,
				  struct random *random)
{
	struct estimate out = {.before = before_quantile,
			       .after = after_quantile};
	uint64_t *before_sums, *after_sums;
	struct drawn drawn;

	if (isnan(before_quantile) || isnan(after_quantile) ||
	    !is_enough(before, after))
		return out;
	if (same_values(before, after)) {
		out.has_interval = true;
		estimate_judge(&out);
		return out;
	}
	drawn = drawn_init(random);
	before_sums = sums_of(before);
	after_sums = sums_of(after);
	for (size_t i = 0; i < drawn.count; i++) {
		drawn.after[i] = draw_quantile(after, after_sums, q, random);
		drawn.before[i] = draw_quantile(before, before_sums, q, random);
	}
	free(before_sums);
	free(after_sums);
	take_interval(&drawn, grain, &out);
	return out;
}
