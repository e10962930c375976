/*
 * expression_number.h - the numbers on the stack of a DWARF expression, and
 * arithmetic with them (DWARF 5, 2.5.1)
 *
 * Most numbers are of the generic type, which has 64 bits and no sign of its
 * own. A number can also have a base type of the program. gcc uses such numbers
 * for floating-point variables and narrow integers that were optimized out.
 */
#ifndef PERFTOOL_DEBUGINFO_EXPRESSION_NUMBER_H
#define PERFTOOL_DEBUGINFO_EXPRESSION_NUMBER_H

#include <stdint.h>

#include "perftool/base/error.h"

enum number_kind {
	NUMBER_GENERIC,
	NUMBER_SIGNED,
	NUMBER_UNSIGNED,
	NUMBER_FLOAT, /* with 4, 8 or 16 bytes; 16: a long double */
	NUMBER_OTHER, /* bytes that expressions cannot compute with */
};

struct number_type {
	enum number_kind kind;
	uint8_t size; /* in bytes, 1 to 16 */
};

struct number {
	struct number_type type;
	unsigned __int128 bits; /* bits beyond the size are zero */
};

struct number number_generic(uint64_t value);

/* Make a number of this type with these bits. Bits beyond the type's size are
 * cut off. */
struct number number_of_bits(struct number_type type, unsigned __int128 bits);

/* Do an operation (DW_OP_plus ...) on two numbers of the same type, or on one
 * number. ERROR_EVALUATE: the operation is not allowed for these types, or
 * divides by zero. */
struct error *number_binary(unsigned opcode, const struct number *a,
			    const struct number *b, struct number *out);
struct error *number_unary(unsigned opcode, const struct number *a,
			   struct number *out);

/* Convert a number to another type (DW_OP_convert). ERROR_EVALUATE: the value
 * does not fit, or the types do not allow it. */
struct error *number_as(const struct number *a, struct number_type type,
			struct number *out);

/* The value of an integer of any type, for use as an address or offset.
 * ERROR_EVALUATE: the number is not an integer. */
struct error *number_integer(const struct number *a, uint64_t *out);

#endif
