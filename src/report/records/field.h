/*
 * field.h - a record: a list of named fields, for JSON and CSV
 *
 * A record owns the texts of its fields, but not their names, which are static.
 * All zero is the empty record. record_deinit() frees the content and makes the
 * record empty, so that it can be used again.
 */
#ifndef PERFTOOL_REPORT_FIELD_H
#define PERFTOOL_REPORT_FIELD_H

#include <stdbool.h>

#include "perftool/base/hit.h"
#include "perftool/base/str.h"
#include "perftool/base/vec.h"

enum field_kind {
	FIELD_NULL,
	FIELD_BOOL,
	FIELD_INTEGER,
	FIELD_NUMBER,  /* a finite number */
	FIELD_DECIMAL, /* a number; its text is written unchanged */
	FIELD_TEXT,
	FIELD_TEXTS, /* a list of texts */
};

VEC_STRUCT(text_list, char *);

struct field {
	const char *name; /* a static string */
	enum field_kind kind;
	union {
		bool boolean;
		__int128 integer;
		double number;
		char *text;
	};
	struct text_list texts;
};

VEC_STRUCT(record, struct field);

void record_deinit(struct record *record);

/* Append a field. The functions copy texts. A text that is NULL, a number that
 * is not finite, and a value that is VALUE_NONE become null. */
void add_null(struct record *record, const char *name);
void add_bool(struct record *record, const char *name, bool value);
void add_integer(struct record *record, const char *name, __int128 value);
void add_number(struct record *record, const char *name, double value);
void add_text(struct record *record, const char *name, const char *value);
void add_value(struct record *record, const char *name, struct value value);
/* Append a number whose digits are `text`. The record takes over the digits. An
 * empty text becomes null. */
void add_decimal(struct record *record, const char *name, struct str *text);
/* Append part / whole in percent, truncated to two places as in the text. If
 * `whole` is not positive, the field is null. */
void add_percent(struct record *record, const char *name, __int128 part,
		 __int128 whole);

#endif
