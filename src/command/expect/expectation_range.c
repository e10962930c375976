/* expectation_range.c - see expectation_range.h */
#include "expectation_range.h"

#include <math.h>

static const struct range unknown;

struct range range_exactly(long double number)
{
	return isfinite(number) ? (struct range){true, number, number}
				: unknown;
}

bool range_is_exact(const struct range *range)
{
	return range->is_known && !(range->low < range->high);
}

static struct range truth(bool yes, bool no)
{
	return yes ? range_exactly(1) : no ? range_exactly(0) : unknown;
}

struct range range_truth(const struct range *value)
{
	bool is_zero = value->low >= 0 && value->high <= 0;
	bool may_be_zero = value->low <= 0 && value->high >= 0;

	return value->is_known ? truth(!may_be_zero, is_zero) : unknown;
}

bool range_is_true(const struct range *value)
{
	struct range range = range_truth(value);

	return range.is_known && range.low > 0;
}

bool range_is_false(const struct range *value)
{
	struct range range = range_truth(value);

	return range.is_known && !(range.low > 0);
}

struct range range_not(const struct range *value)
{
	return truth(range_is_false(value), range_is_true(value));
}

struct range range_negation(const struct range *value)
{
	return (struct range){value->is_known, -value->high, -value->low};
}

/* Returns the range from the least to the largest of four numbers. If one of
 * these two is not finite, the range is not known. */
static struct range among(long double a, long double b, long double c,
			  long double d)
{
	long double low = fminl(fminl(a, b), fminl(c, d));
	long double high = fmaxl(fmaxl(a, b), fmaxl(c, d));

	if (!isfinite(low) || !isfinite(high))
		return unknown;
	return (struct range){true, low, high};
}

static struct range sum(const struct range *a, const struct range *b)
{
	long double low = a->low + b->low, high = a->high + b->high;

	return among(low, low, high, high);
}

static struct range product(const struct range *a, const struct range *b)
{
	return among(a->low * b->low, a->low * b->high, a->high * b->low,
		     a->high * b->high);
}

static struct range quotient(const struct range *a, const struct range *b)
{
	if (b->low <= 0 && b->high >= 0)
		return unknown;
	return among(a->low / b->low, a->low / b->high, a->high / b->low,
		     a->high / b->high);
}

static struct range equality(const struct range *a, const struct range *b)
{
	bool are_apart = a->high < b->low || b->high < a->low;

	return truth(range_is_exact(a) && range_is_exact(b) && !are_apart,
		     are_apart);
}

static struct range arithmetic(enum operation operation, const struct range *a,
			       const struct range *b)
{
	struct range minus;

	switch (operation) {
	case OPERATION_ADD:
		return sum(a, b);
	case OPERATION_SUBTRACT:
		minus = range_negation(b);
		return sum(a, &minus);
	case OPERATION_MULTIPLY:
		return product(a, b);
	case OPERATION_DIVIDE:
		return quotient(a, b);
	case OPERATION_LESS:
		return truth(a->high < b->low, a->low >= b->high);
	case OPERATION_LESS_EQUAL:
		return truth(a->high <= b->low, a->low > b->high);
	case OPERATION_GREATER:
		return truth(a->low > b->high, a->high <= b->low);
	case OPERATION_GREATER_EQUAL:
		return truth(a->low >= b->high, a->high < b->low);
	case OPERATION_EQUAL:
		return equality(a, b);
	case OPERATION_NOT_EQUAL:
		minus = equality(a, b);
		return range_not(&minus);
	default:
		return unknown;
	}
}

/* Logical operators come first, because their result may be known although one
 * of the operands is not: false && x is false, and true || x is true. */
struct range range_binary(enum operation operation, const struct range *a,
			  const struct range *b)
{
	switch (operation) {
	case OPERATION_AND:
		return truth(range_is_true(a) && range_is_true(b),
			     range_is_false(a) || range_is_false(b));
	case OPERATION_OR:
		return truth(range_is_true(a) || range_is_true(b),
			     range_is_false(a) && range_is_false(b));
	default:
		if (!a->is_known || !b->is_known)
			return unknown;
		return arithmetic(operation, a, b);
	}
}
