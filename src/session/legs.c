/*
 * legs.c - nodes, legs, histograms, and `time`
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"

#define MOST_FUNCTIONS 1000

struct error *make_node(struct session *session, struct breakpoint *breakpoint,
			struct str *out)
{
	struct expr *one;

	if (!breakpoint->condition) {
		TRY(stand_still(session));
		TRY(expr_parse("1", &one));
		TRY(probe_set_condition(session->probe, breakpoint, one));
		str_printf(out, "Breakpoint #%u is conditional now (1)\n",
			   breakpoint->id);
	}
	if (!measure_node(session->measure, breakpoint->id)) {
		measure_add_node(session->measure, breakpoint->id);
		str_printf(out, "Node %u collected\n", breakpoint->id);
	}
	return NULL;
}

void session_collect_nodes(struct session *session, struct str *out)
{
	struct breakpoint *breakpoint;

	for (size_t i = 0; (breakpoint = probe_at(session->probe, i)); i++)
		if (!breakpoint->deleted && breakpoint->condition)
			measure_add_node(session->measure, breakpoint->id);
	str_append(out, "Collected nodes\n");
}

/* Do all places of both lie in one function, of the same module? */
static bool same_function(const struct breakpoint *a,
			  const struct breakpoint *b)
{
	const struct place *first;

	/* entry and exit of the same words are of the same functions, even
	 * while they are pending */
	if (a->location.kind == LOCATION_FUNCTION &&
	    b->location.kind == LOCATION_FUNCTION &&
	    str_equal(a->location.text, b->location.text))
		return true;
	if (!a->places.count || !b->places.count)
		return false;
	first = &a->places.data[0];
	if (!first->function.name)
		return false;
	for (size_t i = 0; i < a->places.count + b->places.count; i++) {
		const struct place *place =
			i < a->places.count
				? &a->places.data[i]
				: &b->places.data[i - a->places.count];

		if (place->module != first->module || !place->function.name ||
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
		error = error_create(ERROR_USAGE, "'%s' is left over", rest);
	if (!error)
		return NULL;
	expr_destroy(*from);
	return error_prefix(error, "key");
}

static void remember_key(struct session *session, uint32_t leg,
			 const char *text)
{
	while (session->key_texts.count <= leg)
		vec_push(&session->key_texts, NULL);
	free(session->key_texts.data[leg]);
	session->key_texts.data[leg] = text ? xstrdup(text) : NULL;
}

static struct error *add_keys(struct session *session, struct breakpoint *from,
			      struct breakpoint *to, const char *text,
			      struct leg_spec *spec)
{
	struct expr *from_key, *to_key;
	struct error *error;

	TRY(parse_keys(text, &from_key, &to_key));
	error = probe_add_key(session->probe, from, from_key, &spec->key_from);
	if (error) {
		expr_destroy(to_key);
		return error;
	}
	return probe_add_key(session->probe, to, to_key, &spec->key_to);
}

static bool leg_exists(struct session *session, uint32_t from, uint32_t to)
{
	const struct measure_leg *leg;

	for (size_t i = 0; (leg = measure_leg_at(session->measure, i)); i++)
		if (leg->spec.from == from && leg->spec.to == to)
			return true;
	return false;
}

static struct error *add_one_leg(struct session *session,
				 const struct leg_request *request,
				 uint32_t from_id, uint32_t to_id, uint32_t *id,
				 struct str *out)
{
	struct leg_spec spec = {.from = from_id,
				.to = to_id,
				.owner = request->owner_given ? request->owner
							      : session->owner,
				.match = request->match_given ? request->match
							      : session->match};
	struct breakpoint *from, *to;
	bool existed;

	TRY(find_breakpoint(session, from_id, &from));
	TRY(find_breakpoint(session, to_id, &to));
	TRY(make_node(session, from, out));
	TRY(make_node(session, to, out));
	if (request->key && !leg_exists(session, from_id, to_id)) {
		spec.owner = OWNER_KEY;
		TRY(add_keys(session, from, to, request->key, &spec));
	}
	if ((spec.match == MATCH_NESTED || spec.match == MATCH_OUTERMOST) &&
	    same_function(from, to)) {
		spec.by_frame = true;
		spec.from_enters = from->kind == REQUEST_ENTRY;
	}
	TRY(measure_add_leg(session->measure, &spec, id, &existed));
	if (existed) {
		str_printf(out, "Leg from %u to %u is there already: leg %u\n",
			   from_id, to_id, *id);
		return NULL;
	}
	from->wants_frame |= spec.by_frame;
	to->wants_frame |= spec.by_frame;
	remember_key(session, *id, request->key);
	str_printf(out, "Leg from %u to %u added: leg %u\n", from_id, to_id,
		   *id);
	return NULL;
}

/* The nodes a number or the wildcard 0 stands for. */
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

struct error *session_add_leg(struct session *session,
			      const struct leg_request *request,
			      struct str *out)
{
	uint32_t *from, *to, id;
	size_t from_count, to_count;
	struct error *error = NULL;

	nodes_of(session, request->from, &from, &from_count);
	nodes_of(session, request->to, &to, &to_count);
	if (!from_count || !to_count)
		error = error_create(ERROR_NOT_FOUND,
				     "`*` stands for the nodes, and there are "
				     "none");
	for (size_t i = 0; !error && i < from_count; i++)
		for (size_t j = 0; !error && j < to_count; j++)
			error = add_one_leg(session, request, from[i], to[j],
					    &id, out);
	free(from);
	free(to);
	return error;
}

struct error *session_delete_leg(struct session *session, uint32_t id)
{
	return measure_delete_leg(session->measure, id);
}

/* ---- histograms -----------------------------------------------------------
 */

struct error *session_add_histogram(struct session *session,
				    const struct histogram_request *request,
				    struct str *out)
{
	struct breakpoint *breakpoint;
	struct expr *value;

	if (request->of_leg) {
		if (request->value)
			return error_create(ERROR_USAGE,
					    "value= is for nodes; a leg's "
					    "value is its time");
		TRY(measure_leg_add_histogram(session->measure, request->id,
					      &request->spec));
		str_printf(out, "Added Histogram for Leg %u\n", request->id);
		return NULL;
	}
	TRY(find_breakpoint(session, request->id, &breakpoint));
	if (request->value) {
		TRY(stand_still(session));
		TRY(expr_parse(request->value, &value));
		TRY(probe_set_value(session->probe, breakpoint, value));
	}
	if (!breakpoint->value)
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

struct error *session_delete_histogram(struct session *session, bool of_leg,
				       uint32_t id)
{
	return of_leg ? measure_leg_delete_histogram(session->measure, id)
		      : measure_node_delete_histogram(session->measure, id);
}

/* ---- time ------------------------------------------------------------------
 */

/* Entry, exit, leg and histogram of one function (or of a pattern that names
 * none yet). */
static struct error *time_location(struct session *session,
				   const char *location, struct str *out)
{
	struct leg_request request = {.match = MATCH_NESTED,
				      .match_given = true,
				      .owner_given = true};
	struct histogram_spec hdr = {.class = HISTOGRAM_HDR, .scale = -1};
	struct breakpoint *entry, *exit_point;
	struct expr *one;
	struct str quiet = {0};
	struct error *error;
	uint32_t leg;

	TRY(stand_still(session));
	TRY(expr_parse("1", &one));
	TRY(probe_add(session->probe, REQUEST_ENTRY, location, one, &entry));
	TRY(expr_parse("1", &one));
	TRY(probe_add(session->probe, REQUEST_EXIT, location, one,
		      &exit_point));
	error = add_one_leg(session, &request, entry->id, exit_point->id, &leg,
			    &quiet);
	if (!error)
		error = measure_leg_add_histogram(session->measure, leg, &hdr);
	str_deinit(&quiet);
	if (error)
		return error;
	str_printf(out, "Leg %u: ", leg);
	if (entry->places.count) {
		str_printf(out, "nodes %u -> %u, ", entry->id, exit_point->id);
		describe_breakpoint(entry, out);
	} else {
		describe_breakpoint(entry, out);
	}
	str_append(out, "\n");
	if (entry->places.count && !exit_point->places.count)
		session_note(session,
			     "%s has no exit: it never returns, or is inlined "
			     "wherever it is called",
			     location);
	return NULL;
}

static bool is_new(const struct named_function_list *list, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (str_equal(list->data[i].function.name,
			      list->data[index].function.name) &&
		    list->data[i].module == list->data[index].module)
			return false;
	return true;
}

/* Does it name this function and no other? */
static bool is_apart(const struct named_function *named, const char *name)
{
	struct function_list found = {0};
	bool apart;

	if (str_equal(name, named->function.name))
		return true;
	if (strpbrk(name, "*?[@+"))
		return false;
	error_destroy(debugfile_find_functions(module_file(named->module), name,
					       &found));
	apart = found.count == 1 &&
		found.data[0].address == named->function.address;
	vec_free(&found);
	return apart;
}

/* A name for people, if there is one. */
static char *name_apart(const struct named_function *named)
{
	const char *linked = named->function.name;
	char *name = debuginfo_demangle(linked);

	if (is_apart(named, name))
		return name;
	free(name);
	name = debuginfo_demangle_apart(linked);
	if (is_apart(named, name))
		return name;
	free(name);
	return xstrdup(linked);
}

static struct error *time_functions(struct session *session,
				    const char *pattern,
				    const struct named_function_list *list,
				    struct str *out)
{
	for (size_t i = 0; i < list->count; i++) {
		CLEANUP(free_pointer) char *name = NULL;
		CLEANUP(free_pointer) char *location = NULL;

		if (!list->data[i].function.name || !is_new(list, i))
			continue;
		name = name_apart(&list->data[i]);
		location =
			list->count == 1 && !str_is_glob(pattern)
				? xstrdup(pattern)
				: xasprintf("%s@%s", name,
					    module_name(list->data[i].module));
		TRY(time_location(session, location, out));
	}
	return NULL;
}

/* More than 1,000 are asked about first. */
static struct error *ask_if_many(struct session *session, const char *pattern,
				 size_t count)
{
	CLEANUP(free_pointer)
	char *question = xasprintf("%s names %zu functions. Time them all?",
				   pattern, count);

	if (count > MOST_FUNCTIONS &&
	    !session->ui.confirm(session->ui.context, question))
		return error_create(ERROR_OTHER,
				    "%s names more than %d functions", pattern,
				    MOST_FUNCTIONS);
	return NULL;
}

/* A leg per function. */
static struct error *time_pattern(struct session *session, const char *pattern,
				  const struct named_function_list *list,
				  struct str *out)
{
	if (list->count)
		return time_functions(session, pattern, list, out);
	if (!str_is_glob(pattern))
		return time_location(session, pattern, out);
	vec_push(&session->pending_times, xstrdup(pattern));
	str_printf(out, "%s is pending: no function is named so yet\n",
		   pattern);
	return NULL;
}

/* The search, which may take its time, and the question are done while the
 * program still runs; what is found is looked for anew when it stands. */
static struct error *find_functions(struct session *session,
				    const char *pattern,
				    struct named_function_list *list)
{
	TRY(probe_functions(session->probe, pattern, list));
	TRY(ask_if_many(session, pattern, list->count));
	if (!session_runs_on(session))
		return NULL;
	TRY(stand_still(session));
	vec_free(list);
	*list = (struct named_function_list){0};
	return probe_functions(session->probe, pattern, list);
}

struct error *session_time(struct session *session, const char *pattern,
			   struct str *out)
{
	struct named_function_list list = {0};
	struct error *error;

	TRY(need_program(session));
	error = find_functions(session, pattern, &list);
	if (!error)
		error = time_pattern(session, pattern, &list, out);
	vec_free(&list);
	return error ? error : session_monitor(session, true);
}

void session_time_pending(struct session *session)
{
	for (size_t i = session->pending_times.count; i-- > 0;) {
		char *pattern = session->pending_times.data[i];
		struct named_function_list list = {0};
		struct str out = {0};
		struct error *error;

		error = probe_functions(session->probe, pattern, &list);
		if (!error)
			error = ask_if_many(session, pattern, list.count);
		if (!error && list.count)
			error = time_functions(session, pattern, &list, &out);
		if (error)
			session_note(session, "%s", error_message(error));
		session->lost_times |= error != NULL;
		if (error || list.count) {
			vec_remove(&session->pending_times, i);
			free(pattern);
		}
		error_destroy(error);
		str_deinit(&out);
		vec_free(&list);
	}
}
