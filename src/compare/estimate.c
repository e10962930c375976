/*
 * estimate.c - what follows from an interval: the verdict, and how many more
 * runs would make it narrow enough
 */
#include "estimate.h"

#include <math.h>

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

void estimate_widen(struct estimate *estimate, double grain)
{
	double difference = estimate_difference(estimate);

	if (estimate->low > difference - grain)
		estimate->low = difference - grain;
	if (estimate->high < difference + grain)
		estimate->high = difference + grain;
}

int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
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
