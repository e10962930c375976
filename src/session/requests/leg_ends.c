/*
 * leg_ends.c - the two ends of a requested leg: nodes by their numbers, or
 * places, each of which gets a breakpoint
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/measurements.h"
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

VEC_STRUCT(breakpoint_list, struct breakpoint *);

/* Is it a node that adaptive detail has made, or that a front end has given up?
 * The leg would stop, or not begin, with it. */
static bool is_of_others(const struct session *session, uint32_t id)
{
	bool is_out;

	return is_taken_out(session, id) ||
	       recorded_made_node(session, id, &is_out);
}

/* Does the breakpoint count only those arrivals for which its condition is
 * true? */
static bool leaves_out(const struct session *session,
		       const struct breakpoint *breakpoint)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	return facts.condition && !facts.is_always &&
	       !condition_only_names(session, breakpoint);
}

static struct error *refuse_several(struct session *session,
				    const struct breakpoint_list *list)
{
	CLEANUP(str_deinit) struct str place = {0}, nodes = {0};

	node_place(session, breakpoint_id(list->data[0]), &place);
	for (size_t i = 0; i < list->count; i++) {
		const struct breakpoint_facts facts =
			breakpoint_facts(list->data[i]);

		if (i)
			str_append(&nodes,
				   i + 1 == list->count ? " and " : ", ");
		str_printf(&nodes, "%u (%s)", facts.id,
			   expr_text(facts.condition));
	}
	return error_create(ERROR_USAGE,
			    "%s has several breakpoints, none of which counts "
			    "always: %s; name one by its number, or make one "
			    "with the condition 1",
			    str_text(&place), str_text(&nodes));
}

/* Finds an existing breakpoint that has the same text as its location and can
 * be used for this kind of request; NULL: there is none. The user who names a
 * place means each arrival there, if a breakpoint counts each of them. */
static struct error *find_same(struct session *session, enum request_kind kind,
			       const char *place, struct breakpoint **out,
			       struct str *said)
{
	struct breakpoint_list conditional = {0};
	struct breakpoint *breakpoint;
	struct error *error = NULL;
	size_t cursor = 0;

	*out = NULL;
	while (!*out && (breakpoint = probe_next(session->probe, &cursor))) {
		const struct breakpoint_facts facts =
			breakpoint_facts(breakpoint);

		if (facts.deleted || !is_of_kind(breakpoint, kind) ||
		    !str_equal(facts.location->text, place) ||
		    is_of_others(session, facts.id))
			continue;
		if (leaves_out(session, breakpoint))
			vec_push(&conditional, breakpoint);
		else
			*out = breakpoint;
	}
	if (!*out && conditional.count > 1) {
		error = refuse_several(session, &conditional);
	} else if (!*out && conditional.count) {
		*out = conditional.data[0];
		str_printf(said, "Node %u at %s counts only if %s\n",
			   breakpoint_id(*out), place,
			   expr_text(breakpoint_facts(*out).condition));
	}
	vec_free(&conditional);
	return error;
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
	struct breakpoint *same;
	enum request_kind kind;

	*id = end->id;
	*made = false;
	if (!end->place)
		return NULL;
	TRY(find_kind(end, &kind));
	if (kind == REQUEST_BEGIN && within)
		kind = REQUEST_ENTRY;
	place = in_context(session, end->place);
	TRY(find_same(session, kind, place, &same, said));
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

/* Tells the user of an end that counts nothing until it is enabled. */
static void say_disabled(const struct session *session, uint32_t id,
			 struct str *said)
{
	const struct breakpoint *breakpoint = probe_find(session->probe, id);

	if (breakpoint && !breakpoint_facts(breakpoint).enabled)
		str_printf(said,
			   "Node %u is disabled and counts nothing; `enable "
			   "%u' changes that\n",
			   id, id);
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
	if (!error) {
		say_disabled(session, out->from, &out->said);
		if (out->to != out->from)
			say_disabled(session, out->to, &out->said);
		return NULL;
	}
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
