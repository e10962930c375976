/*
 * detail_nodes.c - the nodes of the functions that are detailed: makes them as
 * `time` does, takes them out and puts them in again
 */
#include <stdlib.h>

#include "adaptive_detail.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/measurements.h"
#include "session/requests/requests.h"

struct detailed_function *detailed_function(struct adaptive_detail *detail,
					    uint32_t number)
{
	while (detail->functions.count <= number)
		vec_push(&detail->functions, (struct detailed_function){0});
	return &detail->functions.data[number];
}

bool adaptive_made(const struct adaptive_detail *detail, uint32_t node)
{
	return map_get_number(&detail->nodes, (uint64_t)node + 1) != 0;
}

static bool is_at(const struct place_list *places,
		  const struct detailed_function *function)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->data[i];

		if (place->module && !place->gone &&
		    place->address - module_bias(place->module) ==
			    function->address &&
		    str_equal(module_name(place->module), function->module))
			return true;
	}
	return false;
}

bool adaptive_is_taken(const struct adaptive_detail *detail,
		       const struct detailed_function *function)
{
	const struct breakpoint *breakpoint;
	size_t cursor = 0;

	while ((breakpoint = probe_next(detail->session->probe, &cursor))) {
		const struct breakpoint_facts facts =
			breakpoint_facts(breakpoint);

		if (!facts.deleted && facts.kind == REQUEST_ENTRY &&
		    !adaptive_made(detail, facts.id) &&
		    is_at(facts.places, function))
			return true;
	}
	return false;
}

uint64_t adaptive_hits(const struct adaptive_detail *detail,
		       const struct detailed_function *function)
{
	const struct measure *measure = detail->session->measure;
	uint64_t hits = 0;

	for (size_t i = 0; i < function->made.count; i++) {
		const struct timed_function *made = &function->made.data[i];
		const struct measure_node *entry =
			measure_node(measure, made->entry);
		const struct measure_node *exit_point =
			measure_node(measure, made->exit_point);

		hits += entry ? entry->count : 0;
		hits += exit_point ? exit_point->count : 0;
	}
	return hits;
}

/* ---- in ------------------------------------------------------------------ */

/* Can the function be found by its location? Finds out where its frames end,
 * too. */
static bool is_found(struct session *session, const char *location)
{
	struct named_function_list functions = {0};
	struct error *error =
		probe_functions(session->probe, location, NULL, &functions);
	bool found = !error && functions.count;

	if (found)
		error = probe_prepare_exits(session->probe, &functions);
	error_destroy(error);
	vec_free(&functions);
	return found;
}

void adaptive_prepare(struct adaptive_detail *detail)
{
	for (size_t i = detail->changes.count; i-- > 0;) {
		const struct detail_change *change = &detail->changes.data[i];
		struct detailed_function *function =
			detailed_function(detail, change->function);
		const char *name =
			detail->choice.functions.data[change->function].name;

		bool is_taken =
			change->in && adaptive_is_taken(detail, function);

		if (!change->in ||
		    (!is_taken &&
		     (function->made.count || is_found(detail->session, name))))
			continue;
		function->is_impossible = !is_taken;
		detail_choice_bar(&detail->choice, change->function, true);
		vec_remove(&detail->changes, i);
	}
}

static void note_nothing(void *context, const char *text)
{
	(void)context;
	(void)text;
}

/* Makes the nodes of a function. The user has not asked for them, and gets no
 * remarks on them. */
static struct error *make(struct adaptive_detail *detail, const char *location,
			  struct detailed_function *function)
{
	struct session *session = detail->session;
	const struct time_request request = {
		.patterns = &location, .count = 1, .made = &function->made};
	void (*note)(void *context, const char *text) = session->ui.note;
	bool was_set = session->monitor_was_set;
	struct str said = {0};
	struct error *error;

