/*
 * call_profile.c - `profile functions' and `profile calls': which functions are
 * counted, and when
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/call_profiles.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/ticks.h"
#include "recorded_profiles.h"
#include "session/names/names.h"
#include "session/requests/requests.h"
#include "session/run/run.h"

bool session_profiles_calls(const struct session *session)
{
	return session->calls->patterns.count != 0;
}

static bool stops_threads(const struct called_pattern *pattern)
{
	return breakpoint_facts(pattern->entries).int3 ||
	       breakpoint_facts(pattern->ends).int3;
}

bool call_profile_stops_threads(const struct session *session)
{
	for (size_t i = 0; i < session->calls->patterns.count; i++)
		if (stops_threads(&session->calls->patterns.data[i]))
			return true;
	return false;
}

void call_profile_unstopping(const struct session *session,
			     struct string_list *out)
{
	for (size_t i = 0; i < session->calls->patterns.count; i++) {
		const struct called_pattern *pattern =
			&session->calls->patterns.data[i];

		if (!stops_threads(pattern))
			vec_push(out, xstrdup(pattern->text));
	}
}

bool session_profiles_arcs(const struct session *session)
{
	return session_profiles_calls(session) && session->calls->is_for_arcs;
}

bool profile_has_requests(const struct session *session)
{
	return session_profiles_calls(session);
}

void session_profile_limit_arcs(struct session *session, size_t limit)
{
	session->calls->limit = limit;
}

/* ---- on and off ---------------------------------------------------------- */

static struct error *enable_all(struct session *session, bool on)
{
	struct call_profile *profile = session->calls;

	for (size_t i = 0; i < profile->patterns.count; i++) {
		const struct called_pattern *at = &profile->patterns.data[i];

		TRY(probe_enable(session->probe, at->entries, on));
		TRY(probe_enable(session->probe, at->ends, on));
	}
	return profile->unwinds
		       ? probe_enable(session->probe, profile->unwinds, on)
		       : NULL;
}

static void set_on(struct session *session, bool on)
{
	struct call_profile *profile = session->calls;
	uint64_t now = clock_now(&session->clock);

	if (profile->is_on && !on)
		end_open_calls(session, open_calls_until(session));
	profile->is_on = on;
	measure_set_monitor(profile->account, on, now);
	probe_switches_changed(session->probe);
}

static struct error *turn_on(struct session *session)
{
	if (session->calls->is_on)
		return NULL;
	TRY(stand_still(session));
	TRY(enable_all(session, true));
	set_on(session, true);
	return NULL;
}

static struct error *turn_off(struct session *session)
{
	if (!session->calls->is_on)
		return NULL;
	TRY(stand_still(session));
	probe_catch_up(session->probe);
	set_on(session, false);
	return enable_all(session, false);
}

/* ---- naming functions ---------------------------------------------------- */

/* Returns the location of a pattern, which the caller frees. A glob without
 * @MODULE means functions of the program. */
static char *location_of(struct session *session, const char *pattern)
{
	CLEANUP(free_pointer) char *glob = function_pattern(pattern);
	char *text = in_context(session, glob), *whole;
	bool has_module;

	if (!is_function_glob(text, &has_module) || has_module)
		return text;
	whole = xasprintf("%s@%s", text,
			  module_name(probe_module(session->probe, 0)));
	free(text);
	return whole;
}

static const struct called_pattern *
find_named(const struct call_profile *profile, const char *text)
{
	for (size_t i = 0; i < profile->patterns.count; i++)
		if (str_equal(profile->patterns.data[i].text, text))
			return &profile->patterns.data[i];
	return NULL;
}

static struct error *check_named(struct session *session, const char *pattern,
				 const struct called_pattern *named)
{
	bool has_module;

	if (breakpoint_facts(named->entries).places->count)
		return NULL;
	if (!is_function_glob(named->text, NULL))
		return check_known(session, named->entries);
	if (is_function_glob(pattern, &has_module) && has_module)
		return NULL;
	return error_create(ERROR_NOT_FOUND,
			    "no function of %s is named %s; with @MODULE the "
			    "pattern means functions of a library",
			    module_name(probe_module(session->probe, 0)),
			    pattern);
}

static size_t count_of(const struct called_pattern *named)
{
	return breakpoint_facts(named->entries).places->count;
}

static void describe(const struct called_pattern *named, bool is_on,
		     struct str *out)
{
	size_t count = count_of(named);

	if (count)
		str_printf(out, "Calls of %zu function%s %s counted: %s\n",
			   count, count == 1 ? "" : "s", is_on ? "are" : "were",
			   named->text);
	else
		str_printf(out,
			   "%s is pending: no function has this name yet\n",
			   named->text);
}

static struct error *name_functions(struct session *session,
				    const char *pattern, struct str *out)
{
	struct call_profile *profile = session->calls;
	CLEANUP(free_pointer) char *text = location_of(session, pattern);
	struct named_function_list functions = {0};
	struct called_pattern named = {.text = text};
	const struct called_pattern *known;
	struct error *error;

	known = find_named(profile, text);
	if (known) {
		describe(known, true, out);
		return NULL;
	}
	/* The search may take long, and is made while the program runs. */
	error = probe_functions(session->probe, text, NULL, &functions);
	if (!error && session_runs_on(session))
		error = probe_prepare_exits(session->probe, &functions);
	vec_free(&functions);
	TRY(error);
	TRY(check_interrupt(session));
	TRY(stand_still(session));
	if (!profile->unwinds)
		TRY(probe_add_unwinds(session->probe, &profile->unwinds));
	probe_begin_many(session->probe, true);
	error = probe_add_calls(session->probe, text, &named.entries,
				&named.ends);
	probe_end_many(session->probe);
	TRY(error);
	error = check_named(session, pattern, &named);
	if (error) {
		probe_take_back(session->probe, named.ends);
		probe_take_back(session->probe, named.entries);
		return error;
	}
	describe(&named, true, out);
	named.text = text;
	text = NULL;
	vec_push(&profile->patterns, named);
	return NULL;
}

