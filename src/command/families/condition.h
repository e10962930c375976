/*
 * condition.h - where the condition of a line begins, and where it ends
 */
#ifndef COMMAND_CONDITION_H
#define COMMAND_CONDITION_H

#include <stddef.h>

/* The word `if` outside quotes, parentheses and comments; NULL: there is none.
 */
const char *condition_find(const char *text);

/* How much of what follows the `if` is the condition, when options (`by=`,
 * `rows=`, `sort=`) may stand behind it. */
size_t condition_length(const char *text);

#endif
