/*
 * units.h - figures as cells of a table are written
 */
#ifndef PERFTOOL_REPORT_UNITS_H
#define PERFTOOL_REPORT_UNITS_H

#include "perftool/report.h"

/* part / whole in percent, truncated to two places; nothing for no whole. */
bool percent_text(__int128 part, __int128 whole, struct str *out);

/* The same rounded, for what adds up to the whole. */
bool share_text(uint64_t part, uint64_t whole, struct str *out);

/* A number without separators. */
void decimal(__int128 number, struct str *out);

/* The shortest text that reads back as `number`, which is finite. */
void shortest(double number, struct str *out);

/* The same as a cell that the caller frees. */
char *number_cell(__int128 number);
char *percent_cell(__int128 part, __int128 whole); /* "-": of nothing */
char *share_cell(uint64_t part, uint64_t whole);
char *memo_time_cell(__int128 ns);
char *duration_cell(double ns);

/* A bound, up to the next whole of the memo's unit, so that it holds as the
 * memo writes it. */
double memo_bound(double ns);

#endif
