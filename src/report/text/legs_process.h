/*
 * legs_process.h - how the leg table by process tells the processes apart
 *
 * Each row of that table is a share: what one process has of a leg.
 */
#ifndef PERFTOOL_REPORT_LEGS_PROCESS_H
#define PERFTOOL_REPORT_LEGS_PROCESS_H

#include "grid.h"
#include "perftool/report.h"

/* What a row shows beside the pid: the command lines if they differ, else the
 * kernel's names of the processes (comm) if these differ, else nothing. */
enum process_names { PROCESS_PIDS, PROCESS_COMMS, PROCESS_COMMANDS };
enum process_names process_names_of(const struct tables *shares);

/* The two columns that say which process a row is about. LEAST_PROCESS is the
 * least width to which the name of a process may be cut if there are many
 * columns. */
#define LEAST_PROCESS 10
#define PROCESS_COLUMN_PID                                                     \
	{                                                                      \
		.bottom = "PID", .right = true, .minimum = 5, .key = true      \
	}
#define PROCESS_COLUMN_RANK                                                    \
	{                                                                      \
		.bottom = "Rank", .right = true, .minimum = 4, .key = true     \
	}
#define PROCESS_COLUMN_NAME                                                    \
	{                                                                      \
		.bottom = "Process", .expendable = 1,                          \
		.shrinks_to = LEAST_PROCESS                                    \
	}

/* Add the cells of a row. If two processes of the table have the same pid, the
 * pid cell has the tool's number of the process, too. */
void process_pid_cell(struct grid *grid, const struct report_leg *share);
void process_name_cell(struct grid *grid, const struct report_leg *share,
		       enum process_names names);

/* process_notes() appends the lines under the table by process.
 * processes_note() appends a line under the table of whole legs, which says
 * that there is a table by process, if several processes executed legs. */
void process_notes(const struct tables *shares, struct str *out);
void processes_note(const struct tables *tables, struct str *out);

#endif
