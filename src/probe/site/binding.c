/*
 * binding.c - binding the expressions of a breakpoint at its places: the names
 * in them are looked up there
 *
 * If an expression cannot be bound at one of several places, every hit at that
 * place reports an error. If it cannot be bound at any place, the user has made
 * a mistake, which is reported to the caller that sets the expression.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/target_events.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "site.h"

/* Find the expression of the breakpoint that has this index, in the order of
 * enum BOUND_...; NULL if the breakpoint has none of that kind. Returns false
 * if there are no more expressions. */
static bool expr_of(const struct breakpoint *breakpoint, size_t index,
		    const struct expr **out)
{
	const struct used_expr_list *keys = &breakpoint->keys;
	const struct used_expr_list *labels = &breakpoint->labels;

	if (index == BOUND_CONDITION) {
		*out = breakpoint->condition;
		return true;
	}
	if (index == BOUND_VALUE) {
		*out = breakpoint->value;
		return true;
	}
	index -= BOUND_KEYS;
	if (index < keys->count) {
		*out = keys->data[index].expr;
		return true;
	}
	index -= keys->count;
	if (index >= labels->count)
		return false;
	*out = labels->data[index].expr;
	return true;
}

void release_bound(struct bound_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		bound_expr_destroy(list->data[i].expr);
		error_destroy(list->data[i].problem);
	}
	vec_free(list);
}

/* Labels must be numbers or strings; all other expressions must be numbers. If
 * the value is only the first variable of the condition, the user has not asked
 * for its values: it is left out without an error if it is no number, or if
 * only a cast in the condition gives it a type. */
static void check_number(const struct breakpoint *breakpoint, size_t index,
			 struct bound *bound)
{
	if (index == BOUND_VALUE && !breakpoint->value_given &&
	    bound->problem && error_code(bound->problem) == ERROR_USAGE) {
		error_destroy(bound->problem);
		bound->problem = NULL;
	}
	if (!bound->expr)
		return;
	bound->problem = index < BOUND_KEYS + breakpoint->keys.count
				 ? bound_expr_require_number(bound->expr)
				 : bound_expr_require_label(bound->expr);
	if (!bound->problem &&
	    (index != BOUND_VALUE || breakpoint->value_given ||
	     bound_expr_fits(bound->expr)))
		return;
	bound_expr_destroy(bound->expr);
	bound->expr = NULL;
	if (index == BOUND_VALUE && !breakpoint->value_given) {
		error_destroy(bound->problem);
		bound->problem = NULL;
	}
}

static void bind_at(const struct breakpoint *breakpoint,
		    const struct expr_place *place, struct bound_list *out)
{
	const struct expr *expr;

	for (size_t i = 0; expr_of(breakpoint, i, &expr); i++) {
		struct bound bound = {0};

		if (expr)
			bound.problem = expr_bind(expr, place, &bound.expr);
		check_number(breakpoint, i, &bound);
		vec_push(out, bound);
	}
}

static bool is_exit(enum role role)
{
	return role != ROLE_PLACE && role != ROLE_ENTRY &&
	       role != ROLE_CALL_INDIRECT && role != ROLE_UNWIND &&
	       role != ROLE_PROCESS_END && role != ROLE_WATCH;
}

static struct expr_place place_of(struct space *space,
				  const struct attachment *attachment)
{
	struct module *module = attachment->module;

	if (attachment->role == ROLE_WATCH)
		return watch_place(space, module);
	return (struct expr_place){.file = module ? module_file(module) : NULL,
				   .address = attachment->address -
					      (module ? module->bias : 0),
				   .inlined = attachment->frame,
				   .at_entry = attachment->role == ROLE_ENTRY,
				   .at_exit = is_exit(attachment->role),
				   .at_probe = attachment->is_probe,
				   .modules = space_expr_modules(space)};
}

void bind_attachment(struct space *space, struct attachment *attachment)
{
	struct expr_place place = place_of(space, attachment);

	release_bound(&attachment->bound);
	bind_at(attachment->breakpoint, &place, &attachment->bound);
}

/* May one of the expressions have another meaning now that other modules are
 * loaded, or have a meaning for the first time? */
static bool is_outdated(const struct bound_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct bound *bound = &list->data[i];

		if ((bound->expr && bound_expr_uses_modules(bound->expr)) ||
		    (bound->problem &&
		     error_code(bound->problem) == ERROR_NOT_FOUND))
			return true;
	}
	return false;
}

/* An expression that cannot be bound now stays as it was. The space of a forked
 * process shares the attachment, and that process may still have the library.
 */
