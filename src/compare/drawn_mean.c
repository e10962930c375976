/* drawn_mean.c - see drawn_mean.h */
#include "drawn_mean.h"

#include <math.h>

void drawn_mean_init(struct drawn_mean *drawn,
		     const struct compare_values *values,
		     struct poisson_tables *tables)
{
	*drawn = (struct drawn_mean){0};
	for (size_t i = 0; i < values->count; i++) {
		const struct compare_value *at = &values->data[i];
		double count = (double)at->count, delta;

		if (!at->count)
			continue;
		if (at->count <= POISSON_MEAN_MAX) {
			vec_push(&drawn->seldom,
				 (struct seldom_value){
					 at->value,
					 poisson_table(tables, at->count)});
			continue;
		}
		delta = at->value - drawn->often_mean;
		drawn->often += count;
		drawn->often_mean += delta * count / drawn->often;
		drawn->often_squares +=
			count * delta * (at->value - drawn->often_mean);
	}
}

void drawn_mean_deinit(struct drawn_mean *drawn)
{
	vec_free(&drawn->seldom);
}

/* Of a Poisson distribution with a large mean n, which is nearly the normal one
 * of variance n, n times of the value v are drawn. So of all such values the
 * number has the variance of the sum of all n. The sum of the differences from
 * their mean has that of the sum of all n times the squared difference, and the
 * two do not depend on each other. */
static void draw_often(const struct drawn_mean *drawn, struct random *random,
		       double *sum, double *count)
{
	double radius = sqrt(-2 * log(random_unit(random)));
	double angle = 2 * M_PI * random_unit(random), sine, cosine;

	sincos(angle, &sine, &cosine);
	*count = drawn->often + sqrt(drawn->often) * radius * cosine;
	*sum = *count * drawn->often_mean +
	       sqrt(drawn->often_squares) * radius * sine;
}

double drawn_mean_next(const struct drawn_mean *drawn, struct random *random)
{
	const struct seldom_value *at = drawn->seldom.data;
	const struct seldom_value *end = at + drawn->seldom.count;
	double sum = 0, count = 0;

	if (drawn->often > 0)
		draw_often(drawn, random, &sum, &count);
	do {
		for (at = drawn->seldom.data; at < end; at += 2) {
			uint64_t bits = random_next(random);
			double number =
				poisson_number(at[0].table, (uint32_t)bits);

			sum += number * at[0].value;
			count += number;
			if (at + 1 == end)
				break;
			number = poisson_number(at[1].table,
						(uint32_t)(bits >> 32));
			sum += number * at[1].value;
			count += number;
		}
	} while (!(count > 0));
	return sum / count;
}
