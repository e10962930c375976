/*
 * expectation_range.h - the range of a value in an expectation
 *
 * A value is a range because a mean below the resolution may be any time from 0
 * to the resolution. A comparison is true if it is true for all values of the
 * ranges. It is false if it is false for all of them. Otherwise its result is
 * not known. An operation on a value that is not known gives a value that is
 * not known.
 */
#ifndef COMMAND_EXPECTATION_RANGE_H
#define COMMAND_EXPECTATION_RANGE_H

#include <stdbool.h>

#include "expectation.h"

/* A truth value is 0 or 1. The zero value of this type is a range that is not
 * known. */
struct range {
	bool is_known;
	long double low, high;
};

/* Makes a range of one number. A number that is not finite, because a
 * computation overflowed, gives a range that is not known. */
struct range range_exactly(long double number);
bool range_is_exact(const struct range *range);

/* As in C, every value except 0 is true. A value that is not known is neither
 * true nor false. */
bool range_is_true(const struct range *value);
bool range_is_false(const struct range *value);
struct range range_truth(const struct range *value);

struct range range_not(const struct range *value);
struct range range_negation(const struct range *value);
/* Computes the range of the result of an operation on two values. */
struct range range_binary(enum operation operation, const struct range *a,
			  const struct range *b);

#endif
