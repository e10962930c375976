/*
 * report_of_session.h - everything that a session has measured as one HTML
 * file
 */
#ifndef PERFTOOL_SESSION_REPORT_OF_SESSION_H
#define PERFTOOL_SESSION_REPORT_OF_SESSION_H

#include "perftool/report/report_page.h"
#include "perftool/session.h"

/* Append the report. `listings` are put into it. */
void session_report_page(struct session *session,
			 const struct page_listing *listings, size_t count,
			 struct str *out);

#endif
