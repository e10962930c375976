/*
 * tail_needs.c - the functions whose jumps and returns nobody needs any more
 *
 * A function is needed if an enabled breakpoint waits for the end of its
 * frames, or if a tail jump of a needed function has led to it. When
 * breakpoints are disabled or deleted, other functions are needed no longer.
 * Their jumps and returns would go on to cost threads as much as hits do,
 * without being counted as such. So before all threads go on, the tool's own
 * breakpoint is detached from them.
 */
#include "probe/breakpoint.h"

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "tail_function.h"
#include "tails.h"

/* A frame of one function may go on in another one. Both are entries. */
struct step {
	uint64_t from, to;
};
VEC_STRUCT(step_list, struct step);

static void add_step(struct space *space, uint64_t from, uint64_t target,
		     struct step_list *steps)
{
	vec_push(steps, (struct step){from, target});
	vec_push(steps, (struct step){from, tails_function(space, target)});
}

static void find_steps_at(struct space *space, const struct site *site,
			  struct step_list *steps)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];
		const struct tail_function *function;
		const uint64_t *targets;
		size_t count;

		if (!is_of_tails(at) || !is_jump(at->role))
			continue;
		function = tail_function_at(space, at);
		targets = tails_targets(space, at, &count);
		for (size_t j = 0; function && j < count; j++)
			add_step(space, function->entry, targets[j], steps);
	}
}

static void find_steps(struct space *space, struct step_list *steps)
{
	const struct tail_function *function;
	const struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		find_steps_at(space, site, steps);
	cursor = 0;
	while ((function = map_next(&space->tails.functions, &cursor, NULL)))
		if (function->is_stub && function->goes_to)
			add_step(space, function->entry, function->goes_to,
				 steps);
}

bool tails_is_awaited(const struct probe *probe,
		      const struct tail_function *function)
{
	for (size_t i = 0; i < function->watchers.count; i++) {
		const struct breakpoint *breakpoint =
			probe_find(probe, function->watchers.data[i]);

		if (breakpoint && breakpoint->enabled)
			return true;
	}
	return false;
}

static bool watches(const struct tail_function *function, uint32_t breakpoint)
{
	for (size_t i = 0; i < function->watchers.count; i++)
		if (function->watchers.data[i] == breakpoint)
			return true;
	return false;
}

bool probe_frames_go_on(const struct probe *probe, uint32_t breakpoint)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		const struct space *space = probe->spaces.data[i];
		const struct tail_function *at;
		size_t cursor = 0;

		while ((at = map_next(&space->tails.functions, &cursor, NULL)))
			if (at->is_watched && at->has_jumps &&
			    watches(at, breakpoint))
				return true;
	}
	return false;
}

/* Puts the entries of the functions that are needed into the map. Returns
 * whether others are followed. */
static bool find_needed(const struct probe *probe, struct space *space,
			struct map *needed)
{
	const struct tail_function *at;
	struct step_list steps = {0};
	bool any = false, grows = true;
	size_t cursor = 0;

	while ((at = map_next(&space->tails.functions, &cursor, NULL)))
		if (tails_is_awaited(probe, at) ||
		    tails_are_binding(space, at->entry))
			map_set_number(needed, at->entry, 1);
	find_steps(space, &steps);
	while (grows) {
		grows = false;
		for (size_t i = 0; i < steps.count; i++) {
			const struct step *step = &steps.data[i];

			if (!map_get_number(needed, step->from) ||
			    map_get_number(needed, step->to) ||
			    !map_get(&space->tails.functions, step->to))
				continue;
			map_set_number(needed, step->to, 1);
			grows = true;
		}
	}
	vec_free(&steps);
	cursor = 0;
	while ((at = map_next(&space->tails.functions, &cursor, NULL)))
		any |= (at->is_watched || at->is_followed) &&
		       !map_get_number(needed, at->entry);
	return any;
}

/* ---- what is needed no more ---------------------------------------------- */

/* Detaches the tool's own breakpoint from a site where no needed function needs
 * it. Returns whether it was there. */
static bool leave_site(const struct space *space, struct site *site,
		       const struct map *needed, struct map *left)
{
	size_t count = site->attachments.count;

	for (size_t i = count; i-- > 0;) {
		struct attachment *at = site->attachments.data[i];
		const struct tail_function *function =
			is_of_tails(at) ? tail_function_at(space, at) : NULL;

		if (!function || map_get_number(needed, function->entry))
			continue;
		map_set_number(left, at->address, 1);
		attachment_unref(at);
		vec_remove(&site->attachments, i);
	}
	return site->attachments.count < count;
}

static void leave_sites(struct space *space, const struct map *needed,
			struct map *left)
{
	bool together = space->process && space_is_at_rest(space);
	struct site *site;
	size_t cursor = 0;

	if (together)
		store_begin(space);
	/* If the memory is gone, there is nothing to take out of it. */
	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (leave_site(space, site, needed, left))
			error_destroy(site_update(space, site));
	if (together)
		error_destroy(store_end(space));
}

/* The function may be needed again if one of its watchers is enabled. */
static void leave_function(struct space *space, struct tail_function *function)
{
	space->tails.watched -= function->is_watched;
	if (!function->watchers.count) {
		map_remove(&space->tails.functions, function->entry);
		tail_function_destroy(function);
		return;
	}
	function->is_watched = function->is_followed = false;
	function->sees_entry = false;
	vec_clear(&function->untaken);
}

static void forget_untaken(struct tail_function *function,
			   const struct map *left)
{
	for (size_t i = function->untaken.count; i-- > 0;)
		if (map_get_number(left, function->untaken.data[i]))
			vec_remove(&function->untaken, i);
}

static void leave_functions(struct space *space, const struct map *needed,
			    const struct map *left)
{
	struct tail_function *at;
	size_t cursor = 0;

	while ((at = map_next(&space->tails.functions, &cursor, NULL)))
		if (map_get_number(needed, at->entry))
			forget_untaken(at, left);
		else
			leave_function(space, at);
}

void tails_leave_unneeded(struct probe *probe, struct space *space)
{
	struct map needed = {0}, left = {0};

	if (!space->tails.has_fewer_needs)
		return;
	space->tails.has_fewer_needs = false;
	if (find_needed(probe, space, &needed)) {
		leave_sites(space, &needed, &left);
		leave_functions(space, &needed, &left);
		tail_jumps_remove(space, &left);
		space->is_outdated = true;
	}
	map_deinit(&needed);
	map_deinit(&left);
}
