/*
 * tail_watchers.c - which breakpoints wait for the end of a function's frames,
 * and whether any of them stops the program or reads the threads
 */
#include "tails.h"

#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "tail_frames.h"
#include "tail_function.h"

struct error *tails_watch(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot)
{
	struct tail_function *at;

	if (!function_is_known(&spot->function))
		return NULL;
	at = tail_function_enter(space, module, &spot->function);
	for (size_t i = 0; i < at->watchers.count; i++)
		if (at->watchers.data[i] == breakpoint->id)
			return NULL;
	vec_push(&at->watchers, breakpoint->id);
	return at->is_watched ? NULL
			      : tails_begin_to_watch(probe, space, module, at);
}

/* Breakpoints were enabled: watch the functions again whose ends they wait for.
 */
static struct error *watch_again(struct probe *probe, struct space *space)
{
	VEC(uint64_t) entries = {0};
	const struct tail_function *known;
	struct error *error = NULL;
	size_t cursor = 0;

	while ((known = map_next(&space->tails.functions, &cursor, NULL)))
		if (!known->is_watched && tails_is_awaited(probe, known))
			vec_push(&entries, known->entry);
	for (size_t i = 0; !error && i < entries.count; i++) {
		struct tail_function *at =
			map_get(&space->tails.functions, entries.data[i]);
		struct module *module = space_module_at(space, at->entry);

		if (module && module_file(module))
			error = tails_begin_to_watch(probe, space, module, at);
	}
	vec_free(&entries);
	return error;
}

const uint32_t *tails_watchers(const struct space *space,
			       const struct attachment *attachment,
			       size_t *count)
{
	const struct tail_function *at = tail_function_at(space, attachment);

	*count = at ? at->watchers.count : 0;
	return at ? at->watchers.data : NULL;
}

/* No breakpoint waits for the end of a frame any more: remove everything that
 * watches frames. */
static void see_nothing(struct probe *probe)
{
	detach_breakpoint(probe, &probe->tails.breakpoint);
	tail_frames_deinit(&probe->tails.frames);
	probe->tails.frames = (struct tail_frames){0};
	for (size_t i = 0; i < probe->spaces.count; i++)
		tails_forget(probe->spaces.data[i]);
}

static bool is_any_left(const struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];

		if (at && !at->deleted && at->kind == REQUEST_RETURN)
			return true;
	}
	return false;
}

static void drop_watcher(struct space *space, uint32_t breakpoint)
{
	struct tail_function *at;
	size_t cursor = 0;

	space->tails.has_fewer_needs = true;
	while ((at = map_next(&space->tails.functions, &cursor, NULL)))
		for (size_t i = at->watchers.count; i-- > 0;)
			if (at->watchers.data[i] == breakpoint)
				vec_remove(&at->watchers, i);
}

void tails_unwatch(struct probe *probe, const struct breakpoint *breakpoint)
{
	if (breakpoint->kind != REQUEST_RETURN)
		return;
	tail_frames_forget_breakpoint(&probe->tails.frames, breakpoint->id);
	if (!is_any_left(probe)) {
		see_nothing(probe);
		return;
	}
	for (size_t i = 0; i < probe->spaces.count; i++)
		drop_watcher(probe->spaces.data[i], breakpoint->id);
}

/* Is the breakpoint not deleted? */
static bool is_there(const void *probe, uint32_t breakpoint)
{
	return probe_find(probe, breakpoint) != NULL;
}

static void drop_deleted_watchers(const struct probe *probe,
				  struct space *space)
{
	struct tail_function *at;
	size_t cursor = 0;

	space->tails.has_fewer_needs = true;
	while ((at = map_next(&space->tails.functions, &cursor, NULL)))
		for (size_t i = at->watchers.count; i-- > 0;)
			if (!probe_find(probe, at->watchers.data[i]))
				vec_remove(&at->watchers, i);
}

void tails_unwatch_deleted(struct probe *probe)
{
	if (!is_any_left(probe)) {
		see_nothing(probe);
		return;
	}
	tail_frames_keep(&probe->tails.frames, is_there, probe);
	for (size_t i = 0; i < probe->spaces.count; i++)
		drop_deleted_watchers(probe, probe->spaces.data[i]);
}

/* Is the breakpoint enabled? */
static bool is_enabled(const void *probe, uint32_t breakpoint)
{
	const struct breakpoint *at = probe_find(probe, breakpoint);

	return at && at->enabled;
}

static void note_enabled(struct probe *probe)
{
	tail_frames_keep(&probe->tails.frames, is_enabled, probe);
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct space *space = probe->spaces.data[i];

		space->tails.has_fewer_needs = true;
		note_error(probe,
			   error_unless(watch_again(probe, space), ERROR_GONE));
	}
}

void tails_note_waiting(struct probe *probe)
{
	struct breakpoint *own = &probe->tails.breakpoint;
	bool waits = false;

	note_enabled(probe);
	for (size_t i = 0; !waits && i < probe->breakpoints.count; i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];

		waits = at && !at->deleted && at->kind == REQUEST_RETURN &&
			breakpoint_is_in(at);
	}
	if (waits == !own->is_suspended)
		return;
	own->is_suspended = !waits;
	own->is_changed = true;
	/* Ends of frames are missed from now on. */
	tail_frames_deinit(&probe->tails.frames);
	probe->tails.frames = (struct tail_frames){0};
	tails_forget_bindings(probe);
}

/* ---- breakpoints that need int3s ----------------------------------------- */

bool breakpoint_stops(const struct probe *probe,
		      const struct breakpoint *breakpoint)
{
	if (breakpoint->is_of_calls)
		return false;
	return breakpoint->id
		       ? probe->client.stops(probe->client.context, breakpoint)
		       : probe->tails.stop;
}

void tails_look_for_int3s(struct probe *probe)
{
	struct breakpoint *own = &probe->tails.breakpoint;
	bool stopped = probe->tails.stop, wanted_thread = own->wants_thread;

	probe->tails.stop = own->wants_thread = false;
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];

		if (!at || at->deleted || !at->enabled ||
		    at->kind != REQUEST_RETURN)
			continue;
		probe->tails.stop |= breakpoint_stops(probe, at);
		own->wants_thread |= at->wants_thread;
	}
	/* This concerns all places of the tool's own breakpoint. */
	if (probe->tails.stop != stopped || own->wants_thread != wanted_thread)
		probe_stops_changed(probe);
}
