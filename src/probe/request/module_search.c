/*
 * module_search.c - finding the places of breakpoints in the modules
 *
 * For each module the tool notes the number of the last breakpoint for which
 * the module was searched. So neither a new breakpoint nor a new library causes
 * a module to be searched twice for the same breakpoint.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "place_list.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

/* Is the file of this module among the modules of the spaces before
 * `space_index`? */
static bool was_listed(const struct probe *probe, size_t space_index,
		       const struct module *module)
{
	for (size_t i = 0; i < space_index; i++) {
		const struct space *space = probe->spaces.data[i];

		for (size_t j = 0; j < space->modules.count; j++)
			if (str_equal(space->modules.data[j].module->path,
				      module->path))
				return true;
	}
	return false;
}

bool probe_lists(const struct probe *probe, const struct module *module)
{
	return was_listed(probe, probe->spaces.count, module);
}

const struct module *probe_module(struct probe *probe, size_t index)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		const struct space *space = probe->spaces.data[i];

		for (size_t j = 0; j < space->modules.count; j++) {
			const struct module *module =
				space->modules.data[j].module;

			if (!was_listed(probe, i, module) && index-- == 0)
				return module;
		}
	}
	return NULL;
}

void remember_searched(struct probe *probe, const struct loaded *loaded)
{
	struct loaded searched = {.resolved = loaded->resolved};

	for (size_t i = 0; i < probe->search.searched.count; i++) {
		struct loaded *at = &probe->search.searched.data[i];

		if (!str_equal(at->module->path, loaded->module->path))
			continue;
		if (at->resolved < loaded->resolved)
			at->resolved = loaded->resolved;
		return;
	}
	searched.module = module_ref(loaded->module);
	vec_push(&probe->search.searched, searched);
}

void forget_searched(struct probe *probe)
{
	for (size_t i = 0; i < probe->search.searched.count; i++)
		module_unref(probe->search.searched.data[i].module);
	vec_clear(&probe->search.searched);
}

/* ---- searching ----------------------------------------------------------- */

/*
 * Must the breakpoint not be looked for in this module of this space? A
 * breakpoint that was found in the program that the user has named means that
 * program, in whatever process the program or one of its libraries is mapped;
 * unless @MODULE says otherwise. A breakpoint that was not found in that
 * program is looked for in everything that is executed.
 */
static bool means_another(const struct space *space,
			  const struct module *module,
			  const struct breakpoint *breakpoint)
{
	if (!space->foreign || !breakpoint->is_of_program ||
	    breakpoint->kind == REQUEST_UNWINDS ||
	    request_is_of_waits(breakpoint->kind) ||
	    breakpoint->location.module)
		return false;
	for (size_t i = 0; i < breakpoint->places.count; i++) {
		const struct module *of = breakpoint->places.data[i].module;

		if (of && str_equal(of->path, module->path))
			return false;
	}
	return true;
}

/* Among many places, those that cannot be patched are left out, and the user is
 * told: in a profile of calls, and where a request for blocks or calls has
 * other places. Other errors are returned. `is_last`: there are no other
 * places. */
static struct error *unless_left_out(struct probe *probe,
				     const struct breakpoint *breakpoint,
				     const struct spot *spot, bool is_last,
				     struct error *error)
{
	bool of_many = breakpoint->kind >= REQUEST_BLOCKS && !is_last;

	if (!error || (!breakpoint->is_of_calls && !of_many) ||
	    error_code(error) == ERROR_GONE ||
	    error_code(error) == ERROR_INTERRUPTED)
		return error;
	note_error(probe,
		   error_prefix(error,
				breakpoint->is_of_calls
					? "the calls of %s may be incomplete"
					: "a place in %s does not count",
				spot->function.name ? spot->function.name
						    : "a function"));
	return NULL;
}

static struct error *attach_all(struct probe *probe, struct space *space,
				struct module *module,
				struct breakpoint *breakpoint,
				struct spot_list *spots, struct error *error)
{
	for (size_t i = 0; !error && i < spots->count; i++) {
		probe_working(probe, "inserting breakpoints", i, spots->count);
		error = interrupt_check(&probe->client.interrupt);
		if (!error)
			error = unless_left_out(
				probe, breakpoint, &spots->data[i],
				i + 1 == spots->count,
				attach_spot(probe, space, breakpoint, module,
					    &spots->data[i]));
	}
	probe_working(probe, "inserting breakpoints", spots->count,
		      spots->count);
	vec_free(spots);
	if (!error)
		/* If the search was interrupted, `spots` may be incomplete. */
		error = interrupt_check(&probe->client.interrupt);
	if (!error || probe->adding == breakpoint ||
	    error_code(error) == ERROR_GONE ||
	    error_code(error) == ERROR_INTERRUPTED)
		return error;
	/* If the breakpoint cannot be attached at one place, that is no reason
	 * to lose the other places. */
	note_error(probe,
		   error_prefix(error, "breakpoint %u (%s) in %s",
				breakpoint->id, breakpoint->location.text,
				module->name));
	return NULL;
}

