/*
 * profile_reports.h - the reports of the profiler: its listings, and the files
 * that other tools read
 */
#ifndef PERFTOOL_SESSION_PROFILE_REPORTS_H
#define PERFTOOL_SESSION_PROFILE_REPORTS_H

#include "perftool/report/profile_files.h"
#include "perftool/session.h"

/* Append `print flat`: the ticks by procedure. It is an error if the ticks were
 * never on. The first listing of a session says what its columns mean. */
struct error *session_print_flat(struct session *session,
				 enum report_format format,
				 const struct report_options *options,
				 struct str *out);
/* Append `print graph`: callers and callees, by ticks, counted calls or both.
 */
struct error *session_print_graph(struct session *session,
				  enum report_format format,
				  const struct report_options *options,
				  struct str *out);
/* Which samples a file gets. */
enum profile_origin {
	PROFILE_LATEST, /* those of what was on last */
	PROFILE_OF_SPY,
	PROFILE_OF_PROFILER,
};
/* `save profile FILE`. `out` gets remarks, a line each. */
struct error *session_save_profile(struct session *session, const char *path,
				   enum profile_format format,
				   enum profile_origin origin, struct str *out);
/* Turns the Spy off, and appends its samples: the same object as in a file. */
struct error *session_spy_json(struct session *session, struct str *out);
/* The command, in quotes, that shows what was recorded, if no command has shown
 * or saved it; else NULL. */
const char *session_unseen_profile(const struct session *session);

#endif
