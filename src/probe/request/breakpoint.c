/*
 * breakpoint.c - the table of breakpoints, as the user asked for them
 *
 * The number of a breakpoint is its index in the table plus one, and is never
 * used again. The exception is the number of the last breakpoint, if this
 * breakpoint is taken back.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/call_profiles.h"
#include "perftool/probe/loaded_modules.h"
#include "place_list.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

static void used_deinit(struct used_expr_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		expr_destroy(list->data[i].expr);
	vec_free(list);
}

void breakpoint_destroy(struct breakpoint *breakpoint)
{
	location_deinit(&breakpoint->location);
	expr_destroy(breakpoint->condition);
	expr_destroy(breakpoint->value);
	expr_destroy(breakpoint->watch.address);
	used_deinit(&breakpoint->keys);
	used_deinit(&breakpoint->labels);
	places_clear(breakpoint);
	vec_free(&breakpoint->places);
	str_deinit(&breakpoint->problem);
	free(breakpoint);
}

void forget_places(struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (!at)
			continue;
		places_clear(at);
		at->is_of_program = false;
	}
}

/* Forget whether breakpoints were found in another program: this says nothing
 * about the program `path`. */
static void forget_found(struct probe *probe, const char *path)
{
	if (probe->search.found_in && str_equal(probe->search.found_in, path))
		return;
	free(probe->search.found_in);
	probe->search.found_in = xstrdup(path);
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i])
			probe->breakpoints.data[i]->was_found = false;
}

struct error *probe_set_program(struct probe *probe, const char *path,
				const char *called)
{
	struct loaded loaded = {0};
	struct debugfile *file;
	struct space *space;
	struct error *error;

	/* The file is opened here for the sake of the error message, which
	 * names the path that the user knows. */
	error = debugfile_open(called, &file);
	if (error)
		return error;
	debugfile_close(file);
	module_unref(probe->program);
	forget_linked(probe);
	probe->program = module_create(probe, path, xstrdup(path));
	module_called(probe->program, called);
	if (probe_is_live(probe))
		return NULL;
	forget_places(probe);
	forget_found(probe, path);
	space = space_create(probe, NULL);
	loaded.module = module_ref(probe->program);
	vec_push(&space->modules, loaded);
	return resolve_in_space(probe, space);
}

struct error *probe_set_program_again(struct probe *probe)
{
	CLEANUP(free_pointer) char *path = NULL;
	CLEANUP(free_pointer) char *called = NULL;

	if (!probe->program)
		return NULL;
	path = xstrdup(probe->program->path);
	called = xstrdup(probe->program->called);
	return probe_set_program(probe, path, called);
}

struct debugfile *probe_program_file(const struct probe *probe)
{
	return probe->program ? module_file(probe->program) : NULL;
}

/* The last breakpoint was removed from the table, and the next one will get its
 * number. So note that the modules were not searched for that number. */
static void unresolve_last(struct probe *probe)
{
	uint32_t count = (uint32_t)probe->breakpoints.count;

	for (size_t i = 0; i < probe->search.searched.count; i++)
		if (probe->search.searched.data[i].resolved > count)
			probe->search.searched.data[i].resolved = count;
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct space *space = probe->spaces.data[i];

		for (size_t j = 0; j < space->modules.count; j++) {
			struct loaded *at = &space->modules.data[j];

			if (at->resolved > count)
				at->resolved = count;
			if (at->resolved_inlined > count)
				at->resolved_inlined = count;
		}
	}
}

/* Is the condition a constant that is true? */
static bool is_always_true(const struct expr *condition)
{
	const struct expr_place nowhere = {0};
	const struct expr_input input = {0};
	struct value value = {.kind = VALUE_NONE};
	struct bound_expr *bound;
	struct error *error = expr_bind(condition, &nowhere, &bound);

	if (!error && bound_expr_is_constant(bound))
		error_destroy(bound_expr_evaluate(bound, &input, &value));
	if (!error)
		bound_expr_destroy(bound);
	error_destroy(error);
	return value_is_true(value);
}

