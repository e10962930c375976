/*
 * svg_text.h - text and lengths in a figure
 */
#ifndef REPORT_SVG_TEXT_H
#define REPORT_SVG_TEXT_H

#include <stdint.h>

#include "perftool/base/str.h"

/* The width of a letter in tenths of a unit, at the size of 11 units. */
#define SVG_LETTER 66

/* Append a clean text (clean_name()) of at most `length` bytes as XML. */
void svg_escape(const char *text, size_t length, struct str *out);

/* Append a text that is not clean as XML. */
void svg_escape_name(const char *name, struct str *out);

/* Append as much of a clean text as fits into so many columns, with two dots if
 * it is cut: at the end, or at the beginning of MODULE+0xADDRESS; nothing if
 * too little of it would remain. Returns the number of columns. */
size_t svg_fit(const char *text, size_t room, struct str *out);

/* Append a length in hundredths of a unit. */
void svg_length(uint64_t hundredths, struct str *out);

#endif
