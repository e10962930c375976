/*
 * pager.h - shows text that is longer than the screen in a pager, a program
 * such as `less`
 */
#ifndef UI_PAGER_H
#define UI_PAGER_H

#include <stdbool.h>

#include "perftool/base/error.h"

#include "editor.h"

struct ui;

/*
 * Runs a line of the prompt that prints a text for the user to read. If the
 * text is longer than the screen, the tool starts $PAGER, or `less` if that
 * variable is not set, and gives the text to this pager. If there is no pager,
 * or if the output is not a terminal, the tool prints the text itself. Returns
 * the error of running the line. `party` is as for pager_text().
 */
struct error *pager_line(struct ui *ui, const struct editor_party *party,
			 const char *line);

/* Shows a text in the pager, or on the screen, as pager_line() does. `party`
 * has `serve` and `runs_on`; `serve` is called while the user reads, and `told`
 * gets what it has to say. */
void pager_text(const struct editor_party *party, const struct writer *writer,
		const struct str *text, struct str *told);

/* Does the line hold a command for pager_line(), which is the command `help`?
 */
bool pager_is_for(const char *line);

#endif
