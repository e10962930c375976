/*
 * message.h - text for people, broken at blanks where a terminal would break
 * it anywhere
 */
#ifndef UI_MESSAGE_H
#define UI_MESSAGE_H

#include <stdio.h>

#include "perftool/base/str.h"
#include "perftool/base/writer.h"

/* The lines of `text` with those that are wider than `columns` broken at
 * blanks; what goes on is indented further than where it began. A word that is
 * wider than that stays whole, and a line that fits as it is. */
void message_wrap(const char *text, size_t length, size_t columns,
		  struct str *out);

/* The text as it is, but wrapped if the file is a terminal. */
void message_lay_out(FILE *file, const char *text, size_t length,
		     struct str *out);

/* Write text, wrapped if the file is a terminal. What was written to `file`
 * before comes before it. A file that cannot be written is no error. */
void message_write(const struct writer *writer, FILE *file, const char *text);

/* A stream whose texts come out on `file` so, each fwrite() being one or more
 * whole lines; `writer` stays the caller's. NULL where `file` is no terminal
 * and serves as well itself. */
FILE *message_stream(const struct writer *writer, FILE *file);

#endif
