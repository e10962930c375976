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

/*
 * The current TOKEN_CHARACTER: a char, by its sign, or what its prefix says. Of
 * a wider type, `*name` is what that is called: `wchar_t`; or `char`, of one
 * without a prefix that is beyond ASCII, which only Rust has.
 */
struct error *literal_character(const struct lexer *lexer, struct type *type,
				const char **name, union number *out);

/* Bytes of each character of the current TOKEN_STRING. */
uint8_t literal_width(const struct lexer *lexer);

/* Append the bytes of the current TOKEN_STRING to `*bytes`, as characters of
 * such a width. */
struct error *literal_string(const struct lexer *lexer, uint8_t width,
			     struct str *bytes);

#endif
