/*
 * legs_column.h - each column of the leg table: its name, heading and cells
 *
 * To add a column, add an entry to one of the sets.
 */
#ifndef PERFTOOL_REPORT_LEGS_COLUMN_H
#define PERFTOOL_REPORT_LEGS_COLUMN_H

#include "legs_grid.h"

/* The widths to which cells may be cut if there are many columns: the name of a
 * leg, the name of a leg in a table by process, and the key of an owner. */
#define LEAST_NAME 16
#define LEAST_NAME_BY_PROCESS 8
#define LEAST_KEY 8

struct leg_column {
	const char *name; /* by which the user chooses the column; NULL: the
			   * user cannot choose it */
	struct column column;
	void (*cell)(struct grid *grid, const struct legs_form *form,
		     const struct report_leg *leg);
	bool identifies; /* the column says which leg a row is about, and has no
			  * figure */

	/* What column.expendable becomes in a table by process, which has less
	 * room, and in a table where no time on a CPU is known. 0: no change.
	 */
	int by_process, unknown;
};

struct leg_column_set {
	const struct leg_column *columns;
	size_t count;
};

/* The columns that the table has by default; those that `-v' adds; those that
 * appear only if the user names them; and those of the memo's table, with
 * exactly the memo's headings. */
extern const struct leg_column_set leg_columns_plain, leg_columns_verbose,
	leg_columns_further, leg_columns_memo;

/* The process to which a share belongs. */
extern const struct leg_column leg_column_pid, leg_column_rank,
	leg_column_process;

#endif
