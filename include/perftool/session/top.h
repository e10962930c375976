/*
 * top.h - `top`: where a program spends its time, for a user who does not know
 * the name of a function yet
 */
#ifndef PERFTOOL_SESSION_TOP_H
#define PERFTOOL_SESSION_TOP_H

#include "perftool/report/top_table.h"
#include "perftool/session.h"

/* Begin to sample the program. What an earlier `top` has found is forgotten. An
 * error says if another one is under way, until session_top_leave(). */
struct error *session_top_begin(struct session *session);
void session_top_end(struct session *session);
void session_top_leave(struct session *session);

/* After session_top_end(): begin to count the calls of the functions in the
 * first rows of the table, all at the same time, while the caller lets the
 * program run. Returns false if nothing is counted: the calls of these
 * functions cannot be counted, or the user counts calls already. */
bool session_top_count(struct session *session, size_t rows);
/* When the program has run for a moment: functions whose calls stop their
 * threads are counted no more, because the threads are then so slow that the
 * numbers would say more of the tool than of the program. If there are such
 * functions, the others are counted anew. Returns false if no others are left.
 */
bool session_top_spare_threads(struct session *session);
/* When the program has run for a while longer: functions whose hits take most
 * of its time are counted no more, and the others anew, so that these are
 * counted in a program that is itself. Returns false if no others are left. */
bool session_top_spare_dear(struct session *session);
/* The table has the numbers from now on, and nothing is counted any more. */
void session_top_end_count(struct session *session);
/* Append the table of what was found so far. `to_come`: for how many seconds
 * the program is still going to be sampled. */
void session_top_table(struct session *session, enum report_format format,
		       const struct report_options *options, double to_come,
		       struct str *out);

#endif
