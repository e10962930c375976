/*
 * legs_process.h - what tells the processes of a leg table by process apart
 */
#ifndef PERFTOOL_REPORT_LEGS_PROCESS_H
#define PERFTOOL_REPORT_LEGS_PROCESS_H

#include "grid.h"
#include "perftool/report.h"

/* What a row has beside the pid: nothing where all have the same. */
enum process_names { PROCESS_PIDS, PROCESS_COMMS, PROCESS_COMMANDS };
enum process_names process_names_of(const struct tables *shares);

/* The columns; what is left of a name where they are many. */
#define LEAST_PROCESS 10
#define PROCESS_COLUMN_PID                                                     \
	{                                                                      \
		.bottom = "PID", .right = true, .minimum = 5, .key = true      \
	}
#define PROCESS_COLUMN_NAME                                                    \
	{                                                                      \
		.bottom = "Process", .expendable = 1,                          \
		.shrinks_to = LEAST_PROCESS                                    \
	}

void process_pid_cell(struct grid *grid, const struct report_leg *share);
void process_name_cell(struct grid *grid, const struct report_leg *share,
		       enum process_names names);

/* The lines under the table; under that of the legs as a whole it is said that
 * there is this one. */
void process_notes(const struct tables *shares, struct str *out);
void processes_note(const struct tables *tables, struct str *out);

#endif
