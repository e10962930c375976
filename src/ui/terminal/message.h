/*
 * message.h - text for people, whose long lines are broken at blanks
 *
 * Without this, a terminal would break a long line at its edge, in the middle
 * of a word.
 */
#ifndef UI_MESSAGE_H
#define UI_MESSAGE_H

#include <stdio.h>

#include "perftool/base/str.h"
#include "perftool/base/writer.h"

/* Appends the lines of `text` to `out`, and breaks the lines that are wider
 * than `columns` at blanks. The continuation of a line is indented by more than
 * the beginning of the line. A word that is wider than `columns` stays whole. A
 * line that fits is not changed. Control characters, apart from colours and
 * tabs, and those that turn the direction of writing, become '?'; what clears
 * the screen stays at the beginning of the text. */
void message_wrap(const char *text, size_t length, size_t columns,
		  struct str *out);

/* Appends the text to `out`: with long lines broken by message_wrap() if `file`
 * is a terminal, else unchanged. */
void message_lay_out(FILE *file, const char *text, size_t length,
		     struct str *out);

/* Writes text to `file`, with long lines broken if `file` is a terminal. Text
 * that was written to `file` before, and that stdio still has in its buffer, is
 * written first. If the text cannot be written, the function reports no error.
 */
void message_write(const struct writer *writer, FILE *file, const char *text);

/*
 * Returns a stream that wraps text: a text that is written to this stream is
 * written to `file` as message_write() does. Each fwrite() to the stream must
 * write one or more whole lines. The caller keeps `writer` as long as the
 * stream is open, and closes the stream.
 *
 * Returns NULL if `file` is not a terminal, because `file` itself can then be
 * used in place of the stream.
 */
FILE *message_stream(const struct writer *writer, FILE *file);

#endif
