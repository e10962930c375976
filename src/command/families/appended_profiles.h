/*
 * appended_profiles.h - the profiles that reports and saved tables have beside
 * the tables
 */
#ifndef COMMAND_APPENDED_PROFILES_H
#define COMMAND_APPENDED_PROFILES_H

#include "command/interpreter.h"
#include "perftool/base/vec.h"
#include "perftool/report/report_page.h"
#include "perftool/session/user_interface.h"

/* Appends all profiles that were recorded to the last report of batch mode. */
void append_profiles(struct session *session,
		     const struct report_request *request,
		     const struct report_options *look, struct str *out);

/* Appends to tables in JSON or CSV what belongs to them beside nodes and legs:
 * the waits for locks, if they were recorded. */
void append_contention(struct session *session, enum report_format format,
		       const struct report_options *look, struct str *out);

/* Appends the listings of all profiles that were recorded, as text. The titles
 * are static; the caller frees the texts. */
VEC_STRUCT(page_listings, struct page_listing);
void collect_listings(struct session *session, struct page_listings *out);

/* Writes a CSV file for each profile, or only for those that are saved with the
 * tables. Appends the names of the files to `saved`. */
struct error *save_profiles(const struct interpreter *interpreter,
			    const struct session_ui *ui, const char *path,
			    bool with_tables, struct str *saved);

#endif
