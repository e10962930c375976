/*
 * quotation.h - characters and strings in quotes, as gdb's `print` writes them
 *
 * A character that cannot be printed is written as an escape, which is octal if
 * C has no letter for it. A character that repeats more than ten times is
 * written once, with its count.
 */
#ifndef EXPR_QUOTATION_H
#define EXPR_QUOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/str.h"

/* How many elements of a string or array are written at most. */
#define TEXT_MOST 200
/* If an element repeats more often than this, it is written once with its
 * count. */
#define TEXT_REPEATS 10

/* An array of characters, of 1, 2 or 4 bytes each. */
struct text {
	const uint8_t *bytes;
	size_t count; /* in characters */
	uint8_t width;
	const char *prefix; /* "", "L", "u", "U" */
};

/* The prefix (L, u, U or none) of literals of the type of characters that has
 * this name. */
const char *text_prefix(const char *type);

/* Write a character: 'a'. `wide`: its type has characters beyond ASCII. */
void text_append_character(struct str *out, uint32_t c, const char *prefix,
			   bool wide);

/*
 * Write a string: "abc", '\000' <repeats 11 times>. `more`: the string is
 * longer than `text`, and `...` at the end says so.
 */
void text_append(struct str *out, const struct text *text, bool more);

/* Write one character within quotes, with an escape if it needs one. */
void text_escape(struct str *out, uint32_t c, char quote);

/*
 * Append one character of a string of bytes: as UTF-8 if the bytes are a
 * character of UTF-8 that can be printed, else one byte with an escape. Returns
 * how many bytes the character has. `quote` is the quote around it, which is
 * escaped, too; 0: there is none.
 */
size_t print_character(struct str *out, const uint8_t *bytes, size_t size,
		       char quote);

#endif
