/*
 * units.h - how the cells of a table write numbers, times and percentages
 */
#ifndef PERFTOOL_REPORT_UNITS_H
#define PERFTOOL_REPORT_UNITS_H

#include "perftool/report.h"

/* Append part / whole in percent, truncated to two places as the memo does. If
 * `whole` is not positive, append nothing and return false. */
bool percent_text(__int128 part, __int128 whole, struct str *out);

/* Append the percentage as percent_text() does, but rounded. This is for the
 * rows of a table whose parts add up to the whole. */
bool share_text(uint64_t part, uint64_t whole, struct str *out);

/* Append a number without separators. */
void decimal(__int128 number, struct str *out);

/* Append the shortest text that strtod(3) reads back as `number`, which must be
 * finite. */
void shortest(double number, struct str *out);

/* Return a number, a percentage or a time as the text of a cell. The caller
 * frees the cell, or gives it to grid_take(). A percentage or a share of
 * nothing is "-". */
char *number_cell(__int128 number);
char *percent_cell(__int128 part, __int128 whole);
char *share_cell(uint64_t part, uint64_t whole);
char *memo_time_cell(__int128 ns);
char *duration_cell(double ns);

/* May a sum of times be as well anything below `bound`? That is so if it is
 * below 0, or less than `inside`, which is how far that may be off which was
 * subtracted for hits inside. All are ns; `bound` is at least `inside`. */
bool is_below_bound(__int128 total, double bound, double inside);

/* Is only an upper bound known of the leg's total? That is so if its mean is
 * below the resolution, and its total may be as well anything below `*bound`,
 * ns. The signed total can be below 0, if hits cost less than the calibration
 * found. Then the tool knows no more about the sum than about the mean, nor
 * does it if most of the time was subtracted for hits inside. */
bool leg_total_is_bound(const struct report_leg *leg, double *bound);

/* The upper bound of a time that may be off by `bound`, ns. If the time is
 * below 0, it is off by that much at least. */
double time_bound(double ns, double bound);

/* Return an upper bound such as "< 12.3us", or "< 16:636" in the memo's form.
 * The caller frees it, or gives it to grid_take(). */
char *below_cell(double ns);
char *memo_below_cell(double ns);

/* Round an upper bound up to a whole number of microseconds. The memo's form of
 * times has no smaller unit and truncates, so a bound that was not rounded up
 * would be printed too small. In and out: ns. */
double memo_bound(double ns);

#endif
