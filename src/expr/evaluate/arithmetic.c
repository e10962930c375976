/*
 * arithmetic.c - the operators with two operands; see code.h
 *
 * The tool's own arithmetic is unsigned, and never undefined.
 */
#include "code.h"

static struct error *fail(const struct instruction *at, const char *why)
{
	return error_create(ERROR_EVALUATE, "column %zu: %s", at->node->column,
			    why);
}

/* A floating operation, in the precision of its type. */
#define COMPUTE(operator)                                                      \
	do {                                                                   \
		if (at->type.size == 4)                                        \
			left->f = (double)((float)left->f operator(float)      \
						   right->f);                  \
		else if (at->type.size == 8)                                   \
			left->f = left->f operator right->f;                   \
		else                                                           \
			left->l = left->l operator right->l;                   \
	} while (0)

static struct error *divide_wide(const struct instruction *at,
				 union number *left, const union number *right)
{
	bool remainder = at->code == CODE_REMAINDER;

	if (!at->type.is_signed)
		left->wide_u = remainder ? left->wide_u % right->wide_u
					 : left->wide_u / right->wide_u;
	else if (right->wide_i == -1 && left->wide_u == (unsigned __int128)1
								<< 127)
		return fail(at, "the quotient does not fit");
	else
		left->wide_i = remainder ? left->wide_i % right->wide_i
					 : left->wide_i / right->wide_i;
	return NULL;
}

static struct error *divide(const struct instruction *at, union number *left,
			    const union number *right)
{
	bool remainder = at->code == CODE_REMAINDER;
	int64_t least = at->type.size == 4 ? INT32_MIN : INT64_MIN;

	if (type_is_float(at->type)) {
		COMPUTE(/); /* a division by zero gives infinity, as in C */
		return NULL;
	}
	if (!number_truth(right, at->type))
		return fail(at, "division by zero");
	if (type_is_wide(at->type))
		return divide_wide(at, left, right);
	if (!at->type.is_signed)
		left->u = remainder ? left->u % right->u : left->u / right->u;
	else if (right->i == -1 && left->i == least)
		return fail(at, "the quotient does not fit");
	else
		left->i = remainder ? left->i % right->i : left->i / right->i;
	return NULL;
}

static struct error *shift(const struct instruction *at, union number *left,
			   const union number *right)
{
	unsigned bits = at->type.size * 8u;

	/* a negative count is a huge one as an unsigned number */
	if (right->u >= bits || (type_is_wide(at->from) && right->wide_u >> 64))
		return error_create(
			ERROR_EVALUATE,
			at->from.is_signed
				? "column %zu: a %u-bit number is shifted by "
				  "%ld"
				: "column %zu: a %u-bit number is shifted by "
				  "%lu",
			at->node->column, bits, right->u);
	if (type_is_wide(at->type)) {
		if (at->code == CODE_LEFT)
			left->wide_u <<= right->u;
		else if (at->type.is_signed)
			left->wide_i >>= right->u;
		else
			left->wide_u >>= right->u;
		return NULL;
	}
	if (at->code == CODE_LEFT)
		left->u <<= right->u;
	else if (at->type.is_signed)
		left->i >>= right->u;
	else
		left->u >>= right->u;
	return number_convert(left, at->type, at->type);
}

static struct error *arithmetic(const struct instruction *at,
				union number *left, const union number *right)
{
	bool floating = type_is_float(at->type);

	if (type_is_wide(at->type)) {
		if (at->code == CODE_ADD)
			left->wide_u += right->wide_u;
		else if (at->code == CODE_SUBTRACT)
			left->wide_u -= right->wide_u;
		else
			left->wide_u *= right->wide_u;
		return NULL;
	}
	switch (at->code) {
	case CODE_ADD:
		if (floating)
			COMPUTE(+);
		else
			left->u += right->u;
		break;
	case CODE_SUBTRACT:
		if (floating)
			COMPUTE(-);
		else
			left->u -= right->u;
		break;
	default:
		if (floating)
			COMPUTE(*);
		else
			left->u *= right->u;
		break;
	}
	return floating ? NULL : number_convert(left, at->type, at->type);
}

#define COMPARE(operator)                                                      \
	(type_is_long_double(at->type) ? left->l operator right->l               \
	 : type_is_float(at->type)     ? left->f operator right->f                \
	 : type_is_wide(at->type)                                                 \
		 ? (at->type.is_signed                                            \
			    ? left->wide_i operator right->wide_i                 \
			    : left->wide_u operator right->wide_u)                \
	 : at->type.is_signed	 ? left->i operator right->i                      \
				 : left->u operator right->u)

static bool compare(const struct instruction *at, const union number *left,
		    const union number *right)
{
	switch (at->code) {
	case CODE_LESS:
		return COMPARE(<);
	case CODE_LESS_EQUAL:
		return COMPARE(<=);
	case CODE_GREATER:
		return COMPARE(>);
	case CODE_GREATER_EQUAL:
		return COMPARE(>=);
	case CODE_EQUAL:
		return COMPARE(==);
	default:
		return COMPARE(!=);
	}
}

/*
 * Compute an operator on bits. Numbers of up to 64 bits stay extended by their
 * sign.
 */
static void combine(const struct instruction *at, union number *left,
		    const union number *right)
{
	switch (at->code) {
	case CODE_AND:
		if (type_is_wide(at->type))
			left->wide_u &= right->wide_u;
		else
			left->u &= right->u;
		break;
	case CODE_XOR:
		if (type_is_wide(at->type))
			left->wide_u ^= right->wide_u;
		else
			left->u ^= right->u;
		break;
	default:
		if (type_is_wide(at->type))
			left->wide_u |= right->wide_u;
		else
			left->u |= right->u;
		break;
	}
}

struct error *number_compute(const struct instruction *at, union number *left,
			     const union number *right)
{
	switch (at->code) {
	case CODE_MULTIPLY:
	case CODE_ADD:
	case CODE_SUBTRACT:
		return arithmetic(at, left, right);
	case CODE_DIVIDE:
	case CODE_REMAINDER:
		return divide(at, left, right);
	case CODE_LEFT:
	case CODE_RIGHT:
		return shift(at, left, right);
	case CODE_AND:
	case CODE_XOR:
	case CODE_OR:
		combine(at, left, right);
		return NULL;
	default:
		left->u = compare(at, left, right);
		return NULL;
	}
}
