/*
 * editor.h - lines typed at a terminal, by way of libedit
 */
#ifndef UI_EDITOR_H
#define UI_EDITOR_H

#include "perftool/base/str.h"
#include "perftool/base/writer.h"
#include "perftool/command.h"

struct editor;

/* Loads the history kept by earlier sessions and the user's .editrc. What is
 * told above the line goes by `writer`, which stays the caller's. */
struct editor *editor_create(struct interpreter *interpreter,
			     const struct writer *writer);

/* Saves the history. */
void editor_destroy(struct editor *editor);

enum editor_result {
	EDITOR_LINE,
	EDITOR_DROPPED, /* Ctrl-C: what was typed is gone */
	EDITOR_END,     /* Ctrl-D, or the terminal is gone, or SIGTERM */
};

/* A line without its newline, valid until the next call. */
enum editor_result editor_read(struct editor *editor, const char **line);

/* A word that the line `before` lacks, under that name: completed as if it were
 * typed behind `before`. The caller frees `*answer`; false: Ctrl-C, Ctrl-D,
 * ESC, or nothing. */
bool editor_ask(struct editor *editor, const char *name, const char *before,
		char **answer);

/* Other text is about to be written: take the prompt off the screen, if it is
 * there; it comes again, with what was typed, below the text. */
void editor_above(struct editor *editor);

/* Is a line being read? */
bool editor_is_reading(const struct editor *editor);

/* A line of another kind is about to be read, in the middle of one: as above,
 * and the terminal's modes are the usual ones until editor_resume(). */
void editor_pause(struct editor *editor);
void editor_resume(struct editor *editor);

/* The lines entered so far, oldest first. For interpreter_set_history(). */
void editor_print_history(void *editor, struct str *out);

#endif
