/* convert.c - C's conversions between numbers; see code.h */
#include "code.h"

/* The value of the type that is equal to `u` modulo its range. */
static uint64_t wrap(uint64_t u, struct type type)
{
	switch (type_size(type)) {
	case 1:
		return type.is_signed ? (uint64_t)(int64_t)(int8_t)u
				      : (uint8_t)u;
	case 2:
		return type.is_signed ? (uint64_t)(int64_t)(int16_t)u
				      : (uint16_t)u;
	case 4:
		return type.is_signed ? (uint64_t)(int64_t)(int32_t)u
				      : (uint32_t)u;
	default:
		return u;
	}
}

bool number_converts_freely(struct type from, struct type to)
{
	if (type_is_float(from) || type_is_float(to))
		return type_is_float(from) && type_is_float(to) &&
		       (to.size > 4 || from.size == 4);
	if (to.class == TYPE_BOOL && !type_is_pointer(to))
		return from.class == TYPE_BOOL && !type_is_pointer(from);
	if (type_size(to) == 8)
		return true;
	if (type_size(to) == type_size(from))
		return to.is_signed == from.is_signed && !type_is_pointer(from);
	return type_size(to) > type_size(from) &&
	       (to.is_signed || !from.is_signed);
}

static struct error *float_to_integer(double f, struct type to, uint64_t *out)
{
	unsigned bits = type_size(to) * 8 - (to.is_signed ? 1 : 0);
	/* 2 to the power of `bits`, which is exact in a double */
	double limit = (double)((uint64_t)1 << (bits - 1)) * 2;
	double low = to.is_signed ? -limit : 0;
	char name[TYPE_NAME_SIZE];

	/* only the whole part counts; each comparison is false for a NaN */
	if (!(f < limit && (f >= low || f > low - 1)))
		return error_create(ERROR_EVALUATE,
				    "%g does not fit in type '%s'", f,
				    type_name(to, name));
	*out = to.is_signed ? (uint64_t)(int64_t)f : (uint64_t)f;
	return NULL;
}

struct error *number_convert(union number *number, struct type from,
			     struct type to)
{
	if (to.class == TYPE_BOOL && !type_is_pointer(to)) {
		number->u =
			type_is_float(from) ? number->f != 0 : number->u != 0;
		return NULL;
	}
	if (type_is_float(from) && !type_is_float(to))
		return float_to_integer(number->f, to, &number->u);
	if (!type_is_float(to)) {
		number->u = wrap(number->u, to);
		return NULL;
	}
	if (type_is_float(from)) {
		if (to.size == 4)
			number->f = (double)(float)number->f;
	} else if (from.is_signed) {
		/* once, not by way of double: that would round twice */
		number->f = to.size == 4 ? (double)(float)number->i
					 : (double)number->i;
	} else {
		number->f = to.size == 4 ? (double)(float)number->u
					 : (double)number->u;
	}
	return NULL;
}
