/*
 * breakpoints.c - the commands that set, change, list and delete breakpoints,
 * and the texts that describe a breakpoint
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "requests.h"
#include "session/names/names.h"
#include "session/settings/settings.h"

struct error *find_breakpoint(struct session *session, uint32_t id,
			      struct breakpoint **out)
{
	*out = probe_find(session->probe, id);
	if (*out)
		return NULL;
	return error_create(
		ERROR_NOT_FOUND,
		"there is no breakpoint %u; `list breaks' lists all", id);
}

/* Searches the program's files for a location while the program still runs,
 * because this search may take long. Then the function has the program stand
 * still, unless the name is a mistake. `*unknown`: see check_sought(). */
static struct error *look_up(struct session *session, enum request_kind kind,
			     const char *location, const struct expr *condition,
			     bool *unknown)
{
	TRY(check_sought(session, kind, location, condition, unknown));
	TRY(check_interrupt(session));
	return stand_still(session);
}

static struct error *parse_condition(const char *text, struct expr **out)
{
	struct error *error;

	*out = NULL;
	if (!text)
		return NULL;
	error = expr_parse(text, out);
	return error ? error_prefix(error, "condition") : NULL;
}

void remove_breakpoints(struct session *session, const uint32_t *ids,
			size_t count)
{
	VEC(struct breakpoint *) list = {0};

	error_destroy(settle_counts(session));
	for (size_t i = 0; i < count; i++) {
		struct breakpoint *at = probe_find(session->probe, ids[i]);

		measure_node_deleted(session->measure, ids[i]);
		if (at)
			vec_push(&list, at);
	}
	probe_remove_all(session->probe, list.data, list.count);
	for (size_t i = 0; i < list.count; i++)
		if (!measure_node(session->measure,
				  breakpoint_id(list.data[i])))
			probe_forget(session->probe, list.data[i]);
	vec_free(&list);
}

void remove_breakpoint(struct session *session, struct breakpoint *breakpoint)
{
	uint32_t id = breakpoint_id(breakpoint);

	remove_breakpoints(session, &id, 1);
}

void take_back_breakpoint(struct session *session,
			  struct breakpoint *breakpoint)
{
	uint32_t id = breakpoint_id(breakpoint);

	error_destroy(settle_counts(session));
	if (measure_node(session->measure, id) &&
	    !measure_take_back_node(session->measure, id))
		remove_breakpoint(session, breakpoint);
	else
		probe_take_back(session->probe, breakpoint);
}

/* Appends the command that makes the condition of the breakpoint filter the
 * hits. */
static void tell_filter(const struct session *session,
			const struct breakpoint *breakpoint, struct str *out)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	if (session->conditions == CONDITIONS_NAME)
		str_printf(out, " With `set conditions %s' it counts",
			   facts.only_names ? "filter" : "auto");
	else
		str_printf(out, " With `condition %u %s' it counts",
			   breakpoint_id(breakpoint),
			   expr_text(facts.condition));
	str_append(out, " only the hits for which the condition is true.");
}

/* Appends whether the condition of the breakpoint filters the hits or only
 * names a variable, and the command that gives the condition the other meaning.
 */
static void tell_meaning(const struct session *session,
			 const struct breakpoint *breakpoint, struct str *out)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);
	const char *condition = expr_text(facts.condition);

	if (session->conditions == CONDITIONS_FILTER) {
		str_printf(out,
			   "Breakpoint #%u counts the hits for which %s (`set "
			   "conditions filter' is on).\n",
			   breakpoint_id(breakpoint), condition);
		return;
	}
	str_printf(out, "Breakpoint #%u counts each hit",
		   breakpoint_id(breakpoint));
	if (session->conditions == CONDITIONS_NAME)
		str_append(out, " (`set conditions name' is on)");
	if (facts.value)
		str_printf(out, "; a histogram of it counts the values of %s",
			   expr_text(facts.value));
	str_append(out, ".");
	if (facts.value || !facts.only_names)
		tell_filter(session, breakpoint, out);
	str_append_char(out, '\n');
}

/* Does what tell_meaning() does, if `set conditions name' is on. Without that
 * setting the condition would filter, so the user should know. */
static void tell_if_named(const struct session *session,
			  const struct breakpoint *breakpoint, struct str *out)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	if (session->conditions == CONDITIONS_NAME && facts.condition &&
	    !str_equal(expr_text(facts.condition), "1"))
		tell_meaning(session, breakpoint, out);
}

