/*
 * fake_session_profiles.h - what the fake session answers to the commands of
 * profiles
 *
 * Included by fake_session.h.
 */
#ifndef FAKE_SESSION_PROFILES_H
#define FAKE_SESSION_PROFILES_H

#include "perftool/session/calls.h"
#include "perftool/session/contended_locks.h"
#include "perftool/session/profile_reports.h"
#include "perftool/session/report_of_session.h"
#include "perftool/session/source.h"
#include "perftool/session/spy.h"
#include "perftool/session/ticks.h"
#include "perftool/session/top.h"

static struct error *profile_called(const char *command,
				    const char *const *patterns, size_t count)
{
	struct str text = {0};
	struct error *error;

	for (size_t i = 0; i < count; i++)
		str_printf(&text, " [%s]", patterns[i]);
	error = called("%s%s", command, str_text(&text));
	str_deinit(&text);
	return error;
}

struct error *session_preview_calls(struct session *session,
				    const char *const *patterns, size_t count,
				    struct str *out)
{
	(void)session, (void)patterns, (void)count, (void)out;
	return NULL;
}

struct error *session_profile_functions(struct session *session,
					const char *const *patterns,
					size_t count, struct str *out)
{
	(void)session, (void)out;
	return profile_called("profile functions", patterns, count);
}

struct error *session_profile_calls(struct session *session,
				    const char *const *patterns, size_t count,
				    struct str *out)
{
	(void)session, (void)out;
	return profile_called("profile calls", patterns, count);
}

struct error *session_profile_calls_off(struct session *session)
{
	(void)session;
	return called("profile calls off");
}

void session_profile_limit_arcs(struct session *session, size_t limit)
{
	(void)session;
	noted(called("profile arcs %zu", limit));
}

void session_profile_show(const struct session *session, struct str *out)
{
	(void)session, (void)out;
	noted(called("profile show"));
}

struct error *session_profile_flush(struct session *session)
{
	(void)session;
	return called("profile flush");
}

struct error *session_initialize_profile(struct session *session)
{
	(void)session;
	return called("initialize profile");
}

bool session_profiles_calls(const struct session *session)
{
	(void)session;
	return false;
}

struct error *session_profile_source(struct session *session, const char *name,
				     struct str *out)
{
	(void)session;
	(void)out;
	return called("profile source %s", name);
}

bool session_watched_locks(const struct session *session)
{
	(void)session;
	return false;
}

struct error *session_print_contention(struct session *session,
				       enum report_format format,
				       const struct report_options *options,
				       struct str *out)
{
	(void)session, (void)format;
	(void)out;
	return called("print contention top=%zu", options->top);
}

bool session_profiles_source(const struct session *session)
{
	(void)session;
	return false;
}

struct error *session_print_source(struct session *session, const char *name,
				   enum report_format format, struct str *out)
{
	(void)session, (void)format;
	(void)out;
	return called("print source %s", name ? name : "-");
}

bool session_profiles_arcs(const struct session *session)
{
	(void)session;
	return false;
}

struct error *session_print_functions(struct session *session,
				      enum report_format format,
				      const struct report_options *options,
				      struct str *out)
{
	(void)session, (void)format;
	str_append(out, "functions\n");
	return called("print functions%s%s%s", options->verbose ? " -v" : "",
		      options->by_cpu ? " by=cpu" : "",
		      options->top == 20 ? " top=20" : "");
}

/* ---- ticks --------------------------------------------------------------- */

struct error *session_ticks_on(struct session *session, struct str *out)
{
	(void)session, (void)out;
	return called("ticks on");
}

struct error *session_ticks_off(struct session *session)
{
	(void)session;
	return called("ticks off");
}

bool session_ticks_are_on(const struct session *session)
{
	(void)session;
	return false;
}

bool session_ticks_were_on(const struct session *session)
{
	(void)session;
	return false;
}

struct error *session_ticks_flush(struct session *session)
{
	(void)session;
	return called("ticks flush");
}

struct error *session_ticks_rate(struct session *session, double hz)
{
	(void)session;
	return called("ticks rate %g", hz);
}

struct error *session_print_flat(struct session *session,
				 enum report_format format,
				 const struct report_options *options,
				 struct str *out)
{
	(void)session, (void)options, (void)format;
	str_append(out, "flat\n");
	return called("print flat");
}

