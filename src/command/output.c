/*
 * output.c - see output.h
 *
 * Text is written past stdio's buffer, for a Ctrl-C must be able to end a long
 * table in the middle, and a full disk must be seen where it happens.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

enum { CHUNK = 4096 };

bool output_interrupted(const struct session_ui *ui)
{
	return ui && ui->interrupted && ui->interrupted(ui->context);
}

/* All of `text` to a file descriptor. */
static struct error *write_all(const struct session_ui *ui, int fd,
			       const char *name, const char *text,
			       size_t length)
{
	while (length > 0) {
		size_t chunk = length < CHUNK ? length : CHUNK;
		ssize_t written;

		if (output_interrupted(ui))
			return error_create(ERROR_INTERRUPTED, "interrupted");
		written = write(fd, text, chunk);
		if (written < 0 && errno == EAGAIN) {
			struct pollfd ready = {.fd = fd, .events = POLLOUT};

			poll(&ready, 1, -1);
			continue;
		}
		if (written < 0 && errno != EINTR)
			return error_system(errno, "cannot write %s", name);
		if (written > 0) {
			text += written;
			length -= (size_t)written;
		}
	}
	return NULL;
}

struct error *output_write(const struct session_ui *ui, FILE *stream,
			   const char *name, const char *text, size_t length)
{
	int fd = fileno(stream);

	if (fflush(stream) != 0)
		return error_system(errno, "cannot write %s", name);
	if (fd >= 0)
		return write_all(ui, fd, name, text, length);
	if (fwrite(text, 1, length, stream) != length || fflush(stream) != 0)
		return error_system(errno, "cannot write %s", name);
	return NULL;
}

/* ---- the transcript ------------------------------------------------------ */

/* The transcript has the text without its colours. */
void output_log_text(struct interpreter *interpreter, const char *text,
		     size_t length)
{
	if (!interpreter->log)
		return;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\033' && i + 1 < length && text[i + 1] == '[') {
			while (i < length && text[i] != 'm')
				i++;
			continue;
		}
		putc(text[i], interpreter->log);
	}
	fflush(interpreter->log);
}

void output_log_line(struct interpreter *interpreter, const char *prefix,
		     const char *line)
{
	output_log_text(interpreter, prefix, strlen(prefix));
	output_log_text(interpreter, line, strlen(line));
	output_log_text(interpreter, "\n", 1);
}

struct error *output_log_stop(struct interpreter *interpreter)
{
	struct error *error = NULL;
	bool failed;

	if (!interpreter->log)
		return NULL;
	failed = ferror(interpreter->log) != 0;
	if (fclose(interpreter->log) != 0 || failed)
		error = error_create(ERROR_OTHER,
				     "the log %s could not be written whole",
				     interpreter->log_path);
	free(interpreter->log_path);
	interpreter->log = NULL;
	interpreter->log_path = NULL;
	return error;
}

struct error *output_log_start(struct interpreter *interpreter,
			       const char *path)
{
	FILE *log = fopen(path, "we");

	if (!log)
		return error_system(errno, "cannot write %s", path);
	TRY(output_log_stop(interpreter));
	interpreter->log = log;
	interpreter->log_path = xstrdup(path);
	return NULL;
}

/* ---- what commands print ------------------------------------------------- */

struct error *output_print(struct interpreter *interpreter, const char *text,
			   size_t length)
{
	output_log_text(interpreter, text, length);
	return output_write(interpreter->options.ui,
			    interpreter->options.output, "the output", text,
			    length);
}

struct error *output_say(struct interpreter *interpreter, const char *text,
			 size_t length)
{
	output_log_text(interpreter, text, length);
	if (!interpreter->options.messages || length == 0)
		return NULL;
	/* What was done is told whole: NULL, no Ctrl-C here. */
	return output_write(NULL, interpreter->options.messages, "messages",
			    text, length);
}

struct error *output_file(const struct session_ui *ui, const char *path,
			  const struct str *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct error *error;

	if (fd < 0)
		return error_system(errno, "cannot write %s", path);
	error = write_all(ui, fd, path, str_text(text), text->length);
	/* Some file systems tell of a full disk only now. */
	if (close(fd) != 0 && !error)
		error = error_system(errno, "cannot write %s", path);
	return error;
}

struct report_options output_look(const struct interpreter *interpreter,
				  FILE *stream, bool verbose)
{
	struct report_options look = {.verbose = verbose};
	struct winsize size;

	if (!stream)
		return look;
	look.color = interpreter->options.color;
	if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
		look.width = look.columns = size.ws_col;
	return look;
}
