/*
 * pager.c - shows a long text in a pager
 *
 * While a command line of the session runs, a file in memory stands in for
 * standard output. Then the tool writes the contents of this file to the screen
 * or gives them to the pager. What a server has replied is shown likewise.
 *
 * The pager belongs to perftool's own process group, as does a shell that
 * perftool starts: Ctrl-C and Ctrl-Z reach both perftool and the pager. The
 * program under test belongs to another process group. If the tool is attached
 * to the program, the program runs and is measured while the user reads.
 */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/child.h"

#include "ui/terminal/terminal.h"
#include "ui/ui.h"

#define DEFAULT "less"
/* Options for `less`: end at once if the text fits on the screen, pass on
 * colours, and leave the text on the screen. */
#define FLAGS "FRX"

enum { TICK_MS = 100 };

bool pager_is_for(const char *line)
{
	static const char help[] = "help";
	size_t length;

	line += strspn(line, " \t");
	length = strcspn(line, " \t");
	return length > 0 && length < sizeof(help) &&
	       strncasecmp(line, help, length) == 0;
}

/* ---- is a pager needed, and is there one? ------------------------------- */

static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path) {
		size_t length = strcspn(path, ":");
		CLEANUP(free_pointer)
		char *file = xasprintf("%.*s/%s", (int)length, path, name);

		if (length && access(file, X_OK) == 0)
			return true;
		path = path[length] ? path + length + 1 : NULL;
	}
	return false;
}

static bool has_pager(void)
{
	const char *command = getenv("PAGER"), *type = getenv("TERM");

	if (!type || !*type || str_equal(type, "dumb"))
		return false;
	if (!command)
		return is_in_path(DEFAULT);
	return *command && !str_equal(command, "cat");
}

/* Does the text need more rows than the screen has? The prompt needs one row of
 * the screen. */
static bool is_long(const char *text, int fd)
{
	size_t rows, columns, needed = 0;

	if (!terminal_size(fd, &rows, &columns))
		return false;
	while (*text) {
		size_t length = strcspn(text, "\n");
		size_t width = terminal_width(text, length, 0);

		needed += width ? (width + columns - 1) / columns : 1;
		text += length + (text[length] == '\n');
	}
	return needed >= rows;
}

/* ---- the pager ----------------------------------------------------------- */

/*
 * The shell script that runs the pager.
 *
 * The pager reads its text from the file `text`. It has the reading end of a
 * pipe as descriptor 9 as long as it lives. The tool holds the writing end, and
 * poll(2) on that end tells when the reading end is closed, so the tool sees
 * the end of the pager. It then waits for the shell, unless the session has
 * collected the end of the shell already.
 */
#define SCRIPT                                                                 \
	"export LESS=\"${LESS-" FLAGS "}\"; "                                  \
	"eval \"${PAGER-" DEFAULT "}\" </dev/fd/%d"

struct running {
	int end; /* the writing end of the pipe */
	pid_t shell;
};

static bool start(int text, struct running *out)
{
	CLEANUP(free_pointer) char *script = xasprintf(SCRIPT, text);
	char name[] = "sh", option[] = "-c";
	char *const argv[] = {name, option, script, NULL};
	sigset_t mask;
	int ends[2], result;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	sigprocmask(SIG_BLOCK, NULL, &mask);
	result = child_start(argv, ends[0], 9, &mask, &out->shell);
	close(ends[0]);
	out->end = ends[1];
	if (result != 0)
		close(ends[1]);
	return result == 0;
}

/* Has the pager ended? The function waits for the end of the pager for
 * `timeout` milliseconds at most. */
static bool is_over(const struct running *pager, int timeout)
{
	struct pollfd end = {.fd = pager->end};

	return poll(&end, 1, timeout) > 0;
}

/* Does the signal ask the tool to end? SIGINT asks only to interrupt. */
static bool is_deadly(int number)
{
	return number && number != SIGINT;
}

static bool is_enough(void *context)
{
	return is_over(context, 0) || is_deadly(signals_peek()) ||
	       signals_peek_suspend();
}

/* Handles Ctrl-Z, which has stopped the pager. Normally the tool stops, too.
 * But an attached program would stand still with the tool, so in that case the
 * tool does not stop, and continues the pager. */
