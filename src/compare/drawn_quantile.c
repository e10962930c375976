/* drawn_quantile.c - see drawn_quantile.h */
#include "drawn_quantile.h"

#include <math.h>

/* What is less likely is left out. */
#define UNLIKELY 1e-9

/* Returns how likely it is that the part of rank k of n random parts lies below
 * `part`. */
static double likelihood(double k, double n, double part)
{
	double mean = k / (n + 1);

	/* far from both ends that distribution is nearly the normal one */
	if (k > 1000 && n - k > 1000)
		return normal_below((part - mean) /
				    sqrt(mean * (1 - mean) / (n + 2)));
	return beta_below(k, n - k + 1, part);
}

void drawn_quantile_init(struct drawn_quantile *drawn,
			 const struct compare_values *values, double q)
{
	double n = (double)values->total, k = ceil(q * n), sum = 0;
	/* beyond this distance from the mean everything is unlikely */
	double far, mean;

	k = k < 1 ? 1 : k > n ? n : k;
	mean = k / (n + 1);
	far = 40 * sqrt(mean * (1 - mean) / (n + 2));
	*drawn = (struct drawn_quantile){0};
	for (size_t i = 0; i < values->count; i++) {
		const struct compare_value *at = &values->data[i];
		double part, until;

		sum += (double)at->count;
		part = sum / n;
		if (!at->count || part < mean - far)
			continue;
		until = sum >= n ? 1 : likelihood(k, n, part);
		if (until < UNLIKELY)
			continue;
		vec_push(&drawn->values,
			 (struct quantile_value){at->value, until});
		if (until > 1 - UNLIKELY)
			break;
	}
}

void drawn_quantile_deinit(struct drawn_quantile *drawn)
{
	vec_free(&drawn->values);
}

double drawn_quantile_next(const struct drawn_quantile *drawn,
			   struct random *random)
{
	double part = random_unit(random);
	size_t low = 0, high = drawn->values.count - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (drawn->values.data[middle].until < part)
			low = middle + 1;
		else
			high = middle;
	}
	return drawn->values.data[low].value;
}
