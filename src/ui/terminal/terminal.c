/*
 * terminal.c - passes the terminal between perftool and the program; sizes and
 * widths on terminals
 *
 * Invariant: while `given` is false, perftool's own process group is the
 * foreground group of the terminal, and the modes of the terminal are `ours`.
 * While the program is stopped, the tool keeps the modes of the program, so
 * that a program such as an editor finds the terminal as the program has left
 * it.
 *
 * A background process that sets the modes or the foreground group of a
 * terminal gets SIGTTOU. The tool blocks the signal during these calls. It does
 * not ignore the signal, because the program would inherit an ignored signal.
 */
#include "terminal.h"

#include <ctype.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

enum { TAB = 8 };

static void block(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, before);
}

static void unblock(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* Stops the tool as the kernel stops a background process that reads from its
 * terminal. Returns true when somebody has continued the tool. Returns false if
 * the tool could not be stopped: the kernel discards the signal in an orphaned
 * process group, where no shell is left that could continue the tool, and the
 * tool may have inherited the signal as ignored. */
static bool stop_until_continued(void)
{
	const struct timespec now = {0};
	sigset_t set, before;
	bool was_continued;

	/* A blocked SIGCONT still continues the process, and stays pending. */
	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, &before);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
	was_continued =
		kill(0, SIGTTIN) == 0 && sigtimedwait(&set, NULL, &now) > 0;
	unblock(&before);
	return was_continued;
}

void terminal_init(struct terminal *terminal, int fd)
{
	*terminal = (struct terminal){.fd = fd};
	if (fd < 0)
		return;
	/* A tool that was started in the background stops itself until the user
	 * brings it to the foreground. If it cannot be stopped, it goes on
	 * without a terminal. */
	while (tcgetpgrp(fd) != getpgrp()) {
		if (tcgetpgrp(fd) < 0 || !stop_until_continued()) {
			terminal->fd = -1;
			return;
		}
	}
	terminal->group = getpgrp();
	if (tcgetattr(fd, &terminal->ours) != 0)
		terminal->fd = -1;
	terminal->theirs = terminal->ours;
}

void terminal_give(struct terminal *terminal, pid_t group)
{
	sigset_t before;

	if (terminal->fd < 0 || terminal->given || group == terminal->group)
		return;
	block(&before);
	tcsetattr(terminal->fd, TCSADRAIN, &terminal->theirs);
	terminal->given = tcsetpgrp(terminal->fd, group) == 0;
	unblock(&before);
}

void terminal_take(struct terminal *terminal)
{
	sigset_t before;

	if (terminal->fd < 0 || !terminal->given)
		return;
	block(&before);
	tcgetattr(terminal->fd, &terminal->theirs);
	tcsetpgrp(terminal->fd, terminal->group);
	tcsetattr(terminal->fd, TCSADRAIN, &terminal->ours);
	unblock(&before);
	terminal->given = false;
}

void terminal_deinit(struct terminal *terminal)
{
	sigset_t before;

	if (terminal->fd < 0)
		return;
	terminal_take(terminal);
	block(&before);
	tcsetattr(terminal->fd, TCSADRAIN, &terminal->ours);
	unblock(&before);
}

bool terminal_size(int fd, size_t *rows, size_t *columns)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
	    size.ws_row == 0)
		return false;
	*rows = size.ws_row;
	*columns = size.ws_col;
	return true;
}

int terminal_columns(int fd)
{
	size_t rows, columns;

	return terminal_size(fd, &rows, &columns) ? (int)columns : 80;
}

/* Returns the length of the escape sequence for colours at the beginning of the
 * text; 0 if there is none. */
static size_t escape_length(const char *text, size_t length)
{
	size_t at = 2;

	if (length < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (at < length &&
	       (isdigit((unsigned char)text[at]) || text[at] == ';'))
		at++;
	return at < length && text[at] == 'm' ? at + 1 : 0;
}

size_t terminal_width(const char *text, size_t length, size_t column)
{
	mbstate_t state = {0};

	while (length > 0) {
		wchar_t character;
		size_t escape = escape_length(text, length);
		size_t used = mbrtowc(&character, text, length, &state);
		int width = 1;

		if (escape) {
			used = escape;
			width = 0;
		} else if (used == (size_t)-1 || used == (size_t)-2 ||
			   used == 0) {
			/* The byte is not part of a valid character in this
			 * locale. The terminal shows something that is one
			 * column wide. */
			state = (mbstate_t){0};
			used = 1;
		} else if (character == L'\t') {
			width = (int)(TAB - column % TAB);
		} else {
			width = wcwidth(character);
		}
		column += width > 0 ? (size_t)width : 0;
		text += used;
		length -= used;
	}
	return column;
}