static void suspend(const struct editor_party *party)
{
	if (party->runs_on(party->context))
		kill(0, SIGCONT);
	else
		signals_suspend();
}

/* Waits until the pager ends or until a signal asks the tool to end. Handles
 * the events of an attached program during this time. */
static void wait_for(const struct editor_party *party, struct running *pager,
		     struct str *told)
{
	/* A signal may come just before poll(2), and would then not interrupt
	 * poll(2). So the wait has a time limit and is repeated. */
	while (!is_over(pager, TICK_MS) && !is_deadly(signals_peek())) {
		if (signals_take_suspend())
			suspend(party);
		error_destroy(
			party->serve(party->context, is_enough, pager, told));
	}
	/* The user pressed Ctrl-C for the pager and not for the tool. */
	if (signals_peek() == SIGINT)
		signals_take();
}

/* Shows the text in the pager. Returns false if nothing was shown. */
static bool page(const struct editor_party *party, const struct str *text,
		 struct str *told)
{
	int input = memfd_create("text", 0); /* the pager inherits this file */
	struct running pager;
	bool is_started = false;

	if (input < 0)
		return false;
	if (write(input, text->data, text->length) == (ssize_t)text->length)
		is_started = start(input, &pager);
	close(input);
	if (!is_started)
		return false;
	wait_for(party, &pager, told);
	/* If a signal asks the tool to end, the tool does not wait for the end
	 * of the pager. */
	close(pager.end);
	while (!is_deadly(signals_peek()) && !child_await(pager.shell))
		continue;
	return true;
}

void pager_text(const struct editor_party *party, const struct writer *writer,
		const struct str *text, struct str *told)
{
	struct str laid_out = {0};

	message_lay_out(stdout, str_text(text), text->length, &laid_out);
	if (isatty(STDOUT_FILENO) != 1 || !has_pager() ||
	    !is_long(str_text(&laid_out), STDOUT_FILENO) ||
	    !page(party, &laid_out, told))
		message_write(writer, stdout, str_text(&laid_out));
	str_deinit(&laid_out);
}

/* ---- a line of the session ----------------------------------------------- */

/* Shows what the line has printed. Standard output is the terminal again. What
 * the session says while the pager has the screen is shown behind that. */
static void show(struct ui *ui, const struct editor_party *party,
		 const struct str *text)
{
	struct str told = {0};

	ui->paging = true;
	pager_text(party, &ui->writer, text, &told);
	ui->paging = false;
	str_append(&told, str_text(&ui->held));
	str_deinit(&ui->held);
	message_write(&ui->writer, stderr, str_text(&told));
	str_deinit(&told);
}

/* Reads the file, and appends its contents to `text`. */
static struct error *read_all(int fd, struct str *text)
{
	char buffer[4096];
	ssize_t count;

	while ((count = pread(fd, buffer, sizeof(buffer),
			      (off_t)text->length)) > 0)
		str_append_n(text, buffer, (size_t)count);
	return count < 0 ? error_system(errno, "cannot read the output") : NULL;
}

/* Runs the command line while `file` stands in for standard output. `screen` is
 * a duplicate of standard output, from which the function restores it. `text`
 * gets what the command line has printed. */
static struct error *capture(struct ui *ui, const char *line, int file,
			     int screen, struct str *text)
{
	struct error *error;

	dup2(file, STDOUT_FILENO);
	error = ui_line(ui, line);
	fflush(stdout);
	dup2(screen, STDOUT_FILENO);
	return error ? error : read_all(file, text);
}

struct error *pager_line(struct ui *ui, const struct editor_party *party,
			 const char *line)
{
	struct str text = {0};
	struct error *error;
	int file, screen;

	if (ui->output || isatty(STDOUT_FILENO) != 1)
		return ui_line(ui, line);
	fflush(stdout);
	file = memfd_create("output", MFD_CLOEXEC);
	screen = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (file >= 0 && screen >= 0)
		error = capture(ui, line, file, screen, &text);
	else
		error = ui_line(ui, line);
	if (file >= 0)
		close(file);
	if (screen >= 0)
		close(screen);
	show(ui, party, &text);
	str_deinit(&text);
	return error;
}
