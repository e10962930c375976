/*
 * clean_name.h - names of the program as text that formats of lines, and
 * figures, can hold
 */
#ifndef REPORT_CLEAN_NAME_H
#define REPORT_CLEAN_NAME_H

#include "perftool/base/str.h"

/* Append a name as UTF-8. Control characters, line separators, characters that
 * change the direction of writing, and bytes that are no UTF-8 become U+FFFD,
 * and a name of no characters "[unknown]". */
void clean_name(const char *name, struct str *out);

/* Append a name in the same way, as a frame of a folded stack: `;` becomes `:`
 * and a blank `_`, because these separate frames and the weight. */
void folded_name(const char *name, struct str *out);

#endif
