/*
 * legs_grid.h - columns and rows of the leg table
 *
 * There are two forms. By default a row begins with the leg's name, and all its
 * times are in the unit that fits each. `memo' has the columns of the Mesa
 * memo's table, to the letter, and no others. Or the user has chosen columns by
 * name. A table by process says in all of them which process a row is of.
 */
#ifndef PERFTOOL_REPORT_LEGS_GRID_H
#define PERFTOOL_REPORT_LEGS_GRID_H

#include "grid.h"
#include "legs_process.h"
#include "perftool/report.h"

/* Over "Time": a leg's share of the elapsed time. */
#define LEGS_SHARE_TITLE "% of"

struct legs_form {
	const struct tables *tables;
	bool memo;
	const char *chosen; /* names of columns; NULL: none were chosen */
	bool by_process;    /* the rows are shares of processes: */
	enum process_names names;
};

/* Which columns: a list of pointers into tables of legs_grid.c. */
struct leg_column;
VEC_STRUCT(leg_columns, const struct leg_column *);

/* The columns of the first table, or of the only one. */
void leg_columns_first(const struct legs_form *form, struct leg_columns *out);

/* With `print legs -v' the others stand below it. `shown': those that need not
 * stand there again. So many at the beginning say which leg a row is of. */
enum { LEG_COLUMNS_KEY = 2 };
void leg_columns_rest(const struct leg_columns *shown, struct leg_columns *out);

/* How many at the beginning say what a row is of. */
size_t leg_columns_leading(const struct leg_columns *columns);

/* Is any of them about the time on a CPU? */
bool leg_columns_have_cpu(const struct leg_columns *columns);

/* Fill an empty grid. */
void legs_grid(struct grid *grid, const struct legs_form *form,
	       const struct leg_columns *columns);

#endif