/* Note the file and the address in the file that *ADDRESS means, so that
 * *ADDRESS still means the same instruction if the file is mapped at another
 * address next time. */
static void settle_address(struct probe *probe, const struct module *module,
			   struct location *location)
{
	uint64_t address;

	if (location->kind != LOCATION_ADDRESS || location->module ||
	    location->path ||
	    !address_in_module(probe, location, module, &address))
		return;
	location->path = xstrdup(module->path);
	location->number = address;
}

static struct error *resolve_by_name(struct probe *probe, struct space *space,
				     struct module *module,
				     struct breakpoint *breakpoint)
{
	struct spot_list spots = {0};
	struct error *error;

	if (!breakpoint->is_of_calls && !request_is_of_calls(breakpoint->kind))
		prepare_copies(module, breakpoint);
	error = resolve_in_module(probe, space, module, breakpoint, &spots);
	if (!error && spots.count)
		settle_address(probe, module, &breakpoint->location);
	return attach_all(probe, space, module, breakpoint, &spots, error);
}

/* Does the breakpoint's function have code of its own, and not only inlined
 * copies? */
static bool has_own_code(const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < breakpoint->places.count; i++)
		if (!breakpoint->places.data[i].inlined)
			return true;
	return false;
}

bool has_entry(const struct probe *probe, const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];

		if (at && !at->deleted && at->kind == REQUEST_ENTRY &&
		    str_equal(at->location.text, breakpoint->location.text))
			return true;
	}
	return false;
}

static void note_copies(struct probe *probe, const struct space *space,
			const struct module *module,
			const struct breakpoint *breakpoint, size_t count)
{
	bool is_program = module == space->modules.data[0].module;

	/* who uses such a breakpoint says what it does not cover */
	if (breakpoint->id & PROBE_APART)
		return;
	if (count && (breakpoint->kind == REQUEST_ENTRY ||
		      !has_entry(probe, breakpoint)))
		note(probe,
		     "%s is also inlined, in %zu place%s%s%s: %s; `break %s' "
		     "counts them",
		     breakpoint->location.text, count, count == 1 ? "" : "s",
		     is_program ? "" : " of ", is_program ? "" : module->name,
		     breakpoint->kind == REQUEST_BLOCKS
			     ? "blocks there do not count"
			     : "calls there have no exit and are not timed",
		     breakpoint->location.text);
}

/*
 * Find the inlined copies of a function. A function that has code of its own
 * may also be inlined elsewhere. The end of an inlined copy cannot be
 * determined. So entry and exit breakpoints, which belong together, have no
 * places in the copies of such a function.
 */
static struct error *resolve_by_copies(struct probe *probe, struct space *space,
				       struct module *module,
				       struct breakpoint *breakpoint)
{
	bool own_code = has_own_code(breakpoint);
	struct spot_list spots = {0};
	struct error *error;

	if (breakpoint->is_of_calls || request_is_of_calls(breakpoint->kind) ||
	    (!own_code && request_needs_own_code(breakpoint->kind)))
		return NULL;
	error = resolve_inlined(module, breakpoint, &spots);
	if (!error && own_code && breakpoint->kind != REQUEST_PLACE &&
	    breakpoint->kind != REQUEST_BEGIN) {
		breakpoint->leaves_out_copies |= spots.count > 0;
		note_copies(probe, space, module, breakpoint, spots.count);
		vec_clear(&spots);
	}
	return attach_all(probe, space, module, breakpoint, &spots, error);
}

typedef struct error *resolve_fn(struct probe *probe, struct space *space,
				 struct module *module,
				 struct breakpoint *breakpoint);

/* Search one module for one breakpoint, and limit the remarks on it: one name
 * may stand for many functions, if the library has overloads. */
static struct error *resolve_with(struct probe *probe, struct space *space,
				  struct module *module,
				  struct breakpoint *breakpoint,
				  resolve_fn *how)
{
	bool outermost = !probe->remarks.is_many;
	struct error *error;

	if (outermost)
		probe_begin_many(probe, probe->adding != NULL);
	error = how(probe, space, module, breakpoint);
	if (outermost)
		probe_end_many(probe);
	return error;
}

/* Search the module for the breakpoints for which it was not searched yet.
 * `*resolved`, the number of the last breakpoint for which it was searched, is
 * updated. */
static struct error *resolve_new(struct probe *probe, struct space *space,
				 struct module *module, uint32_t *resolved,
				 resolve_fn *how)
{
	for (size_t i = *resolved; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (at && !at->deleted && !means_another(space, module, at))
			TRY(resolve_with(probe, space, module, at, how));
	}
	*resolved = (uint32_t)probe->breakpoints.count;
	return NULL;
}

