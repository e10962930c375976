/*
 * top.h - `top`: where a program spends its time, for a user who does not know
 * the name of a function yet
 */
#ifndef PERFTOOL_SESSION_TOP_H
#define PERFTOOL_SESSION_TOP_H

#include "perftool/report/top_table.h"
#include "perftool/session.h"

/* Begin to sample the program. What an earlier `top` has found is forgotten. */
struct error *session_top_begin(struct session *session);
void session_top_end(struct session *session);

/* After session_top_end(): begin to count the calls of the function in this row
 * of the table, while the caller lets the program run for a moment. False:
 * there is no such row, its calls cannot be counted, or the user counts calls
 * already. session_top_counted() ends it. A function whose calls stop the
 * threads gets no number. */
bool session_top_count(struct session *session, size_t row);
void session_top_counted(struct session *session);
/* Append the table of what was found so far. `to_come`: for how many seconds
 * the program is still going to be sampled. */
void session_top_table(struct session *session, enum report_format format,
		       const struct report_options *options, double to_come,
		       struct str *out);

#endif