enum request_kind request_of(enum break_kind kind)
{
	switch (kind) {
	case BREAK_PLACE:
		return REQUEST_PLACE;
	case BREAK_ENTRY:
		return REQUEST_ENTRY;
	case BREAK_BEGIN:
		return REQUEST_BEGIN;
	case BREAK_EXIT:
		return REQUEST_EXIT;
	case BREAK_RETURN:
		return REQUEST_RETURN;
	case BREAK_BLOCKS:
		return REQUEST_BLOCKS;
	case BREAK_CALLS:
		return REQUEST_CALLS;
	case BREAK_ALLOCATIONS:
		return REQUEST_ALLOCATIONS;
	case BREAK_SYNC_TEST:
		return REQUEST_SYNC_TEST;
	case BREAK_SYNC_ENTER:
		return REQUEST_SYNC_ENTER;
	case BREAK_SYNC_EXIT:
		return REQUEST_SYNC_EXIT;
	}
	return REQUEST_PLACE;
}

struct error *session_break(struct session *session, enum break_kind kind,
			    const char *location, const char *mechanism,
			    const char *condition, uint32_t *id,
			    struct str *out)
{
	enum mechanism wanted = MECHANISM_AUTO;
	CLEANUP(free_pointer) char *where = NULL;
	struct breakpoint *breakpoint;
	struct error *error;
	struct expr *expr;
	bool unknown;

	TRY(need_program(session));
	if (mechanism)
		TRY(find_mechanism(mechanism, &wanted));
	TRY(parse_condition(condition, &expr));
	session->is_abandonable = true;
	where = in_context(session, location);
	error = look_up(session, request_of(kind), where, expr, &unknown);
	if (error)
		expr_destroy(expr);
	else
		error = probe_add(session->probe, request_of(kind), where, expr,
				  &breakpoint);
	session->is_abandonable = false;
	if (error)
		return error;
	error = unknown ? NULL : check_known(session, breakpoint);
	if (error) {
		probe_take_back(session->probe, breakpoint);
		return error;
	}
	probe_set_breakpoint_mechanism(session->probe, breakpoint, wanted);
	*id = breakpoint_id(breakpoint);
	str_printf(out, "Breakpoint #%u: ", breakpoint_id(breakpoint));
	describe_breakpoint(session, breakpoint, out);
	str_append(out, ".\n");
	tell_if_named(session, breakpoint, out);
	if (session->attached && session->process && !expr)
		str_printf(out,
			   "The breakpoint will stop process %d, which "
			   "perftool did not start; with `condition %u 1' it "
			   "only counts.\n",
			   session->process->pid, breakpoint_id(breakpoint));
	return NULL;
}

static struct error *set_condition(struct session *session,
				   struct breakpoint *breakpoint,
				   const char *condition, bool only_names)
{
	bool did_only_name = breakpoint_facts(breakpoint).only_names;
	struct error *error;
	struct expr *expr;

	TRY(stand_still(session));
	TRY(parse_condition(condition, &expr));
	probe_set_only_names(breakpoint, only_names);
	error = probe_set_condition(session->probe, breakpoint, expr);
	if (error)
		probe_set_only_names(breakpoint, did_only_name);
	return error;
}

struct error *session_condition(struct session *session, uint32_t id,
				const char *condition, struct str *out)
{
	struct breakpoint *breakpoint;

	TRY(find_breakpoint(session, id, &breakpoint));
	if (!condition && measure_node(session->measure, id)) {
		/* A breakpoint without a condition stops the program. Therefore
		 * a node gets the condition 1 when its condition is removed:
		 * otherwise the node would begin to stop the program by
		 * accident. */
		condition = "1";
		str_printf(out,
			   "Breakpoint #%u is a node; its condition is 1 "
			   "now.\n",
			   id);
	}
	TRY(set_condition(session, breakpoint, condition, false));
	tell_if_named(session, breakpoint, out);
	return NULL;
}

struct error *session_attach_condition(struct session *session, uint32_t id,
				       const char *condition, struct str *out)
{
	struct breakpoint *breakpoint;

	TRY(find_breakpoint(session, id, &breakpoint));
	TRY(set_condition(session, breakpoint, condition, true));
	tell_meaning(session, breakpoint, out);
	return NULL;
}

