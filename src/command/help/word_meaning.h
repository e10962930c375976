/*
 * word_meaning.h - what the words mean that may be a command's arguments
 */
#ifndef COMMAND_WORD_H
#define COMMAND_WORD_H

/* What the word means as an argument of the command with these words ("": the
 * value of a field): one line; "": it says all itself, or is none. */
const char *word_summary(const char *command, const char *word);

#endif
