/*
 * csv.h - records as comma-separated values
 *
 * The format is that of RFC 4180, except that a line ends with a newline only.
 */
#ifndef PERFTOOL_REPORT_CSV_H
#define PERFTOOL_REPORT_CSV_H

#include "record.h"

/* Append a cell. It is quoted if RFC 4180 requires it, and also if it begins or
 * ends with a blank. */
void csv_text(const char *text, struct str *out);

/* Append the names, or the values, of a record as a line. csv_values() also
 * frees the content of the record. */
void csv_names(const struct record *record, struct str *out);
void csv_values(struct record *record, struct str *out);

#endif