static void bind_changed(struct space *space, struct attachment *attachment)
{
	struct expr_place place = place_of(space, attachment);
	struct bound_list bound = {0};

	bind_at(attachment->breakpoint, &place, &bound);
	for (size_t i = 0; i < bound.count; i++) {
		struct bound old = attachment->bound.data[i];

		if (!bound.data[i].expr && old.expr)
			continue;
		attachment->bound.data[i] = bound.data[i];
		bound.data[i] = old;
	}
	release_bound(&bound);
}

void bind_again(struct space *space)
{
	struct site *site;
	size_t cursor = 0;

	space->is_memory_changed = true;
	watches_bind(space);
	while ((site = map_next(&space->sites, &cursor, NULL))) {
		for (size_t i = 0; i < site->attachments.count; i++) {
			struct attachment *at = site->attachments.data[i];

			if (!is_outdated(&at->bound))
				continue;
			bind_changed(space, at);
			site_outdate(space, site);
		}
	}
}

/* ---- binding at all places ----------------------------------------------- */

/* What happened to an expression at the places that were looked at so far. */
struct outcome {
	bool bound; /* The expression is bound at some place. */
	/* The first reason why the expression could not be bound. */
	struct error *first;
};
VEC_STRUCT(outcome_list, struct outcome);

static void note_outcome(struct outcome_list *outcomes,
			 const struct bound_list *bound)
{
	for (size_t i = 0; i < bound->count; i++) {
		const struct error *problem = bound->data[i].problem;
		struct outcome *at;

		if (i == outcomes->count)
			vec_push(outcomes, (struct outcome){0});
		at = &outcomes->data[i];
		at->bound |= bound->data[i].expr != NULL;
		if (problem && !at->first)
			at->first = error_create(error_code(problem), "%s",
						 error_message(problem));
	}
}

/* Return the error of the first expression that is bound at no place. The list
 * of outcomes is freed. */
static struct error *judge(struct outcome_list *outcomes)
{
	struct error *first = NULL;

	for (size_t i = 0; i < outcomes->count; i++) {
		struct outcome *at = &outcomes->data[i];

		/* A variable of the expression may be missing in some of
		 * several copies of a function; that is no mistake. */
		if (at->bound)
			error_destroy(at->first);
		else
			first = error_first(first, at->first);
	}
	vec_free(outcomes);
	return first;
}

/* Bind the expressions at a place while no program runs. No breakpoint is
 * attached then, but the user is told of mistakes all the same. */
static void try_place(struct space *space, const struct breakpoint *breakpoint,
		      const struct place *place, struct outcome_list *outcomes)
{
	struct expr_place where = {
		.file = place->module ? module_file(place->module) : NULL,
		.address = place->address -
			   (place->module ? place->module->bias : 0),
		.inlined = place->frame,
		.at_exit = request_is_at_end(breakpoint->kind),
		.modules = space_expr_modules(space)};
	struct bound_list bound = {0};

	if (breakpoint->kind == REQUEST_WATCH)
		where = watch_place(space, space->modules.data[0].module);
	where.at_probe = breakpoint->location.kind == LOCATION_PROBE &&
			 where.file &&
			 debugfile_probe_at(where.file, where.address);
	where.at_entry = breakpoint->kind != REQUEST_WATCH &&
			 !request_is_at_end(breakpoint->kind) &&
			 function_is_known(&place->function) &&
			 place->function.address == where.address;
	bind_at(breakpoint, &where, &bound);
	note_outcome(outcomes, &bound);
	release_bound(&bound);
}

static void bind_watches(struct space *space,
			 const struct breakpoint *breakpoint, bool anew,
			 struct outcome_list *outcomes)
{
	for (size_t i = 0; i < TARGET_WATCHES; i++) {
		struct attachment *at = space->watches.list[i].attachment;

		if (!at || at->breakpoint != breakpoint)
			continue;
		if (anew)
			bind_attachment(space, at);
		note_outcome(outcomes, &at->bound);
	}
}

static void bind_in_space(struct space *space,
			  const struct breakpoint *breakpoint,
			  struct outcome_list *outcomes)
{
	struct site *site;
	size_t cursor = 0;

	bind_watches(space, breakpoint, true, outcomes);
	while ((site = map_next(&space->sites, &cursor, NULL))) {
		for (size_t i = 0; i < site->attachments.count; i++) {
			struct attachment *at = site->attachments.data[i];

			if (at->breakpoint != breakpoint)
				continue;
			bind_attachment(space, at);
			site_outdate(space, site);
			note_outcome(outcomes, &at->bound);
		}
	}
}

