/*
 * arguments.h - parse the parts of a command's arguments: numbers, `name=value`
 * options, and labels
 *
 * The functions return ERROR_USAGE if the argument cannot be parsed. The text
 * of the error names the argument. No function takes ownership of the text that
 * it is given.
 */
#ifndef COMMAND_ARGUMENTS_H
#define COMMAND_ARGUMENTS_H

#include "interpreter.h"

/* Parses a word that must be one number: decimal, or octal if a B follows the
 * digits (the memo writes octal numbers in this way). `what` names the number
 * in the error, for example "node". The number must fit in 32 bits. */
struct error *argument_id(const char *word, const char *what, uint32_t *id);
/* Is the word a number: decimal digits only, or octal digits and a B, as in
 * argument_id()? */
bool argument_is_number(const char *word);
struct error *argument_number(const char *word, const char *what, int64_t least,
			      int64_t most, int64_t *number);

/* If the word has the form NAME=VALUE, returns VALUE, which points into the
 * word. Upper and lower case of the name are not distinguished. Otherwise
 * returns NULL. */
const char *argument_value(const char *word, const char *name);

/* Parses the two arguments `node N` or `leg N`. `index` is the index of the
 * first of the two arguments. */
struct error *argument_owner(const struct call *call, size_t index,
			     bool *of_leg, uint32_t *id);

/* An option's value that contains blanks may stand in quotes: `by="a + 1"`
 * becomes `by=a + 1`. The tool can remove these quotes because a string literal
 * alone has no meaning as the value of an option. The function changes all
 * words of the list in place. */
void argument_unquote(struct words *words);

/* Parses the options `rows=N` and `sort=time|count|mean`, and stores the value
 * in `view`. `*found` says whether the word is one of these options. */
struct error *argument_view(const char *word, struct split_view *view,
			    bool *found);

/* Parses the options of argument_view() and also `by=EXPR`. `*by` then points
 * to EXPR inside the word. */
struct error *argument_by(const struct call *call, const char *word,
			  const char **by, struct split_view *view,
			  bool *found);

/* Returns an error if the call has `rows=` or `sort=` but no `by=`, because
 * then nothing is split. */
struct error *argument_check_by(const struct call *call, const char *by,
				const struct split_view *view);

/* A label is the memo's name of a parameter, with a colon, before the value of
 * the parameter. Returns the length of the label at the beginning of `text`,
 * including its colon. Returns 0 if the text does not begin with a label.
 * `labels` has the form of the member `labels` of struct command (table.h).
 * `*becomes` points to the text that replaces the label, and `*length` is the
 * length of this text: "class=" for example, or no text at all. */
size_t argument_label(const char *text, const char *labels,
		      const char **becomes, size_t *length);

/* Copies the text, replaces the memo's labels in the copy (table.h says how
 * labels are declared), and appends the copy to `out`. */
void argument_labels(const char *text, const char *labels, struct str *out);

#endif