void note_addressed(struct probe *probe, const struct breakpoint *breakpoint)
{
	size_t kept = 0;

	if (breakpoint->kind != REQUEST_WATCH &&
	    breakpoint->location.kind != LOCATION_ADDRESS)
		return;
	for (size_t i = 0; i < probe->search.addressed.count; i++) {
		uint32_t id = probe->search.addressed.data[i];

		if (id != breakpoint->id && probe_find(probe, id))
			probe->search.addressed.data[kept++] = id;
	}
	probe->search.addressed.count = kept;
	vec_push(&probe->search.addressed, breakpoint->id);
}

/* Enters a breakpoint in the table, and gives it the next number. */
static void enter(struct probe *probe, struct breakpoint *breakpoint,
		  bool is_apart)
{
	breakpoint->id =
		is_apart ? PROBE_APART | ++probe->apart : ++probe->numbered;
	vec_push(&probe->breakpoints, breakpoint);
	breakpoint->entry = (uint32_t)probe->breakpoints.count;
	map_set(&probe->by_number, breakpoint->id, breakpoint);
	note_addressed(probe, breakpoint);
}

/* Takes the newest breakpoint out of the table, as if it had never been there.
 */
static void take_out(struct probe *probe, const struct breakpoint *breakpoint)
{
	map_remove(&probe->by_number, breakpoint->id);
	if (breakpoint->id == probe->numbered)
		probe->numbered--;
	if (breakpoint->entry != probe->breakpoints.count) {
		probe->breakpoints.data[breakpoint->entry - 1] = NULL;
		return;
	}
	probe->breakpoints.count--;
	unresolve_last(probe);
}

/* Adds a breakpoint that has a kind, and takes the condition over. */
static struct error *add(struct probe *probe, struct breakpoint *breakpoint,
			 const char *location, struct expr *condition,
			 bool is_apart, struct breakpoint **out)
{
	struct error *error;

	breakpoint->condition = condition;
	breakpoint->enabled = true;
	error = request_parse(breakpoint->kind, location,
			      &breakpoint->location);
	if (error) {
		breakpoint_destroy(breakpoint);
		return error;
	}
	if (condition) {
		breakpoint->value = expr_first_variable(condition);
		breakpoint->is_always = is_always_true(condition);
	}
	enter(probe, breakpoint, is_apart);
	breakpoint->is_suspended = is_to_suspend(probe, breakpoint);
	probe->adding = breakpoint;
	error = resolve_everywhere(probe);
	probe->adding = NULL;
	if (!error && condition)
		error = judge_bound(probe, breakpoint);
	vec_clear(&probe->added);
	if (!error && breakpoint->kind == REQUEST_RETURN &&
	    breakpoint_is_in(breakpoint) &&
	    probe->tails.breakpoint.is_suspended) {
		tails_note_waiting(probe);
		error = update_changed_sites(probe);
	}
	if (error) {
		detach_breakpoint(probe, breakpoint);
		breakpoint->deleted = true;
		tails_unwatch(probe, breakpoint);
		take_out(probe, breakpoint);
		breakpoint_destroy(breakpoint);
		return error;
	}
	probe_describe_problem(probe, breakpoint);
	*out = breakpoint;
	return NULL;
}

static struct breakpoint *create(enum request_kind kind)
{
	struct breakpoint *breakpoint = xcalloc(1, sizeof(*breakpoint));

	breakpoint->kind = kind;
	return breakpoint;
}

struct breakpoint *breakpoint_enter(struct probe *probe, enum request_kind kind,
				    struct expr *condition)
{
	struct breakpoint *breakpoint = create(kind);

	breakpoint->condition = condition;
	breakpoint->enabled = true;
	breakpoint->is_always = condition && is_always_true(condition);
	enter(probe, breakpoint, false);
	breakpoint->is_suspended = is_to_suspend(probe, breakpoint);
	return breakpoint;
}

struct error *probe_add(struct probe *probe, enum request_kind kind,
			const char *location, struct expr *condition,
			struct breakpoint **out)
{
	return add(probe, create(kind), location, condition, false, out);
}

struct error *probe_add_apart(struct probe *probe, enum request_kind kind,
			      const char *location, struct expr *condition,
			      struct breakpoint **out)
{
	return add(probe, create(kind), location, condition, true, out);
}

static struct error *add_of_calls(struct probe *probe, enum request_kind kind,
				  const char *location, struct breakpoint **out)
{
	struct breakpoint *breakpoint = create(kind);

	breakpoint->is_of_calls = true;
	breakpoint->wants_frame = breakpoint->wants_goroutine = true;
	return add(probe, breakpoint, location, NULL, true, out);
}

