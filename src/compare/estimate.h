/*
 * estimate.h - what the files of this layer share
 */
#ifndef COMPARE_ESTIMATE_H
#define COMPARE_ESTIMATE_H

#include "perftool/compare.h"

/* Sets the verdict by the interval. */
void estimate_judge(struct estimate *estimate);
/* Sets the interval from values that were drawn for both sides, `count` each.
 * The values are changed. */
void estimate_take_drawn(struct estimate *estimate, double *before,
			 double *after, size_t count);
/* Sets the interval to the difference and `half` to both sides. */
void estimate_take_half(struct estimate *estimate, double half);
/* Lets the interval reach from the difference at least `grain` to both sides.
 */
void estimate_widen(struct estimate *estimate, double grain);

/* For qsort(3). */
int compare_doubles(const void *a, const void *b);
/* Returns the value below which the part `p` of the values lies, of which there
 * is at least one. Their order is changed. */
double quantile_of_drawn(double *values, size_t count, double p);

#endif
