/*
 * quotation.h - characters and strings as gdb's `print` writes them
 *
 * A character that cannot be printed is escaped, in octal if C has no letter
 * for it; what repeats more than ten times is written once, with its count.
 */
#ifndef EXPR_QUOTATION_H
#define EXPR_QUOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/str.h"
#include "print.h"

/* How many elements of a string or array are written. */
#define TEXT_MOST 200
/* More of the same than this are written as one. */
#define TEXT_REPEATS 10

/* An array of characters, of 1, 2 or 4 bytes each. */
struct text {
	const uint8_t *bytes;
	size_t count; /* characters */
	uint8_t width;
	const char *prefix; /* "", "L", "u", "U" */
};

/* The prefix of a type of characters, by its name. */
const char *text_prefix(const char *type);

/* 'a'; `wide`: of a type for more than ASCII. */
void text_append_character(struct str *out, uint32_t c, const char *prefix,
			   bool wide);

/* "abc", '\000' <repeats 11 times>; `more`: there is more, which says `...`. */
void text_append(struct str *out, const struct text *text, bool more);

/* One character for what is within the quote. */
void text_escape(struct str *out, uint32_t c, char quote);

#endif