struct error *probe_add_calls(struct probe *probe, const char *location,
			      struct breakpoint **entries,
			      struct breakpoint **ends)
{
	struct error *error;

	probe->keeps_exits = true;
	error = add_of_calls(probe, REQUEST_ENTRY, location, entries);
	if (!error) {
		error = add_of_calls(probe, REQUEST_RETURN, location, ends);
		if (error)
			probe_take_back(probe, *entries);
	}
	probe->keeps_exits = false;
	known_exits_forget(probe);
	return error;
}

struct error *probe_add_unwinds(struct probe *probe, struct breakpoint **out)
{
	return add_of_calls(probe, REQUEST_UNWINDS, "longjmp", out);
}

bool breakpoint_is_of_calls(const struct breakpoint *breakpoint)
{
	return breakpoint->is_of_calls;
}

const struct called_function *probe_called(const struct probe *probe,
					   uint32_t number)
{
	return number < probe->called.list.count
		       ? &probe->called.list.data[number]
		       : NULL;
}

void probe_forget(struct probe *probe, struct breakpoint *breakpoint)
{
	probe->breakpoints.data[breakpoint->entry - 1] = NULL;
	map_remove(&probe->by_number, breakpoint->id);
	breakpoint_destroy(breakpoint);
}

void probe_take_back(struct probe *probe, struct breakpoint *breakpoint)
{
	probe_remove(probe, breakpoint);
	take_out(probe, breakpoint);
	breakpoint_destroy(breakpoint);
}

void probe_forget_deleted(struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (at && at->deleted)
			probe_forget(probe, at);
	}
}

struct error *probe_set_condition(struct probe *probe,
				  struct breakpoint *breakpoint,
				  struct expr *condition)
{
	struct expr *old_condition = breakpoint->condition;
	struct expr *old_value = breakpoint->value;
	bool was_always = breakpoint->is_always;
	struct error *error;

	breakpoint->condition = condition;
	breakpoint->is_always = condition && is_always_true(condition);
	if (!breakpoint->value_given)
		breakpoint->value =
			condition ? expr_first_variable(condition) : NULL;
	error = bind_breakpoint(probe, breakpoint);
	if (error) {
		if (!breakpoint->value_given) {
			expr_destroy(breakpoint->value);
			breakpoint->value = old_value;
		}
		breakpoint->condition = old_condition;
		breakpoint->is_always = was_always;
		expr_destroy(condition);
		/* This cannot fail: expressions that were bound before can be
		 * bound again. */
		error_destroy(bind_breakpoint(probe, breakpoint));
		return error;
	}
	expr_destroy(old_condition);
	presence_note_condition(probe, breakpoint);
	breakpoint->told = false;
	breakpoint->misses = 0;
	breakpoint->misses_unknown = false;
	if (!breakpoint->value_given)
		expr_destroy(old_value);
	return NULL;
}

struct error *probe_set_value(struct probe *probe,
			      struct breakpoint *breakpoint, struct expr *value)
{
	struct expr *old = breakpoint->value;
	bool was_given = breakpoint->value_given;
	struct error *error;

	breakpoint->value = value;
	breakpoint->value_given = true;
	error = bind_breakpoint(probe, breakpoint);
	if (error) {
		breakpoint->value = old;
		breakpoint->value_given = was_given;
		expr_destroy(value);
		error_destroy(bind_breakpoint(probe, breakpoint));
		return error;
	}
	expr_destroy(old);
	return NULL;
}

static struct used_expr_list *used(struct breakpoint *breakpoint,
				   enum expr_use use)
{
	return use == USE_KEY ? &breakpoint->keys : &breakpoint->labels;
}

/* Find the index of the expression with the same text, else an index that
 * nothing uses, else a new index. */
static size_t find_used(struct used_expr_list *list, const char *text)
{
	size_t found = list->count;

	for (size_t i = 0; i < list->count; i++) {
		const struct used_expr *at = &list->data[i];

		if (at->users && str_equal(expr_text(at->expr), text))
			return i;
		if (!at->users)
			found = i;
	}
	if (found == list->count)
		vec_push(list, (struct used_expr){0});
	return found;
}

