/*
 * legs_grid.h - columns and rows of the leg table
 *
 * The table has one of three forms. By default a row begins with the leg's
 * name, and each time has the unit that suits it. The form `memo' has exactly
 * the columns of the table in the Mesa memo, and no others. In the third form
 * the user has chosen the columns by name. A table by process has in each form
 * also the columns that name the process of a row.
 */
#ifndef PERFTOOL_REPORT_LEGS_GRID_H
#define PERFTOOL_REPORT_LEGS_GRID_H

#include "grid.h"
#include "legs_process.h"
#include "perftool/report.h"

/* The upper header line of the column "% of Time", a leg's share of the elapsed
 * time. */
#define LEGS_SHARE_TITLE "% of"

struct legs_form {
	const struct tables *tables;
	bool memo;
	const char *chosen;       /* the names of the chosen columns, or NULL */
	bool by_process;          /* each row is the share of a process */
	enum process_names names; /* what a row has beside the pid */
};

/* A list of columns. It points to the static sets of legs_column.c; the caller
 * frees the list with vec_free(). */
struct leg_column;
VEC_STRUCT(leg_columns, const struct leg_column *);

/* Append the columns of the first table, which may be the only one. */
void leg_columns_first(const struct legs_form *form, struct leg_columns *out);

/* Append the columns of the second table, which `print legs -v' prints below
 * the first one: the default and the verbose columns that are not among
 * `shown`. The first LEG_COLUMNS_KEY columns say which leg a row is about, and
 * are in both tables. */
enum { LEG_COLUMNS_KEY = 2 };
void leg_columns_rest(const struct leg_columns *shown, struct leg_columns *out);

/* How many columns at the beginning of the list only say which leg or process a
 * row is about. */
size_t leg_columns_leading(const struct leg_columns *columns);

/* Is any of the columns about the time on a CPU? */
bool leg_columns_have_cpu(const struct leg_columns *columns);

/* Fill an empty grid with the columns, and with a row for each leg of the
 * tables. */
void legs_grid(struct grid *grid, const struct legs_form *form,
	       const struct leg_columns *columns);

#endif
