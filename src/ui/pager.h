/*
 * pager.h - text that is longer than the screen
 */
#ifndef UI_PAGER_H
#define UI_PAGER_H

#include <stdbool.h>

#include "perftool/base/error.h"

struct ui;

/*
 * Carry out a line of the prompt that prints a text to be read. If it is longer
 * than the screen, it is given to $PAGER, or to less; where there is none, or
 * the output is no terminal, it is printed.
 */
struct error *pager_line(struct ui *ui, const char *line);

/* Is it such a line? */
bool pager_is_for(const char *line);

#endif
