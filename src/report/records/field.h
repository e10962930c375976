/*
 * field.h - a list of named fields: a record, for JSON and CSV
 *
 * A record owns the texts of its fields.
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
	FIELD_NUMBER,  /* null when it is not finite */
	FIELD_DECIMAL, /* a number, as the text to write */
	FIELD_TEXT,
	FIELD_TEXTS, /* a list */
};

VEC_STRUCT(text_list, char *);

struct field {
	const char *name; /* static */
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

/* Append a field. The texts are copied; NULL, and a number that is not finite,
 * become null. */
void add_null(struct record *record, const char *name);
void add_bool(struct record *record, const char *name, bool value);
void add_integer(struct record *record, const char *name, __int128 value);
void add_number(struct record *record, const char *name, double value);
void add_text(struct record *record, const char *name, const char *value);
void add_value(struct record *record, const char *name, struct value value);
/* A number by its digits, which are taken; none: null. */
void add_decimal(struct record *record, const char *name, struct str *text);
/* Truncated to two places, as the tables print it. */
void add_percent(struct record *record, const char *name, __int128 part,
		 __int128 whole);

#endif
