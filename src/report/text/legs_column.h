/*
 * legs_column.h - each column of the leg table: its name, heading and cells
 *
 * Who adds a column adds an entry to one of the sets.
 */
#ifndef PERFTOOL_REPORT_LEGS_COLUMN_H
#define PERFTOOL_REPORT_LEGS_COLUMN_H

#include "legs_grid.h"

/* The least that is left of a name where the columns are many; where the
 * processes have some, too; and of an owner's key. */
#define LEAST_NAME 16
#define LEAST_NAME_BY_PROCESS 8
#define LEAST_KEY 8

struct leg_column {
	const char *name; /* what the user chooses it by; NULL: cannot */
	struct column column;
	void (*cell)(struct grid *grid, const struct legs_form *form,
		     const struct report_leg *leg);
	bool identifies; /* tells which row it is, and no figure */

	/* How expendable it is by process, where there is less room, and
	 * where no time on a CPU is known; 0: as ever. */
	int by_process, unknown;
};

struct leg_column_set {
	const struct leg_column *columns;
	size_t count;
};

/* What the table has by default; what `-v' adds; what only the user's own list
 * has; and the memo's table to the letter. */
extern const struct leg_column_set leg_columns_plain, leg_columns_verbose,
	leg_columns_further, leg_columns_memo;

/* Whose share a row is. */
extern const struct leg_column leg_column_pid, leg_column_process;

#endif
