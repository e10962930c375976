/*
 * expectation_range.h - what a value of an expectation may be
 *
 * A value is a range, for a mean below the resolution is any time from 0 to
 * that. A comparison is true if it is so for all that its values may be, false
 * if it is so for none, and else not known, as is what is computed from values
 * that are not known.
 */
#ifndef COMMAND_EXPECTATION_RANGE_H
#define COMMAND_EXPECTATION_RANGE_H

#include <stdbool.h>

#include "expectation.h"

/* A truth is 0 or 1. Zero is a range that is not known. */
struct range {
	bool is_known;
	long double low, high;
};

/* What is too large to be a number is none. */
struct range range_exactly(long double number);
bool range_is_exact(const struct range *range);

/* As C has it, all but 0 is true. What is not known is neither. */
bool range_is_true(const struct range *value);
bool range_is_false(const struct range *value);
struct range range_truth(const struct range *value);

struct range range_not(const struct range *value);
struct range range_negation(const struct range *value);
/* Of the operations of two values. */
struct range range_binary(enum operation operation, const struct range *a,
			  const struct range *b);

#endif
