/*
 * ask.h - questions that the user answers by yes or no
 */
#ifndef UI_ASK_H
#define UI_ASK_H

#include <stdbool.h>

struct ui;

/*
 * Asks the user a question at the terminal until the user answers. Returns
 * whether the answer is yes.
 *
 * These count as no: an empty line, ESC, Ctrl-C, and a terminal that is gone.
 * Three lines that are neither yes nor no count as no, too, because they may be
 * commands that the user typed before the question appeared. Ctrl-D means no,
 * but it means yes if `end_means_yes` is true, which is for the question
 * whether to quit (as in gdb).
 *
 * The program may cause another question while this question waits for its
 * answer. So the function may be called again before it has returned.
 */
bool ask_confirm(struct ui *ui, const char *question, bool end_means_yes);

#endif
