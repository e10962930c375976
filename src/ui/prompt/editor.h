/*
 * editor.h - reads lines that the user types at a terminal, by means of libedit
 */
#ifndef UI_EDITOR_H
#define UI_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/base/writer.h"

struct editor;

/* What is beyond the prompt: a session, or a server of front ends. */
struct editor_party {
	void *context;
	/* Finds the candidates for the last word of `line`, as
	 * perftool_session_complete() does. */
	struct error *(*complete)(void *context, const char *line,
				  size_t *start, char ***words);
	/* Handles what happens while the user types, until `enough` returns
	 * true; `told` gets the lines about it that the user reads. Returns at
	 * once if nothing can happen. */
	struct error *(*serve)(void *context, bool (*enough)(void *editor),
			       void *editor, struct str *told);
	/* Must `serve` be called all the time, because a program runs? */
	bool (*runs_on)(void *context);
	/* Prints the tables, because SIGUSR1 has asked for them. */
	struct error *(*print_tables)(void *context);
	/* Is it over, so that no more lines are read? May be NULL. */
	bool (*is_over)(void *context);
	/* `serve` must be called when this file can be read; -1: there is none.
	 */
	int fd;
};

/* Makes an editor. Loads the history that earlier sessions have saved, and the
 * user's .editrc. `party` is copied. The editor uses `writer` to write texts
 * above the line, so `writer` must exist as long as the editor. The caller
 * calls editor_destroy(). */
struct editor *editor_create(const struct editor_party *party,
			     const struct writer *writer);

/* Saves the history in its file and frees the editor. */
void editor_destroy(struct editor *editor);

enum editor_result {
	EDITOR_LINE,
	EDITOR_DROPPED, /* Ctrl-C: the typed text is thrown away */
	EDITOR_END,     /* Ctrl-D, or the terminal is gone, or SIGTERM, or the
			 * other party is gone */
};

/* Reads a line at the prompt. `*line` has no newline. The editor owns the text,
 * which is valid until the next call. */
enum editor_result editor_read(struct editor *editor, const char **line);

/* Asks the user for a word that is missing after the command line `before`. The
 * prompt is `name`. Completion works as if the user typed the word directly
 * after `before`. The caller frees `*answer`. Returns false if there is no
 * answer: Ctrl-C, Ctrl-D, ESC, or the terminal is gone. An empty line is an
 * empty answer. */
bool editor_ask(struct editor *editor, const char *name, const char *before,
		char **answer);

/* A caller that is about to write other text to the terminal calls this
 * function. If a prompt is on the screen, the function takes the prompt and the
 * typed text off the screen. The editor shows both again below the other text.
 */
void editor_above(struct editor *editor);

/* Is the editor reading a line that the user types? */
bool editor_is_reading(const struct editor *editor);

/* A caller that is about to read a line itself calls editor_pause() first,
 * perhaps while the editor reads a line. editor_pause() takes the prompt off
 * the screen as editor_above() does, and gives the terminal its usual modes
 * until editor_resume(). */
void editor_pause(struct editor *editor);
void editor_resume(struct editor *editor);

/* Appends the lines that the user has entered so far, oldest first. The
 * function has the type that perftool_session_set_history() needs. */
void editor_print_history(void *editor, struct str *out);

#endif
