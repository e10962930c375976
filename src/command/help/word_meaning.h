/*
 * word_meaning.h - the meaning of words that may be arguments of commands
 */
#ifndef COMMAND_WORD_H
#define COMMAND_WORD_H

/* Returns one line that says what the word means as an argument of the command
 * that has the words `command`. If `command` is "", the word is the value of a
 * field. Returns "" if the word needs no explanation or is not known. */
const char *word_summary(const char *command, const char *word);

#endif
