/*
 * ask.h - questions that are answered with yes or no
 */
#ifndef UI_ASK_H
#define UI_ASK_H

#include <stdbool.h>

struct ui;

/* Ask until there is an answer, at a terminal. As in gdb Ctrl-D means yes, and
 * Ctrl-C no; so does a terminal that is gone. */
bool ask_confirm(struct ui *ui, const char *question);

#endif
