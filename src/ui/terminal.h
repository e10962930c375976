/*
 * terminal.h - whose the terminal is: perftool's or the program's
 */
#ifndef UI_TERMINAL_H
#define UI_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	int fd;      /* -1: there is none, and every function does nothing */
	pid_t group; /* perftool's own process group */
	struct termios ours, theirs;
	bool given; /* the program has it now */
};

/* Take the terminal of `fd`; waits until perftool is in its foreground, as a
 * shell does. `fd` -1: none. */
void terminal_init(struct terminal *terminal, int fd);

/* Hand it to a process group with the modes the program last had, and take it
 * back with perftool's own. */
void terminal_give(struct terminal *terminal, pid_t group);
void terminal_take(struct terminal *terminal);

/* Leave it as it was found. */
void terminal_deinit(struct terminal *terminal);

/* The size of the terminal of a file descriptor; false when not known. */
bool terminal_size(int fd, size_t *rows, size_t *columns);

/* Its columns alone; 80 when not known. */
int terminal_columns(int fd);

/* The column after some text that begins in `column`, were there no edge. */
size_t terminal_width(const char *text, size_t length, size_t column);

#endif
