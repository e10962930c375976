/*
 * tables.h - what was measured, as rows for the report layer, and the rows of
 * `trace`
 *
 * This folder uses requests, run and settings.
 */
#ifndef SESSION_TABLES_H
#define SESSION_TABLES_H

#include "perftool/measure/measured_legs.h"
#include "session/session_state.h"

/* process_rows.c. A share is the part of a leg that belongs to one process.
 * fill_shares() adds to report_shares a row for each share of the legs in
 * report_legs, and returns the number of the processes. */
size_t fill_shares(struct session *session);
/* Has the rows of report_shares show the shares of session->interval, the
 * counts since the last tables. The caller calls this function while the rows
 * of report_legs still show the legs of the whole measurement. */
void replace_shares(struct session *session);

/* tables.c. Sets the leg of the measure layer that a row shows, and the members
 * of the row that depend on this leg. */
void set_stats(const struct session *session, struct report_leg *row,
	       const struct measure_leg *stats);

/* empty_rows.c. Leaves out the rows of nodes and legs that have counted nothing
 * and are out of the program. */
void leave_out_empty(struct session *session);

void trace_execution(void *session, const struct execution *execution);

#endif
