/*
 * csv.h - records as comma-separated values, by RFC 4180 but for the line end
 */
#ifndef PERFTOOL_REPORT_CSV_H
#define PERFTOOL_REPORT_CSV_H

#include "record.h"

/* A cell, quoted if it must be. */
void csv_text(const char *text, struct str *out);

/* The names, or the values, of a record as a line. The latter frees it. */
void csv_names(const struct record *record, struct str *out);
void csv_values(struct record *record, struct str *out);

#endif
