/*
 * expression_number.h - the numbers on the stack of a DWARF expression, and
 * what is computed with them (DWARF 5, 2.5.1)
 *
 * Most are of the generic type, 64 bits without a sign of their own. Those of a
 * base type are what gcc computes with for floating-point variables and narrow
 * integers that were optimized out.
 */
#ifndef PERFTOOL_DEBUGINFO_EXPRESSION_NUMBER_H
#define PERFTOOL_DEBUGINFO_EXPRESSION_NUMBER_H

#include <stdint.h>

#include "perftool/base/error.h"

enum number_kind {
	NUMBER_GENERIC,
	NUMBER_SIGNED,
	NUMBER_UNSIGNED,
	NUMBER_FLOAT, /* of 4, 8, or 16 bytes: a long double */
	NUMBER_OTHER, /* bytes that nobody computes with */
};

struct number_type {
	enum number_kind kind;
	uint8_t size; /* bytes, 1 .. 16 */
};

struct number {
	struct number_type type;
	unsigned __int128 bits; /* those beyond its size are zero */
};

struct number number_generic(uint64_t value);

/* The bits as of that type; what does not fit is cut off. */
struct number number_of_bits(struct number_type type, unsigned __int128 bits);

/* An operation (DW_OP_plus ...) on two numbers of one type, or on one. */
struct error *number_binary(unsigned opcode, const struct number *a,
			    const struct number *b, struct number *out);
struct error *number_unary(unsigned opcode, const struct number *a,
			   struct number *out);

/* The same value as another type: DW_OP_convert. */
struct error *number_as(const struct number *a, struct number_type type,
			struct number *out);

/* As an address, an offset: an integer of any type. */
struct error *number_integer(const struct number *a, uint64_t *out);

#endif
