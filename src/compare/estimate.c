/*
 * estimate.c - what follows from an interval: the verdict, and how many more
 * runs would make it narrow enough
 */
#include "estimate.h"

#include <math.h>
#include <stdlib.h>

double estimate_difference(const struct estimate *estimate)
{
	return estimate->after - estimate->before;
}

double estimate_percent(const struct estimate *estimate, double difference)
{
	if (difference == 0)
		return 0;
	return estimate->before > 0 ? 100 * difference / estimate->before : NAN;
}

void estimate_judge(struct estimate *estimate)
{
	if (!estimate->has_interval)
		estimate->verdict = VERDICT_UNKNOWN;
	else if (estimate->low == 0 && estimate->high == 0)
		estimate->verdict = VERDICT_SAME;
	else if (estimate->low > 0)
		estimate->verdict = VERDICT_MORE;
	else if (estimate->high < 0)
		estimate->verdict = VERDICT_LESS;
	else
		estimate->verdict = VERDICT_NONE;
}

int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A time cannot become shorter by more than all of it. */
static double bounded_percent(double percent)
{
	return percent < -100 ? -100 : percent;
}

static void take_percents(struct estimate *estimate)
{
	estimate->low_percent =
		bounded_percent(estimate_percent(estimate, estimate->low));
	estimate->high_percent =
		bounded_percent(estimate_percent(estimate, estimate->high));
}

void estimate_take_half(struct estimate *estimate, double half)
{
	estimate->has_interval = true;
	estimate->low = estimate_difference(estimate) - half;
	estimate->high = estimate_difference(estimate) + half;
	take_percents(estimate);
}

void estimate_take_drawn(struct estimate *estimate, double *before,
			 double *after, size_t count)
{
	bool is_positive = true;

	for (size_t i = 0; i < count; i++) {
		double difference = after[i] - before[i];

		is_positive &= before[i] > 0;
		before[i] = before[i] > 0 ? 100 * difference / before[i] : 0;
		after[i] = difference;
	}
	qsort(after, count, sizeof(*after), compare_doubles);
	qsort(before, count, sizeof(*before), compare_doubles);
	estimate->has_interval = true;
	estimate->low = sorted_quantile(after, count, 0.025);
	estimate->high = sorted_quantile(after, count, 0.975);
	estimate->low_percent =
		is_positive
			? bounded_percent(sorted_quantile(before, count, 0.025))
			: NAN;
	estimate->high_percent =
		is_positive
			? bounded_percent(sorted_quantile(before, count, 0.975))
			: NAN;
}

void estimate_widen(struct estimate *estimate, double grain)
{
	double difference = estimate_difference(estimate);
	double low = estimate_percent(estimate, difference - grain);
	double high = estimate_percent(estimate, difference + grain);

	estimate->low = fmin(estimate->low, difference - grain);
	estimate->high = fmax(estimate->high, difference + grain);
	if (isnan(estimate->low_percent) || isnan(low) || isnan(high))
		return;
	estimate->low_percent =
		fmin(estimate->low_percent, bounded_percent(low));
	estimate->high_percent =
		fmax(estimate->high_percent, bounded_percent(high));
}

double sorted_quantile(const double *values, size_t count, double p)
{
	double at = p * (double)count - 0.5;
	size_t below;

	if (at <= 0)
		return values[0];
	below = (size_t)at;
	if (below + 1 >= count)
		return values[count - 1];
	return values[below] +
	       (at - (double)below) * (values[below + 1] - values[below]);
}

/* The sum after the change, in percent of that before, if the mean differs by
 * so much. */
static double sum_percent(double mean_percent, double growth)
{
	return ((1 + mean_percent / 100) * growth - 1) * 100;
}

struct estimate estimate_of_sums(const struct estimate *mean,
				 struct compare_sum before,
				 struct compare_sum after)
{
	struct estimate out = *mean;
	double more = fmax(before.count, after.count), difference;

	out.before = before.sum;
	out.after = after.sum;
	if (!out.has_interval)
		return out;
	if (isnan(mean->low_percent) || !(before.sum > 0)) {
		/* the interval is wider by the larger number of values */
		difference = estimate_difference(mean);
		out.low = estimate_difference(&out) +
			  (mean->low - difference) * more;
		out.high = estimate_difference(&out) +
			   (mean->high - difference) * more;
		out.low_percent = out.high_percent = NAN;
	} else {
		double growth = after.count / before.count;

		out.low_percent = sum_percent(mean->low_percent, growth);
		out.high_percent = sum_percent(mean->high_percent, growth);
		out.low = before.sum * out.low_percent / 100;
		out.high = before.sum * out.high_percent / 100;
	}
	estimate_judge(&out);
	return out;
}
