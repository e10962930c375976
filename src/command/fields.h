/*
 * fields.h - the fields of the memo's window, which its commands act on
 *
 * `From Node: 1` alone on a line sets a field, which keeps its value until it
 * is set anew, as a field of a window does. A command of the memo that is given
 * without arguments, such as `Add Leg!`, takes them from the fields.
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
	char *values[FIELD_COUNT]; /* as a command takes it; NULL: empty */
};

void fields_deinit(struct fields *fields);

/* Does the line begin with the name of a field and a colon? */
bool fields_are_in(const char *line);

/* Returns an error if a line that is no command begins with the name of a field
 * without a colon behind it. The error names the right form. Else NULL. */
struct error *fields_without_colon(const char *line);

/* Set all fields of such a line: "Type: leg  Histogram Leg: 0". A field without
 * a value becomes empty. On an error none is changed. */
struct error *fields_set(struct fields *fields, const char *line);

/* The line with the arguments that the fields have, if it is one of the memo's
 * commands without arguments; the caller frees it. NULL: it is none, or a field
 * that it needs is empty. */
char *fields_fill(const struct fields *fields, const char *line);

/* Of such a command with its `!`: an error that names the field that it needs,
 * and that is empty. */
struct error *fields_check(const struct fields *fields, const char *line);

/* The same field, by its name, of a command that has no arguments of its own
 * that it could be asked for; NULL: there is none, or it is not empty. */
const char *fields_lacked(const struct fields *fields, const char *line);

/* All fields and their values, a line each; of an empty one, what that means.
 */
void fields_show(const struct fields *fields, struct str *out);

/* What may be the value of the field that the line ends in, as a completion
 * item of table.h, and where the value begins; NULL: the line ends in none. */
const char *fields_complete(const char *line, size_t *start);

/* A line on what the value is of the field that the line ends in. */
void fields_tell(const char *line, struct str *out);

/* A line on each field. */
void fields_describe(struct str *out);

/* Is the text the name of a field, with or without its colon and a value? */
bool fields_is_name(const char *text);

/* The names, each with its colon, that begin with the text, unless that is
 * empty. */
void fields_complete_name(const char *text, struct words *out);

#endif
