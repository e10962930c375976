/*
 * candidates.h - what a completion offers, of which there are several words
 */
#ifndef UI_CANDIDATES_H
#define UI_CANDIDATES_H

#include "perftool/command.h"

/* What all of them begin with; the caller frees it. */
char *candidates_common(const struct completion *completion);

/* Print them in columns, as wide as the terminal; not all, where they are many.
 */
void candidates_list(const struct completion *completion);

#endif
