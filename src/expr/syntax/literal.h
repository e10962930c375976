/*
 * literal.h - the values of numbers, characters and strings in C's notation
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
	uint64_t u; /* integers, extended to 64 bits by their sign */
	int64_t i;
	unsigned __int128 wide_u; /* integers of 128 bits */
	__int128 wide_i;
	double f;      /* also of a float, rounded to its precision */
	long double l; /* long double */
};

/*
 * The value of the current TOKEN_NUMBER. An integer has the first type of C's
 * list that holds it (C17 6.4.4.1). A decimal integer that no signed type holds
 * is unsigned long, as in C90.
 */
struct error *literal_number(const struct lexer *lexer, struct type *type,
			     union number *out);

/*
 * The value of the current TOKEN_CHARACTER. Without a prefix its type is char,
 * which is signed. With a prefix, `*name` is the name of the type: `wchar_t`,
 * for example. A single character beyond ASCII without a prefix, which only
 * Rust has, has the type `char` of Rust, and `*name` is "char". Else `*name` is
 * NULL.
 */
struct error *literal_character(const struct lexer *lexer, struct type *type,
				const char **name, union number *out);

/* How many bytes each character of the current TOKEN_STRING has. */
uint8_t literal_width(const struct lexer *lexer);

/*
 * Append the bytes of the current TOKEN_STRING to `*bytes`. Each character
 * becomes `width` bytes.
 */
struct error *literal_string(const struct lexer *lexer, uint8_t width,
			     struct str *bytes);

#endif
