/*
 * executions.c - compares the times of the executions of one run with those of
 * another one, which are known as histograms
 */
#include <math.h>
#include <stdlib.h>

#include "drawn_mean.h"
#include "drawn_quantile.h"
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

struct estimate compare_means(const struct compare_values *before,
			      double before_mean,
			      const struct compare_values *after,
			      double after_mean, double grain,
			      struct random *random)
{
	struct estimate out = {.before = before_mean, .after = after_mean};
	double before_off, after_off;
	struct drawn_mean of_before, of_after;
	struct poisson_tables tables = {0};
	struct drawn drawn;

	if (isnan(before_mean) || isnan(after_mean) ||
	    !is_enough(before, after) || !random->resamples)
		return out;
	/* what the buckets tell of the mean, and what it is */
	before_off = before_mean - mean_of(before);
	after_off = after_mean - mean_of(after);
	drawn = drawn_init(random);
	drawn_mean_init(&of_before, before, &tables);
	drawn_mean_init(&of_after, after, &tables);
	for (size_t i = 0; i < drawn.count; i++) {
		drawn.after[i] = drawn_mean_next(&of_after, random) + after_off;
		drawn.before[i] =
			drawn_mean_next(&of_before, random) + before_off;
	}
	drawn_mean_deinit(&of_before);
	drawn_mean_deinit(&of_after);
	poisson_tables_deinit(&tables);
	take_interval(&drawn, grain, &out);
	return out;
}

struct estimate compare_quantiles(const struct compare_values *before,
				  double before_quantile,
				  const struct compare_values *after,
				  double after_quantile, double q, double grain,
				  struct random *random)
{
	struct estimate out = {.before = before_quantile,
			       .after = after_quantile};
	struct drawn_quantile of_before, of_after;
	struct drawn drawn;

	if (isnan(before_quantile) || isnan(after_quantile) ||
	    !is_enough(before, after) || !random->resamples)
		return out;
	if (same_values(before, after)) {
		out.has_interval = true;
		estimate_judge(&out);
		return out;
	}
	drawn = drawn_init(random);
	drawn_quantile_init(&of_before, before, q);
	drawn_quantile_init(&of_after, after, q);
	for (size_t i = 0; i < drawn.count; i++) {
		drawn.after[i] = drawn_quantile_next(&of_after, random);
		drawn.before[i] = drawn_quantile_next(&of_before, random);
	}
	drawn_quantile_deinit(&of_before);
	drawn_quantile_deinit(&of_after);
	take_interval(&drawn, grain, &out);
	return out;
}
