/*
 * history.h - the lines of earlier sessions
 */
#ifndef UI_HISTORY_H
#define UI_HISTORY_H

#include <histedit.h>

#include "perftool/base/str.h"

struct history_file {
	History *lines;
	char *path; /* NULL: not kept */
};

/* $XDG_STATE_HOME/perftool/history, else ~/.perftool_history. */
void history_file_init(struct history_file *history);

/* Saves the lines. */
void history_file_deinit(struct history_file *history);

/* Blank lines and repetitions of the last are left out. */
void history_file_add(struct history_file *history, const char *line);
void history_file_print(const struct history_file *history, struct str *out);

#endif
