/*
 * condition.h - find where the condition of a line begins and ends
 */
#ifndef COMMAND_CONDITION_H
#define COMMAND_CONDITION_H

#include <stddef.h>

/* Returns the position of the word `if` outside quotes, parentheses and
 * comments, or NULL if there is no such word. */
const char *condition_find(const char *text);

/* Returns the length of a condition without the options (`by=`, `rows=`,
 * `sort=`, `most=`) that may follow it. `text` begins after the `if`. */
size_t condition_length(const char *text);

#endif
