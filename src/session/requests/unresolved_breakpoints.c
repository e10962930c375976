/*
 * unresolved_breakpoints.c - tells for which breakpoints the tool has found no
 * place, and which breakpoints no thread has reached
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/measurements.h"
#include "requests.h"

/* How many unreached breakpoints are listed. A glob may have set breakpoints in
 * many functions that the user did not expect to be called, so the list is kept
 * short. */
#define MOST_UNREACHED 10

/* Has the line about the breakpoint `last`, which comes before this breakpoint,
 * told the user enough? `time FUNC` makes two breakpoints, and one line says
 * what became of FUNC. */
static bool is_told(const struct breakpoint *last,
		    const struct breakpoint *breakpoint)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	return last && breakpoint_facts(last).kind == REQUEST_ENTRY &&
	       request_is_at_end(facts.kind) &&
	       str_equal(breakpoint_facts(last).location->text,
			 facts.location->text) &&
	       (!breakpoint_facts(last).hits || !facts.was_found);
}

static bool has_errors(struct session *session,
		       const struct breakpoint *breakpoint)
{
	const struct measure_node *node =
		measure_node(session->measure, breakpoint_id(breakpoint));

	return node && node->errors && node->first_error;
}

/* Returns the location with a readable name. `time` uses the linkage name for a
 * function whose readable name has characters of patterns in it (`char
 * const*`). The caller frees the text. */
static char *readable(const struct breakpoint *breakpoint)
{
	const struct location *location = breakpoint_facts(breakpoint).location;
	CLEANUP(free_pointer) char *name = NULL;

	if (location->kind != LOCATION_FUNCTION || location->source)
		return xstrdup(location->text);
	name = debuginfo_demangle(location->name);
	return location->module ? xasprintf("%s@%s", name, location->module)
				: xstrdup(name);
}

/* Describes a breakpoint that has a place, but no counted hit. Returns true if
 * a thread should have reached the breakpoint and has not. `most`: the list is
 * long enough, so such a breakpoint gets no line. */
static bool describe_unreached(struct session *session,
			       const struct breakpoint *breakpoint, bool most,
			       struct str *out)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	if (facts.hits || facts.told)
		return false;
	if (has_errors(session, breakpoint)) {
		str_printf(out, "%s was reached, but never counted: %s\n",
			   facts.location->text,
			   measure_node(session->measure,
					breakpoint_id(breakpoint))
				   ->first_error);
		return false;
	}
	if (facts.misses && !facts.misses_unknown) {
		str_printf(out,
			   "%s was reached %" PRIu64
			   " time%s, but %s was never true\n",
			   facts.location->text, facts.misses,
			   facts.misses == 1 ? "" : "s",
			   expr_text(facts.condition));
		return false;
	}
	if (!most) {
		CLEANUP(free_pointer) char *name = readable(breakpoint);

		str_printf(out, "%s%s was never reached",
			   /* A function that was entered may not have returned
			    * yet, or may have been left in another way, so the
			    * text names the exit. */
			   facts.kind == REQUEST_EXIT     ? "the exit of "
			   : facts.kind == REQUEST_RETURN ? "the return of "
			   : facts.kind == REQUEST_CALLS  ? "a call of "
							  : "",
			   request_is_of_calls(facts.kind)
				   ? facts.location->text
				   : name);
		if (facts.misses_unknown)
			str_printf(out, " with %s", expr_text(facts.condition));
		else if (facts.leaves_out_copies)
			str_append(out, ": perhaps all calls were inlined");
		str_append(out, "\n");
	}
	return true;
}

static bool describe_unresolved(struct session *session, bool unfound_only,
				struct str *out)
{
	struct breakpoint *breakpoint, *last = NULL;
	bool all_found = !session->lost_times;
	size_t unreached = 0, cursor = 0;
	bool is_out;

	probe_describe_problems(session->probe);
	for (; (breakpoint = probe_next(session->probe, &cursor));
	     last = breakpoint) {
		if (breakpoint_facts(breakpoint).deleted ||
		    !breakpoint_facts(breakpoint).enabled ||
		    /* The user has not asked for these. */
		    recorded_made_node(session, breakpoint_id(breakpoint),
				       &is_out) ||
		    is_told(last, breakpoint))
			continue;
		all_found &= breakpoint_facts(breakpoint).was_found;
		if (has_no_exit(session, breakpoint))
			str_printf(out, "%s has " NO_EXIT "\n",
				   breakpoint_facts(breakpoint).location->text);
		else if (!breakpoint_facts(breakpoint).was_found)
			str_printf(out, "%s was never found: %s\n",
				   breakpoint_facts(breakpoint).location->text,
				   breakpoint_facts(breakpoint).problem);
		else if (!unfound_only)
			unreached += describe_unreached(
				session, breakpoint,
				unreached >= MOST_UNREACHED, out);
	}
	if (unreached > MOST_UNREACHED)
		str_printf(out, "and %zu more were never reached\n",
			   unreached - MOST_UNREACHED);
	for (size_t i = 0; i < session->pending_times.count; i++) {
		const struct pending_time *at = &session->pending_times.data[i];

		/* A pending request that has breakpoints was described with
		 * these breakpoints. */
		if (at->found || at->entry)
			continue;
		all_found = false;
		str_printf(out,
			   "%s was never found: no function has this name\n",
			   at->pattern);
	}
	return all_found;
}

bool session_has_requests(const struct session *session)
{
	const struct breakpoint *breakpoint;
	size_t cursor = 0;

	while ((breakpoint = probe_next(session->probe, &cursor)))
		if (!breakpoint_facts(breakpoint).deleted)
			return true;
	return session->pending_times.count > 0 ||
	       profile_has_requests(session) || recorded_has_requests(session);
}

bool session_describe_unresolved(struct session *session, struct str *out)
{
	return describe_unresolved(session, false, out);
}

bool session_describe_unfound(struct session *session, struct str *out)
{
	return describe_unresolved(session, true, out);
}