struct error *session_condition_breaks(struct session *session, struct str *out)
{
	struct breakpoint *breakpoint;
	struct expr *one;
	size_t cursor = 0;

	TRY(stand_still(session));
	while ((breakpoint = probe_next(session->probe, &cursor))) {
		if (breakpoint_facts(breakpoint).deleted ||
		    breakpoint_facts(breakpoint).condition)
			continue;
		/* Neither call can fail: the expression is a constant, and a
		 * constant can be bound at every place. */
		error_destroy(expr_parse("1", &one));
		error_destroy(
			probe_set_condition(session->probe, breakpoint, one));
	}
	str_append(out, "Conditionalized breaks\n");
	return NULL;
}

struct error *session_delete_break(struct session *session, uint32_t id)
{
	struct breakpoint *breakpoint;

	TRY(find_breakpoint(session, id, &breakpoint));
	TRY(stand_still(session));
	remove_breakpoint(session, breakpoint);
	return NULL;
}

struct error *session_take_back_break(struct session *session, uint32_t id)
{
	struct breakpoint *breakpoint;

	TRY(find_breakpoint(session, id, &breakpoint));
	TRY(stand_still(session));
	take_back_breakpoint(session, breakpoint);
	return NULL;
}

struct error *session_delete_breaks(struct session *session)
{
	struct breakpoint *breakpoint;
	VEC(uint32_t) ids = {0};
	size_t cursor = 0;

	TRY(stand_still(session));
	while ((breakpoint = probe_next(session->probe, &cursor)))
		if (!breakpoint_facts(breakpoint).deleted)
			vec_push(&ids, breakpoint_id(breakpoint));
	remove_breakpoints(session, ids.data, ids.count);
	vec_free(&ids);
	return NULL;
}

struct error *session_enable_break(struct session *session, uint32_t id,
				   bool enabled)
{
	struct breakpoint *breakpoint;

	TRY(find_breakpoint(session, id, &breakpoint));
	TRY(stand_still(session));
	if (breakpoint_facts(breakpoint).enabled != enabled) {
		TRY(settle_counts(session));
		measure_node_missed(session->measure, id);
	}
	return probe_enable(session->probe, breakpoint, enabled);
}

#define MOST_PLACES 20

static bool path_ends_in(const char *path, const char *end)
{
	size_t length = strlen(path), tail = strlen(end);

	return length >= tail && str_equal(path + length - tail, end) &&
	       (length == tail || path[length - tail - 1] == '/');
}

/* Returns the end of the path of the place's file: the shortest end that
 * distinguishes the file from the files of the other places. */
static const char *file_apart(const struct place_list *places,
			      const struct place *place)
{
	const char *shown = path_file_name(place->file);

	for (size_t i = 0; i < places->count && i < MOST_PLACES; i++) {
		const char *other = places->data[i].file;

		while (other && shown > place->file &&
		       !str_equal(other, place->file) &&
		       path_ends_in(other, shown)) {
			shown--;
			while (shown > place->file && shown[-1] != '/')
				shown--;
		}
	}
	return shown;
}

static const char *form_words(const struct breakpoint *breakpoint,
			      const struct place *place)
{
	switch (place->form) {
	case FORM_CALL:
		return ", a call";
	case FORM_CALL_PLT:
		return ", a call through the PLT";
	case FORM_CALL_GOT:
		return ", a call through the GOT";
	case FORM_JUMP:
		return ", a jump (tail call)";
	case FORM_INDIRECT:
		return ", an indirect call, if it leads there";
	case FORM_ENTRY:
	case FORM_OTHER:
		break;
	}
	if (!place->is_jump)
		return "";
	return breakpoint_facts(breakpoint).kind == REQUEST_RETURN
		       ? ", goes on in another function"
		       : ", a jump";
}

/* Does `list breaks` list all places of the breakpoint, each with its count?
 * The places of a function's blocks or of calls are what the user wants to
 * know. */
static bool lists_all(const struct breakpoint *breakpoint)
{
	return breakpoint_facts(breakpoint).kind >= REQUEST_BLOCKS;
}

/* Are there so many places that were never reached that they would hide the
 * others? */
static bool shows_reached_only(const struct breakpoint *breakpoint)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);
	size_t unreached = 0;

	for (size_t i = 0; i < facts.places->count; i++)
		unreached += !facts.places->data[i].hits;
	return request_is_of_calls(facts.kind) && facts.hits &&
	       facts.places->count > 1 && unreached > MOST_PLACES;
}

