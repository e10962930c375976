/*
 * conversion.c - C's conversions between numbers; see code.h
 */
#include <math.h>
#include <string.h>

#include "code.h"

/*
 * The value of the type that is equal to `u` modulo the number of values that
 * the type has.
 */
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

/* Extend an integer or a pointer to 128 bits. */
static unsigned __int128 widen(const union number *number, struct type type)
{
	if (type_is_wide(type))
		return number->wide_u;
	if (type.is_signed && !type_is_pointer(type))
		return (unsigned __int128)(__int128)number->i;
	return number->u;
}

bool number_converts_freely(struct type from, struct type to)
{
	if (type_is_float(from) || type_is_float(to))
		return type_is_float(from) && type_is_float(to) &&
		       (from.size == to.size ||
			(from.size == 4 && to.size == 8));
	if (to.class == TYPE_BOOL && !type_is_pointer(to))
		return from.class == TYPE_BOOL && !type_is_pointer(from);
	if (type_is_wide(to) && !type_is_wide(from))
		return false;
	if (type_size(to) == 8)
		return true;
	if (type_size(to) == type_size(from))
		return to.is_signed == from.is_signed && !type_is_pointer(from);
	return type_size(to) > type_size(from) &&
	       (to.is_signed || !from.is_signed);
}

static struct error *float_to_integer(long double f, struct type to,
				      union number *out)
{
	int bits = (int)type_size(to) * 8 - (to.is_signed ? 1 : 0);
	long double limit = ldexpl(1, bits);
	long double low = to.is_signed ? -limit : 0;
	char name[TYPE_NAME_SIZE];

	/* only the whole part must fit; for a NaN, each comparison is false */
	if (!(f < limit && (f >= low || f > low - 1)))
		return error_create(ERROR_EVALUATE,
				    "%Lg does not fit in type '%s'", f,
				    type_name(to, name));
	if (type_is_wide(to) && to.is_signed)
		out->wide_i = (__int128)f;
	else if (type_is_wide(to))
		out->wide_u = (unsigned __int128)f;
	else
		out->u = to.is_signed ? (uint64_t)(int64_t)f : (uint64_t)f;
	return NULL;
}

/* The value is rounded once, directly to the precision of the result. */
#define ROUND(number, value, size)                                             \
	do {                                                                   \
		if ((size) == 4)                                               \
			(number)->f = (double)(float)(value);                  \
		else if ((size) == 8)                                          \
			(number)->f = (double)(value);                         \
		else                                                           \
			(number)->l = (long double)(value);                    \
	} while (0)

struct error *number_convert(union number *number, struct type from,
			     struct type to)
{
	union number old = *number;

	if (to.class == TYPE_BOOL && !type_is_pointer(to)) {
		number->u = number_truth(&old, from);
		return NULL;
	}
	if (type_is_float(from) && !type_is_float(to))
		return float_to_integer(
			type_is_long_double(from) ? old.l : old.f, to, number);
	if (type_is_wide(to))
		number->wide_u = widen(&old, from);
	else if (!type_is_float(to))
		number->u = wrap(old.u, to);
	else if (type_is_long_double(from))
		ROUND(number, old.l, to.size);
	else if (type_is_float(from))
		ROUND(number, old.f, to.size);
	else if (type_is_wide(from) && from.is_signed)
		ROUND(number, old.wide_i, to.size);
	else if (type_is_wide(from))
		ROUND(number, old.wide_u, to.size);
	else if (from.is_signed && !type_is_pointer(from))
		ROUND(number, old.i, to.size);
	else
		ROUND(number, old.u, to.size);
	return NULL;
}

bool number_truth(const union number *number, struct type type)
{
	if (type_is_long_double(type))
		return number->l != 0;
	if (type_is_wide(type))
		return number->wide_u != 0;
	return type_is_float(type) ? number->f != 0 : number->u != 0;
}

/* Read the bits of a bit-field, which can touch 9 bytes. */
static uint64_t bits_of(const uint8_t *bytes, const struct bits *bits,
			bool is_signed)
{
	uint64_t low = 0;
	uint8_t high = 0;
	unsigned spare = 64u - bits->size;

	if (bits->offset + bits->size > 64)
		high = bytes[8];
	memcpy(&low, bytes, bits_bytes(bits) > 8 ? 8 : bits_bytes(bits));
	low >>= bits->offset;
	if (high)
		low |= (uint64_t)high << (64 - bits->offset);
	low <<= spare;
	return is_signed ? (uint64_t)((int64_t)low >> spare) : low >> spare;
}

void number_from_memory(union number *number, struct type type,
			const struct bits *bits, const void *bytes)
{
	size_t size = (size_t)type_size(type);
	float f;

	number->u = 0;
	if (bits->size) {
		number->u = bits_of(bytes, bits, type.is_signed);
	} else if (type_is_long_double(type)) {
		memcpy(&number->l, bytes, sizeof(number->l));
	} else if (type_is_float(type) && size == 4) {
		memcpy(&f, bytes, sizeof(f));
		number->f = (double)f;
	} else {
		memcpy(number, bytes, size);
		if (!type_is_float(type) && !type_is_wide(type))
			number->u = type_is_pointer(type)
					    ? number->u
					    : wrap(number->u, type);
	}
}
