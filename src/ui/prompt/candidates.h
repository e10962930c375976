/*
 * candidates.h - shows the candidates for completing a word if there are
 * several
 */
#ifndef UI_CANDIDATES_H
#define UI_CANDIDATES_H

#include "perftool/command.h"

/* Returns the longest text with which all candidates begin. `completion` has at
 * least one candidate. The caller frees the text. */
char *candidates_common(const struct completion *completion);

/* Prints the candidates in columns, which fill the width of the terminal. If
 * there are very many candidates, prints only the first ones and the number of
 * the remaining candidates. */
void candidates_list(const struct completion *completion);

#endif
