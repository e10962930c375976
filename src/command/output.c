/*
 * output.c - see output.h
 *
 * Text is not written through the buffer of stdio, for two reasons: a Ctrl-C
 * must be able to stop a long table in the middle, and the error of a full disk
 * must be seen at the write that failed.
 */
#include "output.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/base/replaced_file.h"
#include "perftool/base/utf8.h"
#include "perftool/base/whole_file.h"
#include "perftool/base/writer.h"
#include "perftool/session/session_settings.h"
#include "perftool/session/user_interface.h"

bool output_interrupted(const struct session_ui *ui)
{
	return ui && ui->interrupted && ui->interrupted(ui->context);
}

/* Makes a writer for a file. `whole`: if the user asks to end, the writer still
 * writes the whole text, unless nobody reads the file. */
static struct writer make_writer(const struct session_ui *ui, bool whole)
{
	struct writer writer = {0};

	if (ui) {
		writer.await = ui->await_room;
		writer.context = ui->context;
		if (!whole)
			writer.interrupted = ui->interrupted;
	}
	return writer;
}

static struct error *write_stream(const struct writer *writer, FILE *stream,
				  const char *name, const char *text,
				  size_t length)
{
	int fd = fileno(stream), failure;

	if (fflush(stream) != 0)
		return error_system(errno, "cannot write %s", name);
	if (fd >= 0) {
		failure = writer_write(writer, fd, text, length);
		return failure ? writer_error(failure, name) : NULL;
	}
	if (fwrite(text, 1, length, stream) != length || fflush(stream) != 0)
		return error_system(errno, "cannot write %s", name);
	return NULL;
}

struct error *output_write(const struct session_ui *ui, FILE *stream,
			   const char *name, const char *text, size_t length)
{
	const struct writer writer = make_writer(ui, false);

	return write_stream(&writer, stream, name, text, length);
}

/* ---- the transcript ------------------------------------------------------ */

/* The transcript gets the text without the escape sequences of colours. */
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
	if (fflush(interpreter->log) != 0 && !interpreter->log_errno)
		interpreter->log_errno = errno;
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

	if (!interpreter->log)
		return NULL;
	if (fclose(interpreter->log) != 0 && !interpreter->log_errno)
		interpreter->log_errno = errno;
	if (interpreter->log_errno)
		error = writer_incomplete(interpreter->log_errno, "log",
					  interpreter->log_path);
	interpreter->log_errno = 0;
	free(interpreter->log_path);
	interpreter->log = NULL;
	interpreter->log_path = NULL;
	return error;
}

struct error *output_log_start(struct interpreter *interpreter,
			       const char *path)
{
	const struct writer writer =
		make_writer(interpreter->options.ui, false);
	FILE *log;

	TRY(replaced_file_check(path));
	log = writer_stream(&writer, path);
	if (!log)
		return writer_error(errno, path);
	TRY(output_log_stop(interpreter));
	interpreter->log = log;
	interpreter->log_path = xstrdup(path);
	return NULL;
}

/* ---- what commands print ------------------------------------------------- */

/* Lays the text out for the terminal, as it will be printed. JSON and CSV are
 * read by programs, also if the user copies them from the terminal. Their lines
 * are therefore not broken. */
static void lay_out(const struct interpreter *interpreter, const char *text,
		    size_t length, struct str *out)
{
	const struct interpreter_options *options = &interpreter->options;

	if (options->lay_out && session_format(options->session) == FORMAT_TEXT)
		options->lay_out(options->output, text, length, out);
	else if (isatty(fileno(options->output)) == 1)
		utf8_append_harmless(text, length, "\n\r\t", out);
	else
		str_append_n(out, text, length);
}

size_t output_lines(const struct interpreter *interpreter,
		    const struct str *text, size_t columns)
{
	CLEANUP(str_deinit) struct str shown = {0};
	size_t lines = 0, width = 0;

	lay_out(interpreter, str_text(text), text->length, &shown);
	for (size_t i = 0; i < shown.length; i++) {
		bool ends = str_text(&shown)[i] == '\n';

		/* The terminal itself divides a word that is too long. */
		if (ends || (columns && width == columns)) {
			lines++;
			width = 0;
		}
		width += !ends;
	}
	return lines;
}

struct error *output_print(struct interpreter *interpreter, const char *text,
			   size_t length)
{
	const struct interpreter_options *options = &interpreter->options;
	CLEANUP(str_deinit) struct str shown = {0};

	output_log_text(interpreter, text, length);
	if (options->before_output)
		options->before_output(options->ui->context);
	lay_out(interpreter, text, length, &shown);
	return output_write(options->ui, options->output, "the output",
			    str_text(&shown), shown.length);
}

struct error *output_say(struct interpreter *interpreter, const char *text,
			 size_t length)
{
	output_log_text(interpreter, text, length);
	return output_told(interpreter, text, length);
}

struct error *output_told(struct interpreter *interpreter, const char *text,
			  size_t length)
{
	const struct writer writer = make_writer(interpreter->options.ui, true);

	if (!interpreter->options.messages || length == 0)
		return NULL;
	return write_stream(&writer, interpreter->options.messages, "messages",
			    text, length);
}

struct error *output_path(struct session *session, const char *word, char **out)
{
	CLEANUP(free_pointer) char *name = NULL;
	struct name_parts parts;

	session_name_parts(session, &parts);
	TRY(output_name_expand(word, &parts, &name));
	*out = path_of_user(name);
	return NULL;
}

struct error *output_file(const struct session_ui *ui, const char *path,
			  const struct str *text)
{
	const struct writer writer = make_writer(ui, false);
	struct whole_file file;
	struct error *error;

	TRY(whole_file_begin(&file, &writer, path));
	error = whole_file_write(&file, str_text(text), text->length);
	if (!error)
		return whole_file_finish(&file);
	whole_file_give_up(&file);
	return error;
}

struct report_options output_look(const struct interpreter *interpreter,
				  FILE *stream, bool verbose)
{
	struct report_options look = {.verbose = verbose};
	struct winsize size;

	report_choose_columns(&look,
			      session_columns(interpreter->options.session));

	/* The tables in a file also use the characters that the locale allows,
	 * because a file is usually read on the machine where it was written.
	 */
	look.ascii = !str_equal(nl_langinfo(CODESET), "UTF-8");
	if (!stream)
		return look;
	look.color = interpreter->options.color;
	look.width = look.columns = interpreter->width;
	if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
		look.width = look.columns = size.ws_col;
	return look;
}
