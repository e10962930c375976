/*
 * leg_names.c - the names of nodes and legs in all texts and tables
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "requests.h"

const char *breakpoint_kind(const struct breakpoint *breakpoint)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	switch (facts.kind) {
	case REQUEST_ENTRY:
	case REQUEST_BEGIN:
		return "entry";
	case REQUEST_EXIT:
		return "exit";
	case REQUEST_RETURN:
		return "return";
	case REQUEST_RUNS:
	case REQUEST_BLOCKS:
		return "block";
	case REQUEST_CALLS:
		return "call";
	case REQUEST_ALLOCATIONS:
		return "allocation";
	case REQUEST_SYNC_TEST:
	case REQUEST_SYNC_ENTER:
	case REQUEST_SYNC_EXIT:
		return "sync";
	case REQUEST_WATCH:
		return "watch";
	case REQUEST_PLACE:
	case REQUEST_UNWINDS:
	case REQUEST_WAITS:
	case REQUEST_WAIT_ENDS:
	case REQUEST_WAKES:
		break;
	}
	switch (facts.location->kind) {
	case LOCATION_LINE:
		return "line";
	case LOCATION_ADDRESS:
	case LOCATION_DATA:
	case LOCATION_OFFSET:
		return "address";
	case LOCATION_PROBE:
		return "probe";
	case LOCATION_FUNCTION:
		break;
	}
	return "function";
}

/* Appends the location of the breakpoint as the user wrote it, without its
 * module: the node table has a column for that. An address keeps its module. It
 * is an address of that module's file, and means nothing without the module. */
static void place_name(const struct breakpoint *breakpoint, struct str *out)
{
	const struct location *location = breakpoint_facts(breakpoint).location;
	const struct location *last =
		location->within ? location->within : location;
	const char *text = location->text;
	size_t length = strlen(text);

	if (location->kind == LOCATION_ADDRESS && location->path) {
		str_printf(out, "*0x%" PRIx64 "@%s", location->number,
			   path_file_name(location->path));
		return;
	}
	if (last->kind != LOCATION_ADDRESS && last->module)
		length = (size_t)(strrchr(text, '@') - text);
	/* NAME@@VERSION */
	length -= length && text[length - 1] == '@';
	str_append_n(out, text, length);
}

bool node_place(struct session *session, uint32_t id, struct str *out)
{
	const struct breakpoint *breakpoint =
		probe_find_any(session->probe, id);

	if (!breakpoint)
		return false;
	switch (breakpoint_facts(breakpoint).kind) {
	case REQUEST_EXIT:
	case REQUEST_RETURN:
		str_printf(out, "%s ", breakpoint_kind(breakpoint));
		break;
	case REQUEST_BLOCKS:
		str_append(out, "blocks ");
		break;
	case REQUEST_CALLS:
		str_append(out, "calls ");
		break;
	case REQUEST_WATCH:
		str_append(out, "watch ");
		break;
	default:
		break;
	}
	place_name(breakpoint, out);
	return true;
}

/* Does the leg between these two breakpoints time the calls of one function? */
static bool is_of_calls(const struct breakpoint *from,
			const struct breakpoint *to)
{
	return from && to && breakpoint_facts(from).kind == REQUEST_ENTRY &&
	       request_is_at_end(breakpoint_facts(to).kind) &&
	       str_equal(breakpoint_facts(from).location->text,
			 breakpoint_facts(to).location->text);
}

/* Returns the name that the user gave to the leg; NULL: none. */
static const char *given_name(const struct session *session, uint32_t leg)
{
	return leg < session->leg_names.count ? session->leg_names.data[leg]
					      : NULL;
}

void leg_name(struct session *session, const struct measure_leg *leg,
	      struct str *out)
{
	const struct breakpoint *from =
		probe_find_any(session->probe, leg->spec.from);
	const struct breakpoint *to =
		probe_find_any(session->probe, leg->spec.to);
	const char *given = given_name(session, leg->id);

	if (given) {
		str_append(out, given);
	} else if (is_of_calls(from, to)) {
		place_name(from, out);
	} else {
		if (!node_place(session, leg->spec.from, out))
			str_append(out, "?");
		str_append(out, " -> ");
		if (!node_place(session, leg->spec.to, out))
			str_append(out, "?");
	}
}
