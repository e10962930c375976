/* expression_number.c - see expression_number.h */
#include "expression_number.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"

typedef unsigned __int128 wide;
typedef __int128 signed_wide;

static struct error *meaningless(void)
{
	return error_create(ERROR_EVALUATE,
			    "its location in the debug information makes no "
			    "sense");
}

struct number number_of_bits(struct number_type type, wide bits)
{
	if (type.size < 16)
		bits &= ((wide)1 << (type.size * 8)) - 1;
	return (struct number){type, bits};
}

struct number number_generic(uint64_t value)
{
	return (struct number){{NUMBER_GENERIC, 8}, value};
}

/* The number, sign-extended to 128 bits. */
static signed_wide as_signed(const struct number *a)
{
	unsigned shift = 128 - a->type.size * 8U;

	return (signed_wide)(a->bits << shift) >> shift;
}

static long double as_float(const struct number *a)
{
	long double extended = 0;
	double whole;
	float half;

	switch (a->type.size) {
	case 4:
		memcpy(&half, &a->bits, sizeof(half));
		return (long double)half;
	case 8:
		memcpy(&whole, &a->bits, sizeof(whole));
		return (long double)whole;
	default:
		memcpy(&extended, &a->bits, 10);
		return extended;
	}
}

static struct number of_float(struct number_type type, long double value)
{
	struct number result = {.type = type};
	double whole = (double)value;
	float half = (float)value;

	if (type.size == 4)
		memcpy(&result.bits, &half, sizeof(half));
	else if (type.size == 8)
		memcpy(&result.bits, &whole, sizeof(whole));
	else
		memcpy(&result.bits, &value, 10);
	return result;
}

static bool is_same_type(struct number_type a, struct number_type b)
{
	return a.kind == b.kind && a.size == b.size;
}

static struct error *compare(unsigned opcode, int order, struct number *out)
{
	bool result;

	switch (opcode) {
	case DW_OP_eq:
		result = order == 0;
		break;
	case DW_OP_ne:
		result = order != 0;
		break;
	case DW_OP_lt:
		result = order < 0;
		break;
	case DW_OP_le:
		result = order <= 0;
		break;
	case DW_OP_gt:
		result = order > 0;
		break;
	case DW_OP_ge:
		result = order >= 0;
		break;
	default:
		return meaningless();
	}
	*out = number_generic(result);
	return NULL;
}

/* Compute float and double numbers in double and not in long double, because
 * the results would otherwise be rounded twice. */
static struct error *compute_float(unsigned opcode, const struct number *a,
				   const struct number *b, struct number *out)
{
	long double x = as_float(a), y = as_float(b);
	double u = (double)x, v = (double)y;
	bool wide_enough = a->type.size <= 8;

	switch (opcode) {
	case DW_OP_plus:
		x = wide_enough ? (long double)(u + v) : x + y;
		break;
	case DW_OP_minus:
		x = wide_enough ? (long double)(u - v) : x - y;
		break;
	case DW_OP_mul:
		x = wide_enough ? (long double)(u * v) : x * y;
		break;
	case DW_OP_div:
		x = wide_enough ? (long double)(u / v) : x / y;
		break;
	default:
		if (isnan(x) || isnan(y)) {
			*out = number_generic(opcode == DW_OP_ne);
			return NULL;
		}
		return compare(opcode, x < y ? -1 : x > y, out);
	}
	*out = of_float(a->type, x);
	return NULL;
}

static struct error *divide(const struct number *a, const struct number *b,
			    bool is_signed, bool remainder, wide *out)
{
	signed_wide x = as_signed(a), y = as_signed(b);

	if (!b->bits)
		return error_create(ERROR_EVALUATE,
				    "its location divides by zero");
	if (!is_signed)
		*out = remainder ? a->bits % b->bits : a->bits / b->bits;
	/* Divide by -1 without a division, because C does not define it for the
	 * lowest number, which has no positive counterpart. */
	else if (y == -1)
		*out = remainder ? 0 : 0 - (wide)x;
	else
		*out = (wide)(remainder ? x % y : x / y);
	return NULL;
}

static wide shift_left(wide bits, wide count)
{
	return count < 128 ? bits << (unsigned)count : 0;
}

static wide shift_right(wide bits, wide count)
{
	return count < 128 ? bits >> (unsigned)count : 0;
}

static wide shift_arithmetic(const struct number *a, wide count)
{
	return (wide)(as_signed(a) >> (count < 128 ? (unsigned)count : 127));
}

static bool is_shift(unsigned opcode)
{
	return opcode == DW_OP_shl || opcode == DW_OP_shr ||
	       opcode == DW_OP_shra;
}

