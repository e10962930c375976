/*
 * literal.h - what numbers, characters and strings of C's notation stand for
 *
 * All errors are ERROR_USAGE and name the word and its column.
 */
#ifndef EXPR_LITERAL_H
#define EXPR_LITERAL_H

#include <stddef.h>

#include "lexer.h"
#include "perftool/base/str.h"
#include "type.h"

union number {
	uint64_t u; /* integers: extended to 64 bits by their sign */
	int64_t i;
	unsigned __int128 wide_u; /* those of 128 bits */
	__int128 wide_i;
	double f;      /* float too, and of its precision */
	long double l; /* long double */
};

/*
 * The current TOKEN_NUMBER. An integer has the first type of C's list that
 * holds it (C17 6.4.4.1); a decimal one that no signed type holds is unsigned
 * long, as in C90.
 */
struct error *literal_number(const struct lexer *lexer, struct type *type,
			     union number *out);

/* The current TOKEN_CHARACTER: a char, by its sign. */
struct error *literal_character(const struct lexer *lexer, union number *out);

/* Append the bytes of the current TOKEN_STRING to `*bytes`. */
struct error *literal_string(const struct lexer *lexer, struct str *bytes);

#endif
