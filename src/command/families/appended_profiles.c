/*
 * appended_profiles.c - the profiles that reports and saved tables have beside
 * the tables: which there are, and each in the form of the report
 */
#include "appended_profiles.h"

#include <stdlib.h>
#include <string.h>

#include "command/output.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/session/calls.h"
#include "perftool/session/contended_locks.h"
#include "perftool/session/profile_reports.h"
#include "perftool/session/source.h"
#include "perftool/session/spy.h"
#include "perftool/session/ticks.h"
#include "perftool/session/user_interface.h"

/* Appends a profile. None of these fails if there is something to report. */
typedef void profile_writer(struct session *session, enum report_format format,
			    const struct report_options *look, struct str *out);

static void write_spy(struct session *session, enum report_format format,
		      const struct report_options *look, struct str *out)
{
	if (format == FORMAT_JSON)
		error_destroy(session_spy_json(session, out));
	else if (format == FORMAT_TEXT)
		error_destroy(session_spy_display(session, SPY_MIN, SPY_MINSON,
						  look->columns, out));
}

static void write_flat(struct session *session, enum report_format format,
		       const struct report_options *look, struct str *out)
{
	error_destroy(session_print_flat(session, format, look, out));
}

static void write_graph(struct session *session, enum report_format format,
			const struct report_options *look, struct str *out)
{
	error_destroy(session_print_graph(session, format, look, out));
}

static void write_functions(struct session *session, enum report_format format,
			    const struct report_options *look, struct str *out)
{
	error_destroy(session_print_functions(session, format, look, out));
}

static void write_source(struct session *session, enum report_format format,
			 const struct report_options *look, struct str *out)
{
	(void)look;
	error_destroy(session_print_source(session, NULL, format, out));
}

static void write_contention(struct session *session, enum report_format format,
			     const struct report_options *look, struct str *out)
{
	error_destroy(session_print_contention(session, format, look, out));
}

static bool has_graph(const struct session *session)
{
	return session_ticks_were_on(session) || session_profiles_arcs(session);
}

static const struct {
	const char *name; /* of the member of JSON, and of the file of CSV */
	bool (*exists)(const struct session *session);
	profile_writer *write;
	const char *title; /* in a report for people */
} profiles[] = {
	{"spy", session_spy_was_on, write_spy, "The Spy\xe2\x80\x99s display"},
	{"flat", session_ticks_were_on, write_flat, "Ticks by procedure"},
	{"graph", has_graph, write_graph, "Callers and callees"},
	{"functions", session_profiles_calls, write_functions,
	 "Calls and times of functions"},
	{"source", session_profiles_source, write_source,
	 "Executions and times of source lines"},
	{"contention", session_watched_locks, write_contention,
	 "Waits for locks"},
};
enum { PROFILES = sizeof(profiles) / sizeof(*profiles) };

/* Waits for locks are no profile, but tables like the others: they are saved
 * with them, and front ends get them with them. */
static bool is_with_tables(size_t profile)
{
	return profiles[profile].exists == session_watched_locks;
}

/* Appends one of the profiles to the last report of batch mode. */
static void append_profile(struct session *session, size_t profile,
			   enum report_format format,
			   const struct report_options *look, struct str *out)
{
	struct str text = {0};

	profiles[profile].write(session, format, look, &text);
	if (!text.length)
		return;
	if (format == FORMAT_JSON) {
		/* without the line end */
		CLEANUP(free_pointer)
		char *value = xasprintf("%.*s", (int)text.length - 1,
					str_text(&text));

		report_json_member(profiles[profile].name, value, out);
	} else {
		if (out->length)
			str_append_char(out, '\n');
		str_append(out, str_text(&text));
	}
	str_deinit(&text);
}

void append_profiles(struct session *session,
		     const struct report_request *request,
		     const struct report_options *look, struct str *out)
{
	for (size_t i = 0; request->part == REPORT_WHOLE && i < PROFILES; i++)
		if (profiles[i].exists(session))
			append_profile(session, i, request->format, look, out);
}

void append_contention(struct session *session, enum report_format format,
		       const struct report_options *look, struct str *out)
{
	for (size_t i = 0; format != FORMAT_TEXT && i < PROFILES; i++)
		if (is_with_tables(i) && profiles[i].exists(session))
			append_profile(session, i, format, look, out);
}

/* A listing in a report for people has so many lines at most. */
#define LISTED_LINES 150

/* Cuts a text after so many lines, and says so. */
static char *first_lines(struct str *text)
{
	const char *begin = str_text(text), *at = begin;
	struct str cut = {0};
	size_t left = 0;

	for (int i = 0; i < LISTED_LINES && at; i++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at || !*at)
		return str_take(text);
	str_append_n(&cut, begin, (size_t)(at - begin));
	for (; *at; at++)
		left += *at == '\n';
	str_printf(&cut, "... and %zu further lines\n", left);
	str_deinit(text);
	return str_take(&cut);
}

void collect_listings(struct session *session, struct page_listings *out)
{
	const struct report_options look = {0};

	for (size_t i = 0; i < PROFILES; i++) {
		struct str text = {0};

		if (profiles[i].exists(session))
			profiles[i].write(session, FORMAT_TEXT, &look, &text);
		if (text.length)
			vec_push(out,
				 (struct page_listing){profiles[i].title,
						       first_lines(&text)});
		str_deinit(&text);
	}
}

struct error *save_profiles(const struct interpreter *interpreter,
			    const struct session_ui *ui, const char *path,
			    bool with_tables, struct str *saved)
{
	struct session *session = interpreter->options.session;
	const struct report_options look = {0};
	struct error *error = NULL;

	for (size_t i = 0; !error && i < PROFILES; i++) {
		CLEANUP(free_pointer)
		char *name = path_of_table(path, profiles[i].name);
		struct str text = {0};

		if (!profiles[i].exists(session) ||
		    (with_tables && !is_with_tables(i)))
			continue;
		profiles[i].write(session, FORMAT_CSV, &look, &text);
		if (text.length) {
			error = output_file(ui, name, &text);
			str_printf(saved, "%s%s", saved->length ? ", " : "",
				   name);
		}
		str_deinit(&text);
	}
	return error;
}