struct error *number_binary(unsigned opcode, const struct number *a,
			    const struct number *b, struct number *out)
{
	/* Operations treat the generic type as signed, except DW_OP_mod. */
	bool is_signed = a->type.kind != NUMBER_UNSIGNED;
	wide bits = 0;

	if (a->type.kind == NUMBER_OTHER || b->type.kind == NUMBER_OTHER ||
	    (!is_shift(opcode) && !is_same_type(a->type, b->type)))
		return meaningless();
	if (a->type.kind == NUMBER_FLOAT || b->type.kind == NUMBER_FLOAT)
		return is_shift(opcode) ? meaningless()
					: compute_float(opcode, a, b, out);
	switch (opcode) {
	case DW_OP_and:
		bits = a->bits & b->bits;
		break;
	case DW_OP_or:
		bits = a->bits | b->bits;
		break;
	case DW_OP_xor:
		bits = a->bits ^ b->bits;
		break;
	case DW_OP_plus:
		bits = a->bits + b->bits;
		break;
	case DW_OP_minus:
		bits = a->bits - b->bits;
		break;
	case DW_OP_mul:
		bits = a->bits * b->bits;
		break;
	case DW_OP_div:
		TRY(divide(a, b, is_signed, false, &bits));
		break;
	case DW_OP_mod:
		TRY(divide(a, b, a->type.kind == NUMBER_SIGNED, true, &bits));
		break;
	case DW_OP_shl:
		bits = shift_left(a->bits, b->bits);
		break;
	case DW_OP_shr:
		bits = shift_right(a->bits, b->bits);
		break;
	case DW_OP_shra:
		bits = shift_arithmetic(a, b->bits);
		break;
	default:
		if (is_signed)
			return compare(opcode,
				       as_signed(a) < as_signed(b)
					       ? -1
					       : as_signed(a) > as_signed(b),
				       out);
		return compare(opcode,
			       a->bits < b->bits ? -1 : a->bits > b->bits, out);
	}
	*out = number_of_bits(a->type, bits);
	return NULL;
}

struct error *number_unary(unsigned opcode, const struct number *a,
			   struct number *out)
{
	bool negative;

	if (a->type.kind == NUMBER_OTHER ||
	    (a->type.kind == NUMBER_FLOAT && opcode == DW_OP_not))
		return meaningless();
	if (opcode == DW_OP_not) {
		*out = number_of_bits(a->type, ~a->bits);
		return NULL;
	}
	if (a->type.kind == NUMBER_FLOAT) {
		long double x = as_float(a);

		*out = of_float(a->type, opcode == DW_OP_neg ? -x : fabsl(x));
		return NULL;
	}
	negative = a->type.kind != NUMBER_UNSIGNED && as_signed(a) < 0;
	*out = *a;
	if (opcode == DW_OP_neg || negative)
		*out = number_of_bits(a->type, 0 - a->bits);
	return NULL;
}

/* If the number does not fit into the integer type, C does not define the
 * conversion, and the result is an error. */
static struct error *float_to_integer(const struct number *a,
				      struct number_type type,
				      struct number *out)
{
	long double value = truncl(as_float(a));
	bool is_signed = type.kind == NUMBER_SIGNED;
	long double limit = ldexpl(1, type.size * 8 - is_signed);

	if (!(value < limit) || value < (is_signed ? -limit : 0))
		return error_create(ERROR_EVALUATE,
				    "its location in the debug information "
				    "cannot be computed: a floating-point "
				    "number is converted to an integer that "
				    "cannot hold it");
	*out = number_of_bits(type, value < 0 ? (wide)(signed_wide)value
					      : (wide)value);
	return NULL;
}

struct error *number_as(const struct number *a, struct number_type type,
			struct number *out)
{
	bool from_float = a->type.kind == NUMBER_FLOAT;

	if (a->type.kind == NUMBER_OTHER || type.kind == NUMBER_OTHER)
		return meaningless();
	if (from_float && type.kind != NUMBER_FLOAT)
		return float_to_integer(a, type, out);
	if (from_float)
		*out = of_float(type, as_float(a));
	else if (type.kind == NUMBER_FLOAT)
		*out = of_float(type, a->type.kind == NUMBER_SIGNED
					      ? (long double)as_signed(a)
					      : (long double)a->bits);
	else if (a->type.kind == NUMBER_SIGNED)
		*out = number_of_bits(type, (wide)as_signed(a));
	else
		*out = number_of_bits(type, a->bits);
	return NULL;
}

struct error *number_integer(const struct number *a, uint64_t *out)
{
	struct number number;

	if (a->type.kind == NUMBER_FLOAT || a->type.kind == NUMBER_OTHER)
		return error_create(ERROR_EVALUATE,
				    "its location in the debug information "
				    "makes no sense");
	TRY(number_as(a, number_generic(0).type, &number));
	*out = (uint64_t)number.bits;
	return NULL;
}