struct error *session_print_graph(struct session *session,
				  enum report_format format,
				  const struct report_options *options,
				  struct str *out)
{
	(void)session, (void)format;
	str_append(out, "graph\n");
	return called("print graph%s", options->by_cpu ? " by=cpu" : "");
}

struct error *session_spy_json(struct session *session, struct str *out)
{
	(void)session;
	str_append(out, "{}\n");
	return called("spy json");
}

const char *session_unseen_profile(const struct session *session)
{
	(void)session;
	return NULL;
}

struct error *session_save_profile(struct session *session, const char *path,
				   enum profile_format format,
				   enum profile_origin origin, struct str *out)
{
	static const char *const origins[] = {"latest", "spy", "profile"};

	(void)session, (void)out;
	return called("save profile [%s] %d from %s", path, (int)format,
		      origins[origin]);
}

void session_report_page(struct session *session,
			 const struct page_listing *listings, size_t count,
			 struct str *out)
{
	(void)session, (void)listings;
	str_append(out, "<html/>\n");
	noted(called("report page with %zu listings", count));
}

/* ---- top ----------------------------------------------------------------- */

struct error *session_top_begin(struct session *session)
{
	(void)session;
	return called("top begin");
}

void session_top_leave(struct session *session)
{
	(void)session;
}

void session_top_end(struct session *session)
{
	(void)session;
	noted(called("top end"));
}

bool session_top_count(struct session *session, size_t rows)
{
	(void)session;
	noted(called("top counts %zu rows", rows));
	return true;
}

bool session_top_spare_threads(struct session *session)
{
	(void)session;
	noted(called("top spares threads"));
	return true;
}

bool session_top_spare_dear(struct session *session)
{
	(void)session;
	noted(called("top spares dear"));
	return true;
}

void session_top_end_count(struct session *session)
{
	(void)session;
	noted(called("top has counted"));
}

void session_top_table(struct session *session, enum report_format format,
		       const struct report_options *options, double to_come,
		       struct str *out)
{
	(void)session, (void)options, (void)to_come, (void)format;
	str_append(out, "top\n");
	noted(called("top table"));
}

/* ---- the Spy ------------------------------------------------------------- */

struct error *session_spy_watch(struct session *session, enum spy_watch watch)
{
	(void)session;
	return called("spy watch %d", (int)watch);
}

struct error *session_spy_rate(struct session *session, double hz)
{
	(void)session;
	return called("spy rate %g", hz);
}

struct error *session_spy_process(struct session *session, pid_t tid)
{
	(void)session;
	return called("spy process %d", tid);
}

struct error *session_spy_process_break(struct session *session)
{
	(void)session;
	return called("spy process break");
}

struct error *session_spy_break(struct session *session,
				enum spy_break_kind kind, const char *location,
				const char *condition, struct str *out)
{
	static const char *const kinds[] = {"break", "start", "stop"};

	(void)session, (void)out;
	return condition ? called("spy %s [%s] if [%s]", kinds[kind], location,
				  condition)
			 : called("spy %s [%s]", kinds[kind], location);
}

struct error *session_spy_clear(struct session *session, bool samples)
{
	(void)session;
	return called("spy clear %s", samples ? "breaks" : "starts");
}

struct error *session_spy_on(struct session *session, struct str *out)
{
	(void)session, (void)out;
	return called("spy on");
}

struct error *session_spy_resume(struct session *session, struct str *out)
{
	(void)session, (void)out;
	return called("spy resume");
}

struct error *session_spy_starts(struct session *session, bool on,
				 struct str *out)
{
	(void)out;
	(void)session;
	return called("spy starts %s", on ? "on" : "off");
}

struct error *session_spy_off(struct session *session)
{
	(void)session;
	return called("spy off");
}

void session_spy_show(const struct session *session, struct str *out)
{
	(void)session, (void)out;
	noted(called("spy show"));
}

struct error *session_spy_flush(struct session *session)
{
	(void)session;
	return called("spy flush");
}

bool session_spy_was_on(const struct session *session)
{
	(void)session;
	return false;
}

struct error *session_spy_display(struct session *session, double min,
				  double min_son, int columns, struct str *out)
{
	(void)session, (void)columns;
	str_append(out, "display\n");
	return called("spy display %g %g", min, min_son);
}

#endif