struct error *probe_use_expr(struct probe *probe, struct breakpoint *breakpoint,
			     enum expr_use use, struct expr *expr,
			     uint32_t *index)
{
	struct used_expr_list *list = used(breakpoint, use);
	size_t at = find_used(list, expr_text(expr));
	struct error *error;

	*index = (uint32_t)at;
	if (list->data[at].users++) {
		expr_destroy(expr);
		return NULL;
	}
	list->data[at].expr = expr;
	error = bind_breakpoint(probe, breakpoint);
	if (error)
		probe_drop_expr(probe, breakpoint, use, *index);
	return error;
}

void probe_drop_expr(struct probe *probe, struct breakpoint *breakpoint,
		     enum expr_use use, uint32_t index)
{
	struct used_expr_list *list = used(breakpoint, use);
	struct used_expr *at = &list->data[index];
	struct expr *expr = at->expr;

	if (--at->users)
		return;
	at->expr = NULL;
	/* The others keep their indices. */
	while (list->count && !list->data[list->count - 1].users)
		list->count--;
	/* This cannot fail: expressions that were bound before can be bound
	 * again. */
	error_destroy(bind_breakpoint(probe, breakpoint));
	expr_destroy(expr);
}

struct breakpoint *probe_find(const struct probe *probe, uint32_t id)
{
	struct breakpoint *breakpoint = probe_find_any(probe, id);

	return breakpoint && !breakpoint->deleted ? breakpoint : NULL;
}

struct breakpoint *probe_find_any(const struct probe *probe, uint32_t id)
{
	return map_get(&probe->by_number, id);
}

struct breakpoint *probe_next(const struct probe *probe, size_t *cursor)
{
	while (*cursor < probe->breakpoints.count) {
		struct breakpoint *breakpoint =
			probe->breakpoints.data[(*cursor)++];

		if (breakpoint && !(breakpoint->id & PROBE_APART))
			return breakpoint;
	}
	return NULL;
}

/* ---- what others may know and ask -----------------------------------------
 */

uint32_t breakpoint_id(const struct breakpoint *breakpoint)
{
	return breakpoint->id;
}

bool breakpoint_has_condition(const struct breakpoint *breakpoint)
{
	return breakpoint->condition;
}

struct breakpoint_facts breakpoint_facts(const struct breakpoint *breakpoint)
{
	return (struct breakpoint_facts){
		.id = breakpoint->id,
		.kind = breakpoint->kind,
		.mechanism = breakpoint->mechanism,
		.location = &breakpoint->location,
		.condition = breakpoint->condition,
		.is_always = breakpoint->is_always,
		.only_names = breakpoint->only_names,
		.value = breakpoint->value,
		.enabled = breakpoint->enabled,
		.deleted = breakpoint->deleted,
		.was_found = breakpoint->was_found,
		.is_of_program = breakpoint->is_of_program,
		.leaves_out_copies = breakpoint->leaves_out_copies,
		.is_gone = breakpoint->is_gone,
		.is_without = breakpoint->is_without,
		.places = &breakpoint->places,
		.problem = str_text(&breakpoint->problem),
		.told = breakpoint->told,
		.hits = breakpoint->hits,
		.misses = breakpoint->misses,
		.misses_unknown = breakpoint->misses_unknown,
		.fast = breakpoint->fast,
		.int3 = breakpoint->int3,
		.slow = breakpoint->slow,
		.was_fast = breakpoint->was_fast,
		.was_int3 = breakpoint->was_int3,
		.was_slow = breakpoint->was_slow,
	};
}

const char *probe_expr_text(const struct breakpoint *breakpoint,
			    enum expr_use use, uint32_t index)
{
	const struct used_expr_list *list =
		use == USE_KEY ? &breakpoint->keys : &breakpoint->labels;
	const struct expr *expr =
		index < list->count ? list->data[index].expr : NULL;

	return expr ? expr_text(expr) : NULL;
}

void probe_set_only_names(struct breakpoint *breakpoint, bool only_names)
{
	breakpoint->only_names = only_names;
}

bool probe_tell_once(struct breakpoint *breakpoint)
{
	bool is_new = !breakpoint->told;

	breakpoint->told = true;
	return is_new;
}

void probe_want_stack(struct breakpoint *breakpoint)
{
	breakpoint->wants_stack = true;
}
