/*
 * output.h - write text to the output, to a file, or to the transcript (the
 * file in which the user keeps the lines and their results)
 */
#ifndef COMMAND_OUTPUT_H
#define COMMAND_OUTPUT_H

#include "interpreter.h"
#include "perftool/session/user_interface.h"

/* Writes text to the output and to the transcript. Between two pieces of the
 * text, Ctrl-C can abort the writing. */
struct error *output_print(struct interpreter *interpreter, const char *text,
			   size_t length);

/* Writes text to the messages and to the transcript. */
struct error *output_say(struct interpreter *interpreter, const char *text,
			 size_t length);

/* Writes text to the messages only. The caller has put the text into the
 * transcript already. */
struct error *output_told(struct interpreter *interpreter, const char *text,
			  size_t length);

/* Writes a line to the transcript only: first `prefix`, then `line`, then a
 * newline. */
void output_log_line(struct interpreter *interpreter, const char *prefix,
		     const char *line);

/* Writes a text to the transcript only. The text contains its own newlines. */
void output_log_text(struct interpreter *interpreter, const char *text,
		     size_t length);

/* Has the user asked to interrupt? The function returns true once for each
 * request. `ui` may be NULL. */
bool output_interrupted(const struct session_ui *ui);

/* Writes the whole text to a stream, or returns an error that calls the stream
 * `name`. */
struct error *output_write(const struct session_ui *ui, FILE *stream,
			   const char *name, const char *text, size_t length);

/* Makes the name of a file from what the user has written, in which `%p`, `%h`
 * and `%r` may stand for something (perftool/base/output_name.h), and a "~/" at
 * its beginning is the home directory. The caller frees the result. */
struct error *output_path(struct session *session, const char *word,
			  char **out);

/* Writes the text to a file. If the text cannot be written completely, or the
 * user interrupts, returns an error, and the file keeps its old contents
 * (perftool/base/whole_file.h). */
struct error *output_file(const struct session_ui *ui, const char *path,
			  const struct str *text);

/* Returns how many lines the text takes at a terminal of so many columns; 0
 * columns: any number. Bytes count as columns, so that it may be too many, and
 * never too few. */
size_t output_lines(const struct interpreter *interpreter,
		    const struct str *text, size_t columns);

/* Returns how tables are to look: colour, width, and characters. `stream` is
 * where the tables go. If it is NULL, the tables go to a file, and have neither
 * colour nor a width. */
struct report_options output_look(const struct interpreter *interpreter,
				  FILE *stream, bool verbose);

struct error *output_log_start(struct interpreter *interpreter,
			       const char *path);
struct error *output_log_stop(struct interpreter *interpreter);

#endif
