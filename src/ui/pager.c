/*
 * pager.c - see pager.h
 *
 * What the line prints goes to a file in memory, which stands in for standard
 * output meanwhile, and from there to the screen or the pager. The pager is of
 * perftool's own process group, as a shell that it starts: Ctrl-C and Ctrl-Z
 * reach both. The program under test is of another, and if it was attached to,
 * it runs and is measured while somebody reads.
 */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

#include "message.h"
#include "signals.h"
#include "ui.h"

#define DEFAULT "less"
#define DEFAULT_FLAGS                                                          \
	"FRX" /* end by itself, colours, leave it on the screen                \
	       */

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

/* ---- is there need and means? -------------------------------------------- */

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

/* For the shell; NULL: none. */
static const char *pager_command(void)
{
	const char *command = getenv("PAGER"), *type = getenv("TERM");

	if (!type || !*type || str_equal(type, "dumb"))
		return NULL;
	if (!command)
		return is_in_path(DEFAULT) ? DEFAULT : NULL;
	return *command && !str_equal(command, "cat") ? command : NULL;
}

/* Longer than the screen, of which the prompt takes a row. */
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

struct waiting {
	int pager; /* a descriptor of the process */
};

static bool is_over(const struct waiting *waiting)
{
	struct pollfd ready = {.fd = waiting->pager, .events = POLLIN};

	return poll(&ready, 1, 0) > 0;
}

static bool is_deadly(int number)
{
	return number && number != SIGINT;
}

static bool is_enough(void *context)
{
	return is_over(context) || is_deadly(signals_peek()) ||
	       signals_peek_suspend();
}

/* Ctrl-Z. Where a program would stand still with us, the pager, which has
 * stopped, goes on. */
static void suspend(const struct ui *ui)
{
	if (interpreter_runs_on(ui->interpreter))
		kill(0, SIGCONT);
	else
		signals_suspend();
}

static void wait_for(struct ui *ui, struct waiting *waiting)
{
	struct pollfd ready = {.fd = waiting->pager, .events = POLLIN};
	struct str told = {0};

	ui->paging = true;
	while (!is_over(waiting) && !is_deadly(signals_peek())) {
		if (signals_take_suspend())
			suspend(ui);
		error_destroy(interpreter_serve(ui->interpreter, is_enough,
						waiting, &told));
		/* again and again, for a signal may come just before */
		if (!interpreter_runs_on(ui->interpreter))
			poll(&ready, 1, TICK_MS);
	}
	ui->paging = false;
	/* it was the pager's */
	if (signals_peek() == SIGINT)
		signals_take();
	str_append(&told, str_text(&ui->held));
	str_deinit(&ui->held);
	message_write(stderr, str_text(&told));
	str_deinit(&told);
}

/* What the environment says of less is what the user wants. */
static char **environment(char *flags)
{
	size_t count = 0;
	char **copy;

	while (environ[count])
		count++;
	copy = xcalloc(count + 2, sizeof(*copy));
	memcpy(copy, environ, count * sizeof(*copy));
	if (!getenv("LESS"))
		copy[count] = flags;
	return copy;
}

static int start(const char *command, int input, pid_t *pid)
{
	char name[] = "sh", option[] = "-c", flags[] = "LESS=" DEFAULT_FLAGS;
	CLEANUP(free_pointer) char *copy = xstrdup(command);
	char *const argv[] = {name, option, copy, NULL};
	char **variables = environment(flags);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t mask;
	int result;

	/* blocked, perhaps, while a program is attached to: not the pager's */
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigdelset(&mask, SIGTTIN);
	sigdelset(&mask, SIGTTOU);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &mask);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	result =
		posix_spawnp(pid, name, &actions, &attributes, argv, variables);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(variables);
	return result;
}

/* False: nothing was shown. */
static bool page(struct ui *ui, const char *command, const struct str *text)
{
	struct waiting waiting;
	int input = memfd_create("text", MFD_CLOEXEC), result = EIO;
	pid_t pid;

	if (input < 0)
		return false;
	if (pwrite(input, text->data, text->length, 0) == (ssize_t)text->length)
		result = start(command, input, &pid);
	close(input);
	if (result != 0)
		return false;
	waiting.pager = pidfd_open(pid, 0);
	if (waiting.pager >= 0) {
		wait_for(ui, &waiting);
		if (!is_over(&waiting))
			kill(pid, SIGTERM);
		close(waiting.pager);
	}
	/* whoever waits for the program may have seen its end before us */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return true;
}

/* Standard output is the terminal again. */
static void show(struct ui *ui, const struct str *text)
{
	const char *command = pager_command();

	if (!command || !is_long(str_text(text), STDOUT_FILENO) ||
	    !page(ui, command, text))
		message_write(stdout, str_text(text));
}

/* ---- the line ------------------------------------------------------------ */

static struct error *read_all(int fd, struct str *text)
{
	struct str read = {0};
	size_t rows, columns;
	char buffer[4096];
	ssize_t count;

	while ((count = pread(fd, buffer, sizeof(buffer), (off_t)read.length)) >
	       0)
		str_append_n(&read, buffer, (size_t)count);
	if (terminal_size(STDOUT_FILENO, &rows, &columns))
		message_wrap(str_text(&read), read.length, columns, text);
	else
		str_append_n(text, str_text(&read), read.length);
	str_deinit(&read);
	return count < 0 ? error_system(errno, "cannot read the output") : NULL;
}

/* The line, with `file` in place of standard output. */
static struct error *capture(struct ui *ui, const char *line, int file,
			     int screen, struct str *text)
{
	struct error *error;

	dup2(file, STDOUT_FILENO);
	error = interpreter_line(ui->interpreter, line);
	fflush(stdout);
	dup2(screen, STDOUT_FILENO);
	return error ? error : read_all(file, text);
}

struct error *pager_line(struct ui *ui, const char *line)
{
	struct str text = {0};
	struct error *error;
	int file, screen;

	if (ui->output || isatty(STDOUT_FILENO) != 1)
		return interpreter_line(ui->interpreter, line);
	fflush(stdout);
	file = memfd_create("output", MFD_CLOEXEC);
	screen = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (file >= 0 && screen >= 0)
		error = capture(ui, line, file, screen, &text);
	else
		error = interpreter_line(ui->interpreter, line);
	if (file >= 0)
		close(file);
	if (screen >= 0)
		close(screen);
	show(ui, &text);
	str_deinit(&text);
	return error;
}
