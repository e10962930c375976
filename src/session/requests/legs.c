/*
 * legs.c - the commands that make nodes, legs and histograms
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/measurements.h"
#include "requests.h"

/* Turns the monitor on when the user makes the first node at a prompt, unless
 * the user has turned it on or off before. A user who makes nodes wants to
 * measure legs, and does not want the nodes to stop the program. */
static struct error *begin_monitoring(struct session *session, struct str *out)
{
	if (!session->ui.interactive || session->monitor_was_set)
		return NULL;
	TRY(session_monitor(session, true));
	str_append(out, "The monitor is on: conditional breakpoints count, and "
			"do not stop the program (`monitor off' has them "
			"stop)\n");
	return NULL;
}

struct error *make_node(struct session *session, struct breakpoint *breakpoint,
			struct str *out)
{
	struct expr *one;

	if (!breakpoint_facts(breakpoint).condition) {
		TRY(stand_still(session));
		TRY(expr_parse("1", &one));
		TRY(probe_set_condition(session->probe, breakpoint, one));
		str_printf(out, "Breakpoint #%u is conditional now (1)\n",
			   breakpoint_id(breakpoint));
	}
	if (!measure_node(session->measure, breakpoint_id(breakpoint))) {
		measure_add_node(session->measure, breakpoint_id(breakpoint));
		str_printf(out, "Node %u collected\n",
			   breakpoint_id(breakpoint));
	}
	return begin_monitoring(session, out);
}

struct error *session_collect_nodes(struct session *session, struct str *out)
{
	struct breakpoint *breakpoint;
	bool is_any = false;
	size_t cursor = 0;

	while ((breakpoint = probe_next(session->probe, &cursor))) {
		const struct breakpoint_facts facts =
			breakpoint_facts(breakpoint);

		if (facts.deleted || !facts.condition)
			continue;
		measure_add_node(session->measure, breakpoint_id(breakpoint));
		is_any = true;
	}
	if (is_any)
		str_append(out, "Collected nodes\n");
	else
		str_append(out,
			   "Collected no nodes: no breakpoint has a condition "
			   "(`condition breaks' gives each breakpoint one)\n");
	return is_any ? begin_monitoring(session, out) : NULL;
}

/* Do all places of both breakpoints lie in one function of the same module? */
static bool same_function(const struct breakpoint *a,
			  const struct breakpoint *b)
{
	const struct breakpoint_facts b_facts = breakpoint_facts(b);
	const struct breakpoint_facts a_facts = breakpoint_facts(a);
	const struct place *first;

	/* An entry and an exit with the same text belong to the same functions,
	 * even while both breakpoints are pending. */
	if (a_facts.location->kind == b_facts.location->kind &&
	    (a_facts.location->kind == LOCATION_FUNCTION ||
	     a_facts.location->kind == LOCATION_ADDRESS) &&
	    str_equal(a_facts.location->text, b_facts.location->text))
		return true;
	if (!a_facts.places->count || !b_facts.places->count)
		return false;
	first = &a_facts.places->data[0];
	if (!function_is_known(&first->function))
		return false;
	for (size_t i = 0; i < a_facts.places->count + b_facts.places->count;
	     i++) {
		const struct place *place =
			i < a_facts.places->count
				? &a_facts.places->data[i]
				: &b_facts.places
					   ->data[i - a_facts.places->count];

		if (place->module != first->module ||
		    !function_is_known(&place->function) ||
		    place->function.address != first->function.address)
			return false;
	}
	return true;
}

static struct error *parse_keys(const char *text, struct expr **from,
				struct expr **to)
{
	struct error *error;
	const char *rest;

	*from = *to = NULL;
	error = expr_parse_prefix(text, &rest, from);
	if (!error && !*rest)
		error = expr_parse(text, to);
	else if (!error && *rest == ':')
		error = expr_parse(rest + 1, to);
	else if (!error)
		error = error_create(ERROR_USAGE, "unexpected '%s' at the end",
				     rest);
	if (!error)
		return NULL;
	expr_destroy(*from);
	return error_prefix(error, "key");
}

/* Stores a copy of a text of the leg, at the leg's number in `texts`. NULL: the
 * leg has no such text. */
static void remember(struct string_list *texts, uint32_t leg, const char *text)
{
	while (texts->count <= leg)
		vec_push(texts, NULL);
	free(texts->data[leg]);
	texts->data[leg] = text ? xstrdup(text) : NULL;
}

/* Adds to the error at which end of the leg the key has no value, and the hint
 * that each end may have a key of its own. */
