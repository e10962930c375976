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
	estimate->has_interval = true;
	estimate->low = quantile_of_drawn(after, count, 0.025);
	estimate->high = quantile_of_drawn(after, count, 0.975);
	estimate->low_percent = is_positive ? bounded_percent(quantile_of_drawn(
						      before, count, 0.025))
					    : NAN;
	estimate->high_percent =
		is_positive ? bounded_percent(
				      quantile_of_drawn(before, count, 0.975))
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

static void swap(double *a, double *b)
{
	double value = *a;

	*a = *b;
	*b = value;
}

/* Moves the values so that the one at `at` is the one that would be there if
 * they were sorted, and those behind it are not less. This is Hoare's
 * selection: an interval needs four of thousands of values, and to sort them
 * all would take longer than to draw them. */
static double select_value(double *values, size_t count, size_t at)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		double middle = values[low + (high - low) / 2];
		size_t i = low, j = high;

		for (;; i++, j--) {
			while (values[i] < middle)
				i++;
			while (values[j] > middle)
				j--;
			if (i >= j)
				break;
			swap(&values[i], &values[j]);
		}
		/* all up to j are at most `middle`, all behind it at least */
		if (at <= j)
			high = j;
		else
			low = j + 1;
	}
	return values[at];
}

double quantile_of_drawn(double *values, size_t count, double p)
{
	double at = p * (double)count - 0.5, value, next;
	size_t below = at > 0 ? (size_t)at : 0;

	if (below + 1 >= count)
		below = count - 1;
	value = select_value(values, count, below);
	if (at <= 0 || below + 1 >= count)
		return value;
	next = values[below + 1];
	for (size_t i = below + 2; i < count; i++)
		next = values[i] < next ? values[i] : next;
	return value + (at - (double)below) * (next - value);
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