static void try_places(const struct probe *probe,
		       const struct breakpoint *breakpoint,
		       struct outcome_list *outcomes)
{
	for (size_t i = 0; i < breakpoint->places.count; i++)
		try_place(probe->spaces.data[0], breakpoint,
			  &breakpoint->places.data[i], outcomes);
}

struct error *bind_breakpoint(struct probe *probe,
			      struct breakpoint *breakpoint)
{
	struct outcome_list outcomes = {0};

	/* The caller gets the outcome, so note_unbound() must not report it
	 * again. */
	breakpoint->is_bound_anew = false;
	if (!probe_is_live(probe))
		try_places(probe, breakpoint, &outcomes);
	else
		for (size_t i = 0; i < probe->spaces.count; i++)
			bind_in_space(probe->spaces.data[i], breakpoint,
				      &outcomes);
	return judge(&outcomes);
}

struct error *judge_bound(struct probe *probe, struct breakpoint *breakpoint)
{
	struct outcome_list outcomes = {0};

	breakpoint->is_bound_anew = false;
	if (!probe_is_live(probe))
		try_places(probe, breakpoint, &outcomes);
	else
		for (size_t i = 0; i < probe->spaces.count; i++)
			bind_watches(probe->spaces.data[i], breakpoint, false,
				     &outcomes);
	for (size_t i = 0; i < probe->added.count; i++)
		note_outcome(&outcomes, &probe->added.data[i]->bound);
	return judge(&outcomes);
}

void note_bound_anew(struct probe *probe, struct breakpoint *breakpoint)
{
	if (!breakpoint->is_bound_anew)
		vec_push(&probe->bound_anew, breakpoint->id);
	breakpoint->is_bound_anew = true;
}

/* A breakpoint that was bound anew, and the outcomes at all its places. */
struct rebound {
	struct breakpoint *breakpoint;
	struct outcome_list outcomes;
};
/* All of them, so that one walk through the sites is enough. */
struct rebound_list {
	VEC(struct rebound) list;
	struct map of_id; /* the number of a breakpoint -> index, plus 1 */
};

static void list_rebound(struct probe *probe, struct rebound_list *out)
{
	for (size_t i = 0; i < probe->bound_anew.count; i++) {
		uint32_t id = probe->bound_anew.data[i];
		struct breakpoint *at = probe_find_any(probe, id);

		/* (judge_bound() tells the outcome of the one that is added.)
		 */
		if (!at || at == probe->adding || !at->is_bound_anew)
			continue;
		at->is_bound_anew = false;
		if (at->deleted)
			continue;
		vec_push(&out->list, (struct rebound){.breakpoint = at});
		map_set(&out->of_id, id, (void *)(uintptr_t)out->list.count);
	}
}

static void note_rebound(struct rebound_list *rebound,
			 const struct attachment *at)
{
	size_t index = (uintptr_t)map_get(&rebound->of_id, at->breakpoint->id);

	if (index)
		note_outcome(&rebound->list.data[index - 1].outcomes,
			     &at->bound);
}

static void note_rebound_in(const struct space *space,
			    struct rebound_list *rebound)
{
	const struct site *site;
	size_t cursor = 0;

	for (size_t i = 0; i < TARGET_WATCHES; i++)
		if (space->watches.list[i].attachment)
			note_rebound(rebound,
				     space->watches.list[i].attachment);
	while ((site = map_next(&space->sites, &cursor, NULL)))
		for (size_t i = 0; i < site->attachments.count; i++)
			note_rebound(rebound, site->attachments.data[i]);
}

/* Tell the user which expressions of the breakpoint are bound at no place. */
static void tell_unbound(struct probe *probe, struct rebound *rebound)
{
	struct breakpoint *breakpoint = rebound->breakpoint;

	for (size_t i = 0; i < rebound->outcomes.count; i++) {
		struct outcome *at = &rebound->outcomes.data[i];

		if (!at->bound && at->first) {
			note(probe, "breakpoint %u (%s): %s", breakpoint->id,
			     breakpoint->location.text,
			     error_message(at->first));
			breakpoint->told |= i == BOUND_CONDITION;
		}
		error_destroy(at->first);
	}
	vec_free(&rebound->outcomes);
}

void note_unbound(struct probe *probe)
{
	struct rebound_list rebound = {0};

	list_rebound(probe, &rebound);
	for (size_t i = 0; rebound.list.count && i < probe->spaces.count; i++)
		note_rebound_in(probe->spaces.data[i], &rebound);
	for (size_t i = 0; i < rebound.list.count; i++)
		tell_unbound(probe, &rebound.list.data[i]);
	vec_free(&rebound.list);
	map_deinit(&rebound.of_id);
	vec_clear(&probe->bound_anew);
}