static struct error *key_error(struct session *session, uint32_t node,
			       const char *text, struct error *error)
{
	CLEANUP(str_deinit) struct str place = {0};
	struct error *told;

	node_place(session, node, &place);
	error = error_prefix(error, "key at %s (node %u)", str_text(&place),
			     node);
	if (strchr(text, ':'))
		return error;
	told = error_create(error_code(error),
			    "%s; key=A:B evaluates A where the leg begins and "
			    "B where it ends",
			    error_message(error));
	error_destroy(error);
	return told;
}

static struct error *add_keys(struct session *session, struct breakpoint *from,
			      struct breakpoint *to, const char *text,
			      struct leg_spec *spec)
{
	struct expr *from_key, *to_key;
	struct error *error;

	TRY(parse_keys(text, &from_key, &to_key));
	error = probe_use_expr(session->probe, from, USE_KEY, from_key,
			       &spec->key_from);
	if (error) {
		expr_destroy(to_key);
		return key_error(session, breakpoint_id(from), text, error);
	}
	error = probe_use_expr(session->probe, to, USE_KEY, to_key,
			       &spec->key_to);
	if (!error)
		return NULL;
	probe_drop_expr(session->probe, from, USE_KEY, spec->key_from);
	return key_error(session, breakpoint_id(to), text, error);
}

/* Tells the user that the leg exists already. Of an existing leg only the name
 * is changed, so the text also names the first property that the user asked for
 * and that the leg has otherwise. */
static void tell_existing(struct session *session,
			  const struct leg_request *request,
			  const struct measure_leg *leg, struct str *out)
{
	const char *key = leg->id < session->key_texts.count
				  ? session->key_texts.data[leg->id]
				  : NULL;
	const char *differs = NULL;

	if (request->key ? !key || !str_equal(request->key, key)
			 : request->owner_given && key)
		differs = "key";
	else if (request->owner_given && request->owner != leg->spec.owner)
		differs = "owner";
	else if (request->match_given && request->match != leg->spec.match)
		differs = "match";
	str_printf(out, "Leg from %u to %u is there already: leg %u",
		   leg->spec.from, leg->spec.to, leg->id);
	if (differs)
		str_printf(out,
			   ", whose %s is not changed (`delete leg %u' first)",
			   differs, leg->id);
	if (request->name)
		str_printf(out, ", and is named %s now", request->name);
	if (request->by)
		str_append(out, " (`split leg' splits it)");
	str_append(out, "\n");
}

/* Do the key, the owner, the match and the split of the request have a meaning
 * at these two nodes? Returns an error if not. Nothing is changed. */
static struct error *check_leg(struct session *session,
			       const struct leg_request *request,
			       uint32_t from_id, uint32_t to_id)
{
	struct breakpoint *from, *to;
	struct leg_spec spec;

	TRY(find_breakpoint(session, from_id, &from));
	TRY(find_breakpoint(session, to_id, &to));
	if (measure_leg_between(session->measure, from_id, to_id))
		return NULL;
	if (request->key || request->by)
		TRY(stand_still(session));
	if (request->key) {
		TRY(add_keys(session, from, to, request->key, &spec));
		probe_drop_expr(session->probe, from, USE_KEY, spec.key_from);
		probe_drop_expr(session->probe, to, USE_KEY, spec.key_to);
	}
	return request->by ? check_by(session, request->by, from, to) : NULL;
}

/* Tells the probe layer which facts about each hit of this node the leg needs:
 * the frame, the stack, or the goroutine. */
static void want_owner(struct session *session, struct breakpoint *breakpoint,
		       const struct leg_spec *spec)
{
	if (spec->by_frame)
		probe_want_frame(session->probe, breakpoint);
	if (spec->owner == OWNER_THREAD &&
	    (!spec->by_frame || spec->match == MATCH_OUTERMOST))
		probe_want_stack(breakpoint);
	if (spec->adapts || spec->owner == OWNER_GOROUTINE)
		probe_want_goroutine(session->probe, breakpoint);
}

/* Chooses the owner of a leg if neither the user nor a setting has chosen one:
 * a goroutine in a Go program, else the thread. */
static void choose_owner(struct leg_spec *spec, const struct breakpoint *from,
			 const struct breakpoint *to)
{
	spec->adapts = true;
	if (probe_is_go(from) || probe_is_go(to))
		spec->owner = OWNER_GOROUTINE;
}

