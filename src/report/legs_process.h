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

void process_columns(struct grid *grid, enum process_names names);
void process_cells(struct grid *grid, const struct report_leg *share,
		   enum process_names names);

/* The lines under the table; under that of the legs as a whole it is said that
 * there is this one. */
void process_notes(const struct tables *shares, struct str *out);
void processes_note(const struct tables *tables, struct str *out);

#endif