/* Attach an *ADDRESS breakpoint in code that is in no file, because the program
 * has generated the code. */
static struct error *resolve_bare_address(struct probe *probe,
					  struct space *space,
					  struct breakpoint *breakpoint)
{
	struct spot spot = {.address = breakpoint->location.number,
			    .role = breakpoint->kind == REQUEST_ENTRY
					    ? ROLE_ENTRY
					    : ROLE_PLACE};
	uint8_t byte;

	if (breakpoint->location.kind != LOCATION_ADDRESS ||
	    breakpoint->location.module || breakpoint->location.path ||
	    space->foreign || request_needs_own_code(breakpoint->kind) ||
	    !space->process || space_module_at(space, spot.address) ||
	    !target_read_callback(space->process, spot.address, &byte, 1))
		return NULL;
	return attach_spot(probe, space, breakpoint, NULL, &spot);
}

static bool awaits_libraries(const struct space *space)
{
	return space->process && space->has_linker && !space->has_libraries;
}

static struct error *resolve_new_in(struct probe *probe, struct space *space)
{
	for (size_t i = 0; i < space->modules.count; i++) {
		struct loaded *at = &space->modules.data[i];

		TRY(resolve_new(probe, space, at->module, &at->resolved,
				resolve_by_name));
	}
	/* Inlined copies are searched last. What they mean depends on whether
	 * the function has code of its own, perhaps in a library that is not
	 * loaded yet. */
	for (size_t i = 0; !awaits_libraries(space) && i < space->modules.count;
	     i++) {
		struct loaded *at = &space->modules.data[i];

		TRY(resolve_new(probe, space, at->module, &at->resolved_inlined,
				resolve_by_copies));
	}
	for (size_t i = 0; i < probe->search.addressed.count; i++) {
		struct breakpoint *at =
			probe_find(probe, probe->search.addressed.data[i]);

		if (at)
			TRY(resolve_bare_address(probe, space, at));
	}
	return NULL;
}

struct error *resolve_in_space(struct probe *probe, struct space *space)
{
	bool together = space->process && space_is_at_rest(space);
	struct error *error;

	if (together)
		store_begin(space);
	error = resolve_new_in(probe, space);
	if (together)
		error = error_first(error, store_end(space));
	if (!probe->keeps_exits)
		known_exits_forget(probe);
	if (error)
		return error;
	TRY(watches_resolve(probe, space));
	/* (The process may have ended in the middle of a command.) */
	if (space->awaits_start && space->process)
		TRY(watch_start(probe, space));
	note_unbound(probe);
	return NULL;
}

struct error *resolve_started(struct probe *probe, struct space *space)
{
	space->has_started = true;
	space->awaits_start = false;
	shadow_decide(space);
	for (size_t i = 0; i < space->modules.count; i++) {
		struct module *module = space->modules.data[i].module;
		uint32_t none = 0;

		TRY(resolve_new(probe, space, module, &none, resolve_by_name));
	}
	note_unbound(probe);
	return NULL;
}

struct error *resolve_everywhere(struct probe *probe)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		TRY(resolve_in_space(probe, probe->spaces.data[i]));
	return NULL;
}

/* Look for one breakpoint in all modules, although the modules were searched
 * for its number already. */
static struct error *resolve_one_in(struct probe *probe, struct space *space,
				    struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < space->modules.count; i++) {
		struct module *module = space->modules.data[i].module;

		if (!means_another(space, module, breakpoint))
			TRY(resolve_by_name(probe, space, module, breakpoint));
	}
	for (size_t i = 0; !awaits_libraries(space) && i < space->modules.count;
	     i++) {
		struct module *module = space->modules.data[i].module;

		if (!means_another(space, module, breakpoint))
			TRY(resolve_by_copies(probe, space, module,
					      breakpoint));
	}
	return NULL;
}

static struct error *resolve_one(struct probe *probe,
				 struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		TRY(resolve_one_in(probe, probe->spaces.data[i], breakpoint));
	return NULL;
}

struct error *probe_move(struct probe *probe, struct breakpoint *breakpoint,
			 const char *text)
{
	struct location location;
	struct error *error;

	TRY(request_parse(breakpoint->kind, text, &location));
	detach_breakpoint(probe, breakpoint);
	tails_unwatch(probe, breakpoint);
	places_clear(breakpoint);
	location_deinit(&breakpoint->location);
	breakpoint->location = location;
	note_addressed(probe, breakpoint);
	error = resolve_one(probe, breakpoint);
	probe_describe_problem(probe, breakpoint);
	return error;
}

void probe_describe_problems(struct probe *probe)
{
	forget_problem(probe);
	probe_check_files(probe);
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i] &&
		    !probe->breakpoints.data[i]->deleted)
			probe_describe_problem(probe,
					       probe->breakpoints.data[i]);
}
