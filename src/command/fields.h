/*
 * fields.h - the fields of the Mesa memo's window
 *
 * In the memo, the user fills in the fields of a window, and commands act on
 * the values of these fields. Here, a line such as `From Node: 1` sets a field.
 * The field keeps its value until the user sets the field again, as a field of
 * a window does. A command of the memo that is given without arguments, such as
 * `Add Leg!`, takes its arguments from the fields.
 */
#ifndef COMMAND_FIELDS_H
#define COMMAND_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

#include "tokenizer.h"

enum field {
	FIELD_FROM_NODE,
	FIELD_TO_NODE,
	FIELD_LEG,
	FIELD_PROCESS,
	FIELD_TYPE,
	FIELD_CLASS,
	FIELD_HISTOGRAM_NODE,
	FIELD_HISTOGRAM_LEG,
	FIELD_BUCKETS,
	FIELD_SCALE,
	FIELD_BASE,
	FIELD_COUNT,
};

struct fields {
	/* each value in the form that commands accept; NULL: the field is empty
	 */
	char *values[FIELD_COUNT];
};

void fields_deinit(struct fields *fields);

/* Does the line begin with the name of a field and a colon? */
bool fields_are_in(const char *line);

/* If the line begins with the name of a field but without a colon after the
 * name, returns an error that shows the right form. Otherwise returns NULL.
 * Call this function only for a line that is no command. */
struct error *fields_without_colon(const char *line);

/* Sets all fields that the line names. One line may name several: "Type: leg
 * Histogram Leg: 0". A field that has no value in the line becomes empty. If
 * the function returns an error, no field has changed. */
struct error *fields_set(struct fields *fields, const char *line);

/* If the line is one of the memo's commands without arguments, returns the line
 * with the arguments that the fields hold. The caller frees the result. Returns
 * NULL if the line is no such command, or if a field that the command needs is
 * empty. */
char *fields_fill(const struct fields *fields, const char *line);

/* If the line is one of the memo's commands without arguments, has a `!`, and
 * needs a field that is empty, returns an error that names the field. Otherwise
 * returns NULL. */
struct error *fields_check(const struct fields *fields, const char *line);

/* For `Add!`, `Delete!` and `Print!`, returns the name of the empty field that
 * the command needs. These commands have no second word and no arguments of
 * their own, so the tool can only ask the user for the field. For any other
 * line, or if no such field is empty, returns NULL. */
const char *fields_lacked(const struct fields *fields, const char *line);

/* Appends a line for each field with its value. For an empty field the line
 * says what its emptiness means to the commands. */
void fields_show(const struct fields *fields, struct str *out);

/* If the line ends in the value of a field, returns which values the field may
 * have, as a completion item of table.h, and sets `*start` to the position
 * where the value begins. Otherwise returns NULL. */
const char *fields_complete(const char *line, size_t *start);

/* If the line ends in the value of a field, appends a line that describes the
 * values of this field. Otherwise appends nothing. */
void fields_tell(const char *line, struct str *out);

/* Appends for each field a line that describes its values. */
void fields_describe(struct str *out);

/* Is the text the name of a field, with or without a colon and a value? */
bool fields_is_name(const char *text);

/* Adds to `out` the names of the fields, each with its colon, whose names begin
 * with the text. Adds nothing if the text is empty. */
void fields_complete_name(const char *text, struct words *out);

#endif
