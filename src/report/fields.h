/*
 * fields.h - put fields into a record, for those who make records
 */
#ifndef PERFTOOL_REPORT_FIELDS_H
#define PERFTOOL_REPORT_FIELDS_H

#include "record.h"

void add_null(struct record *record, const char *name);
void add_bool(struct record *record, const char *name, bool value);
void add_integer(struct record *record, const char *name, __int128 value);

/* Null when it is not finite. */
void add_number(struct record *record, const char *name, double value);

/* NULL is null. */
void add_text(struct record *record, const char *name, const char *value);

/* The text is that of a number and is taken over; null when it is empty. */
void add_decimal(struct record *record, const char *name, struct str *text);

/* Truncated to two places, as the tables print it. */
void add_percent(struct record *record, const char *name, __int128 part,
		 __int128 whole);

/* Null of none. */
void add_value(struct record *record, const char *name, struct value value);

#endif