/* The user is not told before that the program stands still for so few. */
#define FEW_FUNCTIONS 100

static struct error *count_new(struct session *session, const char *pattern,
			       size_t *count)
{
	CLEANUP(free_pointer) char *text = location_of(session, pattern);
	struct named_function_list found = {0};
	struct error *error;

	if (find_named(session->calls, text))
		return NULL;
	error = probe_functions(session->probe, text, NULL, &found);
	*count += found.count;
	vec_free(&found);
	return error;
}

struct error *session_preview_calls(struct session *session,
				    const char *const *patterns, size_t count,
				    struct str *out)
{
	size_t functions = 0;

	TRY(need_program(session));
	if (!session_runs_on(session))
		return NULL;
	for (size_t i = 0; i < count; i++)
		TRY(count_new(session, patterns[i], &functions));
	if (!count && !session_profiles_calls(session))
		TRY(count_new(session, "*", &functions));
	if (functions <= FEW_FUNCTIONS)
		return NULL;
	str_append(out,
		   "The program stands still while the calls of at least ");
	report_number((__int128)functions, out);
	str_append(out, " functions are\nprepared to be counted. A pattern of "
			"fewer functions takes less time.\n");
	return NULL;
}

static void take_back(struct session *session, struct called_pattern *pattern)
{
	probe_take_back(session->probe, pattern->ends);
	probe_take_back(session->probe, pattern->entries);
	free(pattern->text);
}

static void forget_unwinds(struct session *session)
{
	if (session->calls->unwinds)
		probe_take_back(session->probe, session->calls->unwinds);
	session->calls->unwinds = NULL;
}

/* Takes back all patterns but the first `count`. All threads are stopped, if
 * there are any such patterns. */
static void keep_patterns(struct session *session, size_t count)
{
	struct call_profile *profile = session->calls;

	while (profile->patterns.count > count)
		take_back(session,
			  &profile->patterns.data[--profile->patterns.count]);
	if (!count)
		forget_unwinds(session);
}

/* If one of the patterns fails, or if the user interrupts, none of them is
 * named. */
static struct error *name_all(struct session *session,
			      const char *const *patterns, size_t count,
			      struct str *out)
{
	size_t named = session->calls->patterns.count, length = out->length;
	struct error *error = NULL;

	session->is_abandonable = true;
	for (size_t i = 0; !error && i < count; i++)
		error = name_functions(session, patterns[i], out);
	session->is_abandonable = false;
	if (!error)
		return NULL;
	out->length = length;
	keep_patterns(session, named);
	return error;
}

struct error *session_profile_functions(struct session *session,
					const char *const *patterns,
					size_t count, struct str *out)
{
	TRY(need_program(session));
	TRY(name_all(session, patterns, count, out));
	return turn_on(session);
}

struct error *session_profile_calls(struct session *session,
				    const char *const *patterns, size_t count,
				    struct str *out)
{
	static const char *const all[] = {"*"};

	session->calls->is_for_arcs = true;
	if (!count && !session_profiles_calls(session))
		return session_profile_functions(session, all, 1, out);
	return session_profile_functions(session, patterns, count, out);
}

void session_profile_show(const struct session *session, struct str *out)
{
	const struct call_profile *profile = session->calls;

	str_printf(out, "Ticks are %s; `profile %s' turns them %s.\n",
		   session_ticks_are_on(session) ? "taken" : "off",
		   session_ticks_are_on(session) ? "off" : "on",
		   session_ticks_are_on(session) ? "off" : "on");
	if (!profile->patterns.count) {
		str_append(out, "No calls are counted; `profile functions "
				"GLOB' counts those of functions.\n");
		return;
	}
	if (!profile->is_on)
		str_append(out, "Counting of calls is off; `profile calls' "
				"goes on with it.\n");
	for (size_t i = 0; i < profile->patterns.count; i++)
		describe(&profile->patterns.data[i], profile->is_on, out);
}

/* ---- off, flush, initialize ---------------------------------------------- */

struct error *session_profile_calls_off(struct session *session)
{
	TRY(turn_off(session));
	note_full(session);
	return NULL;
}

/* Threads that have ended are forgotten; the others keep their counters, and
 * with them what they have open. */
static void forget_counts(struct session *session)
{
	struct call_profile *profile = session->calls;
	uint64_t now = clock_now(&session->clock);

	forget_ended(profile);
	restart_counters(session, open_calls_until(session));
	profile->known = profile->unknown = 0;
	measure_zero(profile->account, now);
}

struct error *session_profile_flush(struct session *session)
{
	TRY(stand_still(session));
	probe_catch_up(session->probe);
	forget_counts(session);
	return NULL;
}

struct error *session_initialize_profile(struct session *session)
{
	struct call_profile *profile = session->calls;

	TRY(turn_off(session));
	source_profiles_clear(&session->recorded->source);
	keep_patterns(session, 0);
	profile->is_for_arcs = false;
	forget_counts(session);
	return NULL;
}
