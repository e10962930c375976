/*
 * terminal.h - which of perftool and the program has the terminal, and the
 * terminal's modes
 *
 * This folder also has what goes to the terminal (message.c, status.c,
 * streams.c), the signals that come from it (signals.c), and the output and
 * the reading of files that they end (ended_writer.c, ended_reading.c). It uses
 * no other folder of the layer.
 */
#ifndef UI_TERMINAL_H
#define UI_TERMINAL_H

#include "ended_reading.h"
#include "ended_writer.h"
#include "message.h"
#include "signals.h"
#include "status.h"
#include "streams.h"

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	/* the terminal; -1: there is no terminal, and the functions below that
	 * pass it on do nothing */
	int fd;
	pid_t group; /* the process group of perftool */
	/* the modes of the terminal for perftool, and the modes that the
	 * program last set */
	struct termios ours, theirs;
	bool given; /* the program has the terminal now */
};

/* Stores the terminal `fd` and its modes. Waits until perftool is in the
 * foreground of the terminal, as a shell does. `fd` -1: there is no terminal.
 */
void terminal_init(struct terminal *terminal, int fd);

/* terminal_give() makes the process group `group` the foreground group of the
 * terminal, and restores the modes that the program last had. terminal_take()
 * makes perftool the foreground group again, with perftool's own modes. */
void terminal_give(struct terminal *terminal, pid_t group);
void terminal_take(struct terminal *terminal);

/* Makes perftool the foreground group again, and restores the modes that the
 * terminal had before terminal_init(). */
void terminal_deinit(struct terminal *terminal);

/* Gets the size of the terminal `fd`. Returns false if the size is not
 * known. */
bool terminal_size(int fd, size_t *rows, size_t *columns);

/* Returns the number of columns of the terminal `fd`; 80 if the number is not
 * known. */
int terminal_columns(int fd);

/* Returns the column in which a text ends that begins in `column`, on a line
 * without an end. Escape sequences for colours have no width. */
size_t terminal_width(const char *text, size_t length, size_t column);

#endif
