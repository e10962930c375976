/*
 * utf8.h - texts of which some bytes may not be UTF-8
 *
 * Names of functions, files and threads are whatever bytes the program has put
 * there. Formats that other programs read must be UTF-8.
 */
#ifndef PERFTOOL_BASE_UTF8_H
#define PERFTOOL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/str.h"

/* What a byte that belongs to no valid sequence is replaced by: U+FFFD. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * The length of the UTF-8 sequence with which the terminated `text` begins, or
 * 0 if it does not begin with a valid one (RFC 3629: no longer form than
 * necessary, no surrogates, nothing beyond U+10FFFF). `code` gets the code
 * point unless it is NULL.
 */
size_t utf8_sequence(const char *text, uint32_t *code);

/* Is it a control character, as those that begin escape sequences of a
 * terminal, or one that ends a line or changes the direction of the text behind
 * it: U+061C, U+200E, U+200F, U+2028 to U+202E, and U+2066 to U+2069?
 */
bool utf8_is_control(uint32_t code);

/* Append `length` bytes as a terminal may get them: with '?' in place of each
 * such character, unless it is one of `kept`, and of each byte from 0x80 to
 * 0x9f outside of a sequence, which is a control character in other encodings.
 */
void utf8_append_harmless(const char *text, size_t length, const char *kept,
			  struct str *out);

/* Is all of the text UTF-8? */
bool utf8_is_valid(const char *text);

/* Append the text. Each byte that belongs to no valid sequence becomes
 * U+FFFD. */
void utf8_append(const char *text, struct str *out);

#endif