static void list_count(const struct breakpoint *breakpoint,
		       const struct place *place, struct str *out)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);
	uint64_t hits = facts.places->count > 1 ? place->hits : facts.hits;

	if (lists_all(breakpoint))
		str_printf(out, ", %" PRIu64 " time%s", hits,
			   hits == 1 ? "" : "s");
}

static void list_places(const struct breakpoint *breakpoint, struct str *out)
{
	const struct place_list *places = breakpoint_facts(breakpoint).places;
	bool reached_only = shows_reached_only(breakpoint);
	size_t shown = 0;

	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->data[i];
		CLEANUP(free_pointer) char *name = NULL;

		if (!lists_all(breakpoint) && shown == MOST_PLACES)
			break;
		if (reached_only && !place->hits)
			continue;
		shown++;
		name = place_function(place);
		str_printf(out, "      0x%012" PRIx64, place->address);
		if (name)
			str_printf(out, "%s %s",
				   place->inlined ? " inlined into" : "", name);
		if (place->file)
			str_printf(out, " %s:%u", file_apart(places, place),
				   place->line);
		if (place->module)
			str_printf(out, " in %s", module_name(place->module));
		str_printf(out, "%s%s", form_words(breakpoint, place),
			   place->gone ? ", unloaded" : "");
		list_count(breakpoint, place, out);
		str_append_char(out, '\n');
	}
	if (places->count > shown)
		str_printf(out, "      and %zu more%s\n", places->count - shown,
			   reached_only ? ", never reached" : "");
}

/* Appends the mechanism, int3 or jump, that makes the hits of the breakpoint. A
 * breakpoint that stops the program is always an int3, so the text does not
 * mention the mechanism of an unconditional breakpoint. */
static void describe_mechanism(const struct breakpoint *breakpoint,
			       struct str *out)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	if (!facts.condition || !(facts.fast + facts.int3))
		return;
	if (!facts.int3) {
		str_append(out, ", fast");
		return;
	}
	if (facts.fast)
		str_printf(out, ", %zu fast, %zu int3", facts.fast, facts.int3);
	else
		str_append(out, ", int3");
	if (facts.slow)
		str_printf(out, " (%s)", facts.slow);
}

void session_list_breaks(struct session *session, struct str *out)
{
	struct breakpoint *breakpoint;
	size_t shown = 0, cursor = 0;
	bool is_out;

	probe_catch_up(session->probe);
	/* The program may have loaded and unloaded libraries since the problems
	 * were described last. */
	probe_describe_problems(session->probe);
	while ((breakpoint = probe_next(session->probe, &cursor))) {
		const struct breakpoint_facts facts =
			breakpoint_facts(breakpoint);

		if (facts.deleted || is_taken_out(session, facts.id))
			continue;
		shown++;
		str_printf(out, "%4u  ", breakpoint_id(breakpoint));
		describe_breakpoint(session, breakpoint, out);
		if (facts.condition)
			str_printf(out, " %s %s",
				   condition_only_names(session, breakpoint)
					   ? "names"
					   : "if",
				   expr_text(facts.condition));
		if (measure_node(session->measure, breakpoint_id(breakpoint)))
			str_append(out, ", a node");
		if (recorded_made_node(session, facts.id, &is_out))
			str_append(out, is_out ? ", taken out by detail"
					       : ", by detail");
		else if (!facts.enabled)
			str_append(out, ", disabled");
		if (facts.hits)
			str_printf(out, ", reached %" PRIu64 " time%s",
				   facts.hits, facts.hits == 1 ? "" : "s");
		else if (facts.misses && !facts.misses_unknown)
			str_printf(out,
				   ", its condition false %" PRIu64 " time%s",
				   facts.misses, facts.misses == 1 ? "" : "s");
		describe_mechanism(breakpoint, out);
		str_append(out, "\n");
		list_places(breakpoint, out);
	}
	if (!shown)
		str_append(out, "No breakpoints.\n");
}

bool condition_only_names(const struct session *session,
			  const struct breakpoint *breakpoint)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	if (!facts.value)
		return false;
	return session->conditions == CONDITIONS_NAME ||
	       (session->conditions == CONDITIONS_AS_GIVEN && facts.only_names);
}
