/*
 * candidates.h - shows the candidates for completing a word if there are
 * several
 */
#ifndef UI_CANDIDATES_H
#define UI_CANDIDATES_H

#include <stdio.h>

/* Both take a list of candidates that ends with NULL. */

/* Returns the longest text with which all candidates begin. There is at least
 * one. The caller frees the text. */
char *candidates_common(char *const *words);

/* Prints the candidates to `screen` in columns, which fill the width of the
 * terminal. If there are very many candidates, prints only the first ones and
 * the number of the remaining candidates. */
void candidates_list(char *const *words, FILE *screen);

#endif
