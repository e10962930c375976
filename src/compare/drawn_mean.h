/*
 * drawn_mean.h - the mean of as many times as a histogram has, drawn from it
 *
 * How often each value is drawn is nearly independent of the others: this is
 * the bootstrap with weights of Poisson.
 */
#ifndef COMPARE_DRAWN_MEAN_H
#define COMPARE_DRAWN_MEAN_H

#include "perftool/compare.h"
#include "poisson_tables.h"

/* A value that came so seldom that how often it is drawn has a table. */
struct seldom_value {
	double value;
	const struct poisson_table *table;
};

struct drawn_mean {
	VEC(struct seldom_value) seldom;
	/* Of all other values together: how many there are, their mean, and the
	 * sum of the squared differences from it. What is drawn of them is two
	 * numbers, of normal distributions that do not depend on each other. */
	double often, often_mean, often_squares;
};

/* The tables must exist as long as the drawn mean. */
void drawn_mean_init(struct drawn_mean *drawn,
		     const struct compare_values *values,
		     struct poisson_tables *tables);
void drawn_mean_deinit(struct drawn_mean *drawn);
double drawn_mean_next(const struct drawn_mean *drawn, struct random *random);

#endif
