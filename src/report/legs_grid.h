/*
 * legs_grid.h - columns and rows of the leg table
 *
 * There are two forms. By default a row begins with the leg's name, and all its
 * times are in the unit that fits each. `memo' has the columns of the Mesa
 * memo's table, to the letter, and ours behind them. A table by process says in
 * both which process a row is of.
 */
#ifndef PERFTOOL_REPORT_LEGS_GRID_H
#define PERFTOOL_REPORT_LEGS_GRID_H

#include "grid.h"
#include "legs_process.h"
#include "perftool/report.h"

/* Over "Time": a leg's share of the elapsed time. */
#define LEGS_SHARE_TITLE "% of"

struct legs_form {
	bool memo;
	bool by_process; /* the rows are shares of processes: */
	enum process_names names;
};

void legs_columns(struct grid *grid, const struct tables *tables,
		  const struct legs_form *form);
void legs_cells(struct grid *grid, const struct tables *tables,
		const struct report_leg *leg, const struct legs_form *form);

/* What identifies a row, where the rest stands in a table below. */
void legs_key_columns(struct grid *grid);
void legs_key_cells(struct grid *grid, const struct report_leg *leg);

/* The figures of `print legs -v', behind either. */
void legs_verbose_columns(struct grid *grid);
void legs_verbose_cells(struct grid *grid, const struct report_leg *leg,
			bool memo);

#endif
