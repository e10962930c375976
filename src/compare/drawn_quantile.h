/*
 * drawn_quantile.h - the quantile of as many times as a histogram has, drawn
 * from it
 *
 * The one of rank k of n drawn values lies where the k-th of n random parts
 * does, which has a beta distribution. How likely each bucket is follows from
 * that; what remains to be drawn is a bucket.
 */
#ifndef COMPARE_DRAWN_QUANTILE_H
#define COMPARE_DRAWN_QUANTILE_H

#include "perftool/compare.h"

/* A value, and the part of the draws that have this one or one before it. */
struct quantile_value {
	double value, until;
};

struct drawn_quantile {
	VEC(struct quantile_value) values;
};

/* The quantile `q`, 0 to 1. */
void drawn_quantile_init(struct drawn_quantile *drawn,
			 const struct compare_values *values, double q);
void drawn_quantile_deinit(struct drawn_quantile *drawn);
double drawn_quantile_next(const struct drawn_quantile *drawn,
			   struct random *random);

#endif
