/*
 * history.h - the lines that the user has entered, in this session and in
 * earlier ones
 */
#ifndef UI_HISTORY_H
#define UI_HISTORY_H

#include <histedit.h>

#include "perftool/base/str.h"

struct history_file {
	History *lines;
	char *path; /* path of the history file; NULL: the lines are not saved
		     */
};

/* Loads the lines that the user entered in earlier sessions. The file is
 * $XDG_STATE_HOME/perftool/history if that variable is set, else
 * ~/.perftool_history. */
void history_file_init(struct history_file *history);

/* Saves the lines and frees them. */
void history_file_deinit(struct history_file *history);

/* Adds a line to the history. Leaves out a blank line, and a line that is equal
 * to the last one. */
void history_file_add(struct history_file *history, const char *line);
/* Appends all lines to `out`, oldest first, with their numbers. */
void history_file_print(const struct history_file *history, struct str *out);

#endif