struct error *add_one_leg(struct session *session,
			  const struct leg_request *request, uint32_t from_id,
			  uint32_t to_id, uint32_t *id, struct str *out)
{
	struct leg_spec spec = {.from = from_id,
				.to = to_id,
				.owner = request->owner_given ? request->owner
							      : session->owner,
				.match = request->match_given ? request->match
							      : session->match};
	const struct measure_leg *leg =
		measure_leg_between(session->measure, from_id, to_id);
	struct breakpoint *from, *to;
	bool existed;

	TRY(find_breakpoint(session, from_id, &from));
	TRY(find_breakpoint(session, to_id, &to));
	TRY(make_node(session, from, out));
	TRY(make_node(session, to, out));
	if (leg) {
		*id = leg->id;
		if (request->name)
			remember(&session->leg_names, *id, request->name);
		tell_existing(session, request, leg, out);
		return NULL;
	}
	if (request->key) {
		spec.owner = OWNER_KEY;
		TRY(add_keys(session, from, to, request->key, &spec));
	}
	if (!request->key && !request->owner_given && session->owner_adapts)
		choose_owner(&spec, from, to);
	if ((spec.match == MATCH_NESTED || spec.match == MATCH_OUTERMOST) &&
	    same_function(from, to)) {
		spec.by_frame = true;
		spec.from_enters = breakpoint_facts(from).kind == REQUEST_ENTRY;
		spec.whole_frame = request_is_at_end(breakpoint_facts(to).kind);
	}
	TRY(settle_counts(session));
	TRY(measure_add_leg(session->measure, &spec, id, &existed));
	probe_switches_changed(session->probe);
	want_owner(session, from, &spec);
	want_owner(session, to, &spec);
	remember(&session->key_texts, *id, request->key);
	remember(&session->leg_names, *id, request->name);
	if (request->by)
		TRY(split_leg(session, *id, request->by, &request->view));
	str_printf(out, "Leg from %u to %u added: leg %u\n", from_id, to_id,
		   *id);
	return NULL;
}

/* Lists the nodes that a number in a request stands for. The number 0 is the
 * wildcard, which stands for all nodes. The caller frees `*out`. */
static void nodes_of(struct session *session, uint32_t id, uint32_t **out,
		     size_t *count)
{
	const struct measure_node *node;
	VEC(uint32_t) ids = {0};

	if (id)
		vec_push(&ids, id);
	for (size_t i = 0; !id && (node = measure_node_at(session->measure, i));
	     i++)
		if (!node->deleted)
			vec_push(&ids, node->id);
	*out = ids.data;
	*count = ids.count;
}

/* A request for the legs from each node of the first list to each node of the
 * second list. The session adds either all of these legs or none. */
struct crossing {
	uint32_t *from, *to;
	size_t from_count, to_count;
};

static struct error *check_crossing(struct session *session,
				    const struct leg_request *request,
				    const struct crossing *crossing)
{
	for (size_t i = 0; i < crossing->from_count; i++) {
		for (size_t j = 0; j < crossing->to_count; j++) {
			TRY(check_interrupt(session));
			TRY(check_leg(session, request, crossing->from[i],
				      crossing->to[j]));
		}
	}
	return NULL;
}

void say_more_legs(size_t count, struct str *out)
{
	str_printf(out, "and %zu more: `print legs' has all\n", count);
}

/* Adds the legs, and appends to `out` one line for each of the first legs. The
 * lines about new nodes come with the first legs, so no such line is lost when
 * the lines of the later legs are left out. */
static struct error *add_crossing(struct session *session,
				  const struct leg_request *request,
				  const struct crossing *crossing,
				  struct str *out)
{
	struct str unsaid = {0};
	struct error *error = NULL;
	size_t count = crossing->from_count * crossing->to_count;
	uint32_t id;

	for (size_t i = 0; !error && i < count; i++) {
		error = check_interrupt(session);
		if (!error)
			error = add_one_leg(
				session, request,
				crossing->from[i / crossing->to_count],
				crossing->to[i % crossing->to_count], &id,
				i < MOST_LEGS_SAID ? out : &unsaid);
		str_deinit(&unsaid);
	}
	if (!error && count > MOST_LEGS_SAID)
		say_more_legs(count - MOST_LEGS_SAID, out);
	return error;
}

static size_t count_legs(const struct session *session)
{
	size_t count = 0;

	while (measure_leg_at(session->measure, count))
		count++;
	return count;
}

/* Removes the legs that were added since there were `before` legs. */
static void take_back_legs(struct session *session, size_t before)
{
	for (size_t i = count_legs(session); i-- > before;) {
		release_leg(session, measure_leg_at(session->measure, i));
		measure_take_back_leg(session->measure);
	}
	probe_switches_changed(session->probe);
}

