/*
 * output.h - where text goes: the output, a file, the transcript
 */
#ifndef COMMAND_OUTPUT_H
#define COMMAND_OUTPUT_H

#include "interpreter.h"

/* To the output and the transcript, in pieces between which Ctrl-C aborts. */
struct error *output_print(struct interpreter *interpreter, const char *text,
			   size_t length);

/* To the messages and the transcript. */
struct error *output_say(struct interpreter *interpreter, const char *text,
			 size_t length);

/* To the messages, of what is in the transcript already. */
struct error *output_told(struct interpreter *interpreter, const char *text,
			  size_t length);

/* To the transcript only: `prefix`, then a line. */
void output_log_line(struct interpreter *interpreter, const char *prefix,
		     const char *line);

/* The same for any text, with its newlines. */
void output_log_text(struct interpreter *interpreter, const char *text,
		     size_t length);

/* Whether the user has interrupted; that is then over. `ui` may be NULL. */
bool output_interrupted(const struct session_ui *ui);

/* To any stream, whole or an error; `name` is for the error. */
struct error *output_write(const struct session_ui *ui, FILE *stream,
			   const char *name, const char *text, size_t length);

/* Make a file of a text; complete and on its way to the disk, or an error. */
struct error *output_file(const struct session_ui *ui, const char *path,
			  const struct str *text);

/* How tables that go to the output are to look; a file has neither colour nor
 * a width. */
struct report_options output_look(const struct interpreter *interpreter,
				  FILE *stream, bool verbose);

struct error *output_log_start(struct interpreter *interpreter,
			       const char *path);
struct error *output_log_stop(struct interpreter *interpreter);

#endif
