/*
 * ask.h - questions that are answered with yes or no
 */
#ifndef UI_ASK_H
#define UI_ASK_H

#include <stdbool.h>

struct ui;

/*
 * Ask at a terminal, until there is an answer. An empty line, ESC, Ctrl-C and a
 * terminal that is gone mean no, and so do three lines that are no answer: they
 * may be commands that were typed ahead. Ctrl-D means no unless `end_means_yes`
 * says otherwise, as of gdb's question whether to quit.
 */
bool ask_confirm(struct ui *ui, const char *question, bool end_means_yes);

#endif