static struct error *add_legs(struct session *session,
			      const struct leg_request *request,
			      const struct crossing *crossing, struct str *out)
{
	size_t before = count_legs(session);
	struct str said = {0};
	struct error *error;

	/* Only a request with wildcards at both ends can ask for very many
	 * legs, so the user can interrupt only such a request. All of its nodes
	 * exist already, so only the legs have to be removed again. */
	session->is_abandonable =
		crossing->from_count > 1 && crossing->to_count > 1;
	error = check_crossing(session, request, crossing);
	if (!error)
		error = add_crossing(session, request, crossing, &said);
	session->is_abandonable = false;
	if (error && error_code(error) == ERROR_INTERRUPTED)
		take_back_legs(session, before);
	else
		str_append(out, str_text(&said));
	str_deinit(&said);
	return error;
}

/* Turns the monitor on for a leg between places, as `time` does, also in a
 * script. A leg between nodes that are given by their numbers leaves the
 * monitor as it is: in the memo a leg does not change the monitor, and a script
 * for the memo has a line `monitor on`. */
static struct error *measure_from_now_on(struct session *session,
					 const struct leg_request *request)
{
	if (session->monitor_was_set ||
	    (!request->from.place && !request->to.place))
		return NULL;
	return session_monitor(session, true);
}

struct error *session_add_leg(struct session *session,
			      const struct leg_request *request,
			      struct str *out)
{
	struct crossing crossing = {0};
	struct leg_ends ends;
	struct error *error;

	TRY(find_leg_ends(session, request, &ends));
	nodes_of(session, ends.from, &crossing.from, &crossing.from_count);
	nodes_of(session, ends.to, &crossing.to, &crossing.to_count);
	if (!crossing.from_count || !crossing.to_count)
		error = error_create(
			ERROR_NOT_FOUND,
			"`*' stands for all nodes, and there are no nodes");
	else
		error = add_legs(session, request, &crossing, &ends.said);
	free(crossing.from);
	free(crossing.to);
	if (error)
		forget_leg_ends(session, &ends);
	str_append(out, str_text(&ends.said));
	str_deinit(&ends.said);
	return error ? error : measure_from_now_on(session, request);
}

struct error *session_delete_leg(struct session *session, uint32_t id)
{
	const struct measure_leg *leg = measure_leg(session->measure, id);

	TRY(settle_counts(session));
	if (leg)
		release_leg(session, leg);
	return measure_delete_leg(session->measure, id);
}

/* ---- histograms -------------------------------------------------------- */

/* Has `time` already made the histogram that the user asks for? */
static bool is_there(const struct session *session,
		     const struct histogram_request *request)
{
	const struct measure_leg *leg =
		measure_leg(session->measure, request->id);

	return request->of_leg && !request->replace && leg && leg->histogram &&
	       histogram_spec(leg->histogram)->is_implied &&
	       request->spec.class == HISTOGRAM_HDR;
}

struct error *session_add_histogram(struct session *session,
				    const struct histogram_request *request,
				    struct str *out)
{
	struct breakpoint *breakpoint;
	struct expr *value;

	TRY(settle_counts(session));
	if (request->of_leg) {
		if (request->value)
			return error_create(ERROR_USAGE,
					    "value= is for nodes; a leg's "
					    "value is its time");
		if (is_there(session, request))
			measure_leg_claim_histogram(session->measure,
						    request->id);
		else
			TRY(measure_leg_add_histogram(
				session->measure, request->id, &request->spec));
		str_printf(out, "Added Histogram for Leg %u\n", request->id);
		return NULL;
	}
	TRY(find_breakpoint(session, request->id, &breakpoint));
	if (request->value) {
		TRY(stand_still(session));
		TRY(expr_parse(request->value, &value));
		TRY(probe_set_value(session->probe, breakpoint, value));
	}
	if (!breakpoint_facts(breakpoint).value)
		return error_create(ERROR_OTHER,
				    "the condition of node %u has no variable "
				    "to record; value=EXPR names one",
				    request->id);
	TRY(make_node(session, breakpoint, out));
	TRY(measure_node_add_histogram(session->measure, request->id,
				       &request->spec));
	str_printf(out, "Added Histogram for Node %u\n", request->id);
	return NULL;
}

uint64_t session_histogram_lost(const struct session *session,
				const struct histogram_request *request)
{
	const struct measure_node *node =
		measure_node(session->measure, request->id);
	const struct measure_leg *leg =
		measure_leg(session->measure, request->id);
	const struct histogram *histogram = NULL;

	if (is_there(session, request))
		return 0;
	if (request->of_leg && leg)
		histogram = leg->histogram;
	if (!request->of_leg && node)
		histogram = node->histogram;
	return histogram ? histogram_references(histogram) : 0;
}

struct error *session_delete_histogram(struct session *session, bool of_leg,
				       uint32_t id)
{
	TRY(settle_counts(session));
	return of_leg ? measure_leg_delete_histogram(session->measure, id)
		      : measure_node_delete_histogram(session->measure, id);
}