	session->ui.note = note_nothing;
	error = session_time(session, &request, &said);
	session->ui.note = note;
	session->monitor_was_set = was_set;
	str_deinit(&said);
	for (size_t i = 0; i < function->made.count; i++) {
		const struct timed_function *made = &function->made.data[i];

		map_set_number(&detail->nodes, (uint64_t)made->entry + 1, 1);
		map_set_number(&detail->nodes, (uint64_t)made->exit_point + 1,
			       1);
		map_set_number(&detail->legs, (uint64_t)made->leg + 1, 1);
	}
	return error;
}

static void enable(struct session *session, uint32_t id, bool enabled)
{
	error_destroy(session_enable_break(session, id, enabled));
}

/* Enables or disables the breakpoints of a function. The last exits come in
 * first, and go last. */
static void enable_all(struct adaptive_detail *detail,
		       const struct detailed_function *function, bool enabled)
{
	for (size_t i = 0; i < function->made.count; i++) {
		const struct timed_function *made = &function->made.data[i];

		enable(detail->session, made->exit_point, enabled);
		enable(detail->session, made->entry, enabled);
	}
}

static void put_in(struct adaptive_detail *detail, uint32_t number)
{
	struct detailed_function *function = detailed_function(detail, number);
	const char *location = detail->choice.functions.data[number].name;
	struct error *error = NULL;

	if (function->made.count)
		enable_all(detail, function, true);
	else
		error = make(detail, location, function);
	function->is_armed = !error;
	function->is_impossible = error != NULL;
	if (error)
		detail_choice_bar(&detail->choice, number, true);
	error_destroy(error);
	function->hits = adaptive_hits(detail, function);
}

/* ---- out ----------------------------------------------------------------- */

static void remove_if_there(struct session *session, uint32_t id)
{
	struct breakpoint *breakpoint = probe_find(session->probe, id);

	if (breakpoint)
		remove_breakpoint(session, breakpoint);
}

static void remove_all_of(struct adaptive_detail *detail, uint32_t number)
{
	struct detailed_function *function = detailed_function(detail, number);

	for (size_t i = 0; i < function->made.count; i++) {
		remove_if_there(detail->session,
				function->made.data[i].exit_point);
		remove_if_there(detail->session, function->made.data[i].entry);
	}
	vec_free(&function->made);
	function->is_armed = false;
	detail_choice_lost(&detail->choice, number);
}

static bool is_deleted(const struct session *session,
		       const struct timed_function *made)
{
	return !measure_leg(session->measure, made->leg) ||
	       !probe_find(session->probe, made->entry) ||
	       !probe_find(session->probe, made->exit_point);
}

bool adaptive_is_deleted(const struct adaptive_detail *detail,
			 const struct detailed_function *function)
{
	for (size_t i = 0; i < function->made.count; i++)
		if (is_deleted(detail->session, &function->made.data[i]))
			return true;
	return false;
}

static void take_out(struct adaptive_detail *detail, uint32_t number)
{
	struct detailed_function *function = detailed_function(detail, number);

	if (adaptive_is_deleted(detail, function)) {
		remove_all_of(detail, number);
		return;
	}
	enable_all(detail, function, false);
	function->is_armed = false;
}

void adaptive_change(struct adaptive_detail *detail)
{
	for (size_t i = 0; i < detail->changes.count; i++) {
		const struct detail_change *change = &detail->changes.data[i];

		if (change->in)
			put_in(detail, change->function);
		else
			take_out(detail, change->function);
	}
	vec_clear(&detail->changes);
}

void adaptive_forgo(struct adaptive_detail *detail)
{
	for (size_t i = 0; i < detail->changes.count; i++) {
		const struct detail_change *change = &detail->changes.data[i];

		if (change->in)
			detail_choice_lost(&detail->choice, change->function);
		else
			take_out(detail, change->function);
	}
	vec_clear(&detail->changes);
}

void adaptive_remove_all(struct adaptive_detail *detail)
{
	for (uint32_t i = 0; i < detail->functions.count; i++)
		remove_all_of(detail, i);
}
