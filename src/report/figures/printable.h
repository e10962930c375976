/*
 * printable.h - texts from the program under measurement, such as names of
 * functions, as a part of a line
 *
 * A name may contain anything. What would change how the rest of the line looks
 * becomes `?': control characters, bytes that are not UTF-8, and the invisible
 * characters that turn the direction of writing.
 */
#ifndef PERFTOOL_REPORT_PRINTABLE_H
#define PERFTOOL_REPORT_PRINTABLE_H

#include "perftool/base/str.h"

/* Append the text. */
void printable(const char *text, struct str *out);

/* Append the text, with at most `width` characters: of a longer one the
 * beginning and the end, with two dots between them. 0: no limit. */
void printable_cut(const char *text, size_t width, struct str *out);

#endif
