/*
 * message.c - breaks long lines at blanks, and writes text so that signals do
 * not cut it off
 */
#include "message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/utf8.h"

#include "terminal.h"

enum { INDENT = 2 };

/* The command `top` begins its table so: it goes to the beginning of the
 * screen, and clears it. */
#define MESSAGE_CLEAR "\033[H\033[J"

/* ---- what a terminal must not get -----------------------------------------
 */

/* Returns the length of a sequence by which a table chooses a colour or a face,
 * or 0. */
static size_t color_length(const char *text, size_t length)
{
	static const char *const known[] = {"\033[0m", "\033[1m", "\033[3m",
					    "\033[36m"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t size = strlen(known[i]);

		if (length >= size && memcmp(text, known[i], size) == 0)
			return size;
	}
	return 0;
}

/* Appends the line as a terminal may get it, with its colours. Messages have
 * names of functions, files and threads, which the measured program has chosen.
 */
static void append_harmless(const char *line, size_t length, struct str *out)
{
	while (length > 0) {
		size_t step = color_length(line, length);

		if (step) {
			str_append_n(out, line, step);
		} else {
			const char *next = memchr(line + 1, '\033', length - 1);

			step = next ? (size_t)(next - line) : length;
			utf8_append_harmless(line, step, "\t", out);
		}
		line += step;
		length -= step;
	}
}

/* ---- lines --------------------------------------------------------------- */

/* Returns how many bytes at the beginning of `text` are blanks or, if `blanks`
 * is false, how many bytes come before the first blank. */
static size_t span(const char *text, size_t length, bool blanks)
{
	size_t count = 0;

	while (count < length && (text[count] == ' ') == blanks)
		count++;
	return count;
}

static void wrap_line(const char *line, size_t length, size_t columns,
		      struct str *out)
{
	size_t blanks = span(line, length, true), column = 0, at = 0;
	size_t indent = blanks + INDENT;

	if (terminal_width(line, length, 0) <= columns) {
		str_append_n(out, line, length);
		return;
	}
	if (indent > columns / 2)
		indent = INDENT;
	while (at < length) {
		size_t gap = span(&line[at], length - at, true);
		size_t next = at + gap;
		size_t end = next + span(&line[next], length - next, false);
		size_t after = terminal_width(&line[at], end - at, column);

		if (at > blanks && after > columns) {
			str_printf(out, "\n%*s", (int)indent, "");
			after = terminal_width(&line[next], end - next, indent);
			at = next;
		}
		str_append_n(out, &line[at], end - at);
		column = after;
		at = end;
	}
}

void message_wrap(const char *text, size_t length, size_t columns,
		  struct str *out)
{
	const size_t clear = strlen(MESSAGE_CLEAR);
	struct str harmless = {0};

	if (length >= clear && memcmp(text, MESSAGE_CLEAR, clear) == 0) {
		str_append_n(out, text, clear);
		text += clear;
		length -= clear;
	}
	while (length > 0) {
		const char *end = memchr(text, '\n', length);
		size_t line = end ? (size_t)(end - text) : length;

		harmless.length = 0;
		append_harmless(text, line, &harmless);
		wrap_line(str_text(&harmless), harmless.length, columns, out);
		if (end)
			str_append_char(out, '\n');
		line += end != NULL;
		text += line;
		length -= line;
	}
	str_deinit(&harmless);
}

void message_lay_out(FILE *file, const char *text, size_t length,
		     struct str *out)
{
	size_t rows, columns;

	if (terminal_size(fileno(file), &rows, &columns))
		message_wrap(text, length, columns, out);
	else if (isatty(fileno(file)) == 1)
		message_wrap(text, length, SIZE_MAX, out);
	else
		str_append_n(out, text, length);
}

/* ---- files --------------------------------------------------------------- */

/* Writes directly to the file and not through the buffer of stdio, because
 * stdio gives up when a signal interrupts a write. */
static void write_wrapped(const struct writer *writer, FILE *file,
			  const char *text, size_t length)
{
	struct str wrapped = {0};

	fflush(file);
	message_lay_out(file, text, length, &wrapped);
	writer_write(writer, fileno(file), str_text(&wrapped), wrapped.length);
	str_deinit(&wrapped);
}

void message_write(const struct writer *writer, FILE *file, const char *text)
{
	write_wrapped(writer, file, text, strlen(text));
}

struct wrapped_stream {
	const struct writer *writer;
	FILE *file;
};

static ssize_t write_cookie(void *stream_, const char *text, size_t length)
{
	const struct wrapped_stream *stream = stream_;

	write_wrapped(stream->writer, stream->file, text, length);
	return (ssize_t)length;
}

static int close_cookie(void *stream)
{
	free(stream);
	return 0;
}

FILE *message_stream(const struct writer *writer, FILE *file)
{
	const cookie_io_functions_t functions = {.write = write_cookie,
						 .close = close_cookie};
	struct wrapped_stream *cookie;
	FILE *stream;

	if (isatty(fileno(file)) != 1)
		return NULL;
	cookie = xcalloc(1, sizeof(*cookie));
	*cookie = (struct wrapped_stream){writer, file};
	stream = fopencookie(cookie, "w", functions);
	if (!stream)
		free(cookie);
	/* Without a buffer, each fwrite() reaches write_cookie() as one
	 * text. */
	if (stream)
		setvbuf(stream, NULL, _IONBF, 0);
	return stream;
}
