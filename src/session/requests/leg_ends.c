/*
 * leg_ends.c - the two ends of a requested leg: nodes by their numbers, or
 * places, each of which gets a breakpoint
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "requests.h"
#include "session/names/names.h"

static enum request_kind kind_of(const struct leg_end *end,
				 const struct location *location)
{
	if (end->kind == BREAK_PLACE && location->kind == LOCATION_FUNCTION)
		return REQUEST_BEGIN;
	return request_of(end->kind);
}

static enum break_kind break_kind_of(enum request_kind kind)
{
	switch (kind) {
	case REQUEST_PLACE:
		return BREAK_PLACE;
	case REQUEST_ENTRY:
		return BREAK_ENTRY;
	case REQUEST_BEGIN:
		return BREAK_BEGIN;
	case REQUEST_EXIT:
		return BREAK_EXIT;
	case REQUEST_RETURN:
		return BREAK_RETURN;
	case REQUEST_RUNS:
	case REQUEST_BLOCKS:
		return BREAK_BLOCKS;
	case REQUEST_CALLS:
		return BREAK_CALLS;
	case REQUEST_ALLOCATIONS:
		return BREAK_ALLOCATIONS;
	case REQUEST_SYNC_TEST:
		return BREAK_SYNC_TEST;
	case REQUEST_SYNC_ENTER:
		return BREAK_SYNC_ENTER;
	case REQUEST_SYNC_EXIT:
		return BREAK_SYNC_EXIT;
	case REQUEST_UNWINDS:
	case REQUEST_WAITS:
	case REQUEST_WAIT_ENDS:
	case REQUEST_WAKES:
	case REQUEST_WATCH:
		break; /* no leg makes such a breakpoint */
	}
	return BREAK_PLACE;
}

/* Can the breakpoint be used for a request of this kind? A breakpoint at a
 * function's entry can also be used for REQUEST_BEGIN, if the function has no
 * inlined copies. */
static bool is_of_kind(const struct breakpoint *breakpoint,
		       enum request_kind kind)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	if (facts.kind == kind)
		return true;
	return kind == REQUEST_BEGIN && facts.kind == REQUEST_ENTRY &&
	       !facts.leaves_out_copies;
}

/* Returns an existing breakpoint that has the same text as its location and can
 * be used for this kind of request; NULL: there is none. */
static struct breakpoint *find_same(struct session *session,
				    enum request_kind kind, const char *place)
{
	struct breakpoint *breakpoint;
	size_t cursor = 0;

	while ((breakpoint = probe_next(session->probe, &cursor)))
		if (!breakpoint_facts(breakpoint).deleted &&
		    is_of_kind(breakpoint, kind) &&
		    str_equal(breakpoint_facts(breakpoint).location->text,
			      place))
			return breakpoint;
	return NULL;
}

static struct error *find_kind(const struct leg_end *end,
			       enum request_kind *kind)
{
	struct location location;

	TRY(request_parse(request_of(end->kind), end->place, &location));
	*kind = kind_of(end, &location);
	location_deinit(&location);
	return NULL;
}

/* Do both ends of the leg name the same function? Such a leg times the calls of
 * the function, and an inlined copy is not a call. */
static bool is_within(const struct leg_request *request)
{
	const char *from = request->from.place, *to = request->to.place;

	return from && to && str_equal(from, to);
}

static struct error *find_end(struct session *session,
			      const struct leg_end *end, bool within,
			      uint32_t *id, bool *made, struct str *said)
{
	CLEANUP(free_pointer) char *place = NULL;
	const struct breakpoint *same;
	enum request_kind kind;

	*id = end->id;
	*made = false;
	if (!end->place)
		return NULL;
	TRY(find_kind(end, &kind));
	if (kind == REQUEST_BEGIN && within)
		kind = REQUEST_ENTRY;
	place = in_context(session, end->place);
	same = find_same(session, kind, place);
	if (same) {
		*id = breakpoint_id(same);
		return NULL;
	}
	TRY(session_break(session, break_kind_of(kind), place, NULL, "1", id,
			  said));
	*made = true;
	if (has_no_exit(session, probe_find(session->probe, *id)))
		return error_create(ERROR_NOT_FOUND,
				    "%s has " NO_EXIT "; let the leg begin or "
				    "end at a line, as FILE:LINE",
				    end->place);
	return NULL;
}

struct error *find_leg_ends(struct session *session,
			    const struct leg_request *request,
			    struct leg_ends *out)
{
	bool within = is_within(request);
	struct error *error;

	*out = (struct leg_ends){0};
	error = find_end(session, &request->from, within, &out->from,
			 &out->made_from, &out->said);
	if (!error)
		error = find_end(session, &request->to, within, &out->to,
				 &out->made_to, &out->said);
	if (!error)
		return NULL;
	forget_leg_ends(session, out);
	str_deinit(&out->said);
	return error;
}

static void forget_end(struct session *session, uint32_t id)
{
	struct breakpoint *breakpoint = probe_find(session->probe, id);

	if (breakpoint)
		take_back_breakpoint(session, breakpoint);
}

void forget_leg_ends(struct session *session, struct leg_ends *ends)
{
	if (!ends->made_from && !ends->made_to)
		return;
	if (ends->made_to)
		forget_end(session, ends->to);
	if (ends->made_from)
		forget_end(session, ends->from);
	str_deinit(&ends->said);
}
