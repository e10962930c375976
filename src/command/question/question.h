/*
 * question.h - a line that ends in `?`, and what may come there
 */
#ifndef COMMAND_QUESTION_H
#define COMMAND_QUESTION_H

#include "command/interpreter.h"

/* Is the line's last word a `?`? */
bool question_is_in(const char *line);

/* Is the line's last word a `?` that is no part of an expression or of what a
 * shell gets? Then what may come there is told in `out`, a line on each; `?`
 * alone is `help`. */
bool question_answer(struct interpreter *interpreter, const char *line,
		     struct str *out);

/* Print what may come behind the line: at a question of perftool's a `?` is
 * one, whatever the command is. */
struct error *question_tell(struct interpreter *interpreter,
			    const char *before);

#endif
