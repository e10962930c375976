/*
 * command_scripts.c - execute the lines of a script
 */
#include "interpreter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "perftool/base/alloc.h"
#include "perftool/session/user_interface.h"

/* A script may source other scripts. The limit ends the recursion of a script
 * that sources itself. */
enum { DEPTH_MAX = 32 };

/* A script that is being read. The script is not read through stdio, because
 * poll(2) cannot see the text that stdio has in its buffer. */
struct script {
	int fd;
	struct str text; /* the text that was read so far */
	size_t at;       /* where in `text` the next line begins */
	bool ended;
};

static bool has_text(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	return poll(&ready, 1, 0) > 0;
}

/* The context of is_readable(): the file that a script waits for. `interrupted`
 * says whether the user has interrupted the wait. */
struct waiting {
	const struct interpreter *interpreter;
	int fd;
	bool interrupted;
};

static bool is_readable(void *context)
{
	struct waiting *waiting = context;

	waiting->interrupted = interpreter_is_interrupted(waiting->interpreter);
	return waiting->interrupted || has_text(waiting->fd);
}

/* Waits until the file of a script can be read. An attached program runs during
 * this wait. */
static struct error *wait_for_text(struct interpreter *interpreter, int fd)
{
	struct waiting waiting = {.interpreter = interpreter, .fd = fd};
	struct str told = {0};
	struct error *error;

	error = interpreter_serve(interpreter, is_readable, &waiting, &told);
	if (!error)
		error = output_told(interpreter, str_text(&told), told.length);
	str_deinit(&told);
	if (!error && waiting.interrupted)
		error = error_create(ERROR_INTERRUPTED, "interrupted");
	return error;
}

/* Reads more of the script. When the user has ended the measurement, the tool
 * does not wait for the writer of a pipe: it carries out what is there. */
static struct error *read_more(struct interpreter *interpreter,
			       struct script *script)
{
	const struct session_ui *ui = interpreter->options.ui;
	char buffer[4096];
	ssize_t count;

	if (interpreter->is_ended_by_user && !has_text(script->fd)) {
		script->ended = true;
		return NULL;
	}
	for (;;) {
		TRY(wait_for_text(interpreter, script->fd));
		if (ui && ui->await)
			ui->await(ui->context, script->fd, POLLIN);
		if (interpreter_is_interrupted(interpreter))
			return error_create(ERROR_INTERRUPTED, "interrupted");
		count = read(script->fd, buffer, sizeof(buffer));
		if (count >= 0)
			break;
		if (errno != EINTR)
			return error_system(errno, "cannot read");
	}
	script->ended = count == 0;
	str_append_n(&script->text, buffer, (size_t)count);
	return NULL;
}

/* Reads the next line of a script, without its newline. The caller frees
 * `*line`. `*line` is NULL at the end of the script. */
static struct error *next_line(struct interpreter *interpreter,
			       struct script *script, char **line)
{
	const char *start, *end;
	size_t length;

	*line = NULL;
	for (;;) {
		start = str_text(&script->text) + script->at;
		length = script->text.length - script->at;
		end = memchr(start, '\n', length);
		if (end || script->ended)
			break;
		TRY(interpreter_check_length(length));
		TRY(read_more(interpreter, script));
	}
	if (!end && !length)
		return NULL;
	if (end)
		length = (size_t)(end - start);
	script->at += length + (end != NULL);
	while (length && start[length - 1] == '\r')
		length--;
	*line = xstrndup(start, length);
	return NULL;
}

static struct error *run_lines(struct interpreter *interpreter,
			       struct script *script, const char *name)
{
	const char *outer = interpreter->script;
	unsigned long outer_line = interpreter->line, number = 0;
	struct error *error = NULL;

	while (!error && !interpreter->done) {
		CLEANUP(free_pointer) char *line = NULL;

		error = next_line(interpreter, script, &line);
		if (!error && !line)
			break;
		number++;
		interpreter->script = name;
		interpreter->line = number;
		if (!error)
			error = interpreter_line(interpreter, line);
	}
	interpreter->script = outer;
	interpreter->line = outer_line;
	return error ? error_prefix(error, "%s:%lu", name, number) : NULL;
}

/* Returns the error that tells why open(2) of a script has failed, from errno.
 * open(2) of a FIFO waits for a writer, and any signal ends this wait with
 * EINTR, so the reason may be that the user has asked to interrupt. */
static struct error *unreadable(const struct interpreter *interpreter,
				const char *path)
{
	int number = errno;

	if (!*path)
		return error_create(ERROR_USAGE,
				    "the name of the script is empty");
	if (number == EINTR && interpreter_is_interrupted(interpreter))
		return error_create(ERROR_INTERRUPTED, "interrupted");
	return error_system(number, "cannot read %s", path);
}

struct error *interpreter_script(struct interpreter *interpreter,
				 const char *path)
{
	bool standard = str_equal(path, "-");
	struct script script = {.fd = STDIN_FILENO};
	struct error *error;

	if (interpreter->depth >= DEPTH_MAX)
		return error_create(ERROR_USAGE,
				    "%s: scripts are nested too deeply", path);
	if (!standard)
		script.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (script.fd < 0)
		return unreadable(interpreter, path);
	interpreter->depth++;
	error = run_lines(interpreter, &script,
			  standard ? "standard input" : path);
	interpreter->depth--;
	str_deinit(&script.text);
	if (!standard)
		close(script.fd);
	return error;
}
