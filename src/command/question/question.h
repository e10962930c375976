/*
 * question.h - answer a line that ends in `?`: tell the user what may come in
 * the place of the `?`
 */
#ifndef COMMAND_QUESTION_H
#define COMMAND_QUESTION_H

#include "command/interpreter.h"

/* Is the last word of the line a `?`? */
bool question_is_in(const char *line);

/* If the last word of the line is a `?`, and the `?` belongs neither to an
 * expression nor to text for a shell or for the program, appends to `out` what
 * may come in the place of the `?`, one line for each possibility, and returns
 * true. For a line that is only `?`, appends what `help` prints. Otherwise
 * returns false. */
bool question_answer(struct interpreter *interpreter, const char *line,
		     struct str *out);

/* Prints what may come after the text `before`. The caller calls this function
 * when the user answers a question of the tool with `?'. Such a `?' always asks
 * what may come, whatever the command is. */
struct error *question_tell(struct interpreter *interpreter,
			    const char *before);

#endif
