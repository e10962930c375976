/*
 * breakpoint_presence.c - whether breakpoints are in the program: they are
 * enabled, disabled, suspended and removed, one or thousands at a time
 *
 * What changes is marked first, so that one pass over all sites is enough.
 */
#include "perftool/probe/breakpoint_requests.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"
#include "request.h"

/* Is the breakpoint one that the user's monitor switches on and off? */
static bool is_suspendable(const struct breakpoint *breakpoint)
{
	return breakpoint->condition && !(breakpoint->id & PROBE_APART);
}

bool is_to_suspend(const struct probe *probe,
		   const struct breakpoint *breakpoint)
{
	return probe->is_suspended && is_suspendable(breakpoint);
}

void presence_note_condition(struct probe *probe, struct breakpoint *breakpoint)
{
	bool suspended = is_to_suspend(probe, breakpoint);

	if (suspended == breakpoint->is_suspended)
		return;
	breakpoint->is_suspended = suspended;
	breakpoint->is_changed = true;
	tails_note_waiting(probe);
	note_error(probe, update_changed_sites(probe));
}

void probe_remove(struct probe *probe, struct breakpoint *breakpoint)
{
	breakpoint->enabled = false;
	breakpoint->deleted = true;
	detach_breakpoint(probe, breakpoint);
	tails_unwatch(probe, breakpoint);
	if (breakpoint->kind == REQUEST_WATCH)
		watches_change(probe, breakpoint);
}

void probe_remove_all(struct probe *probe, struct breakpoint *const *list,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		list[i]->enabled = false;
		list[i]->deleted = true;
	}
	detach_deleted(probe);
	tails_unwatch_deleted(probe);
	for (size_t i = 0; i < count; i++)
		if (list[i]->kind == REQUEST_WATCH)
			watches_change(probe, list[i]);
}

struct error *probe_enable(struct probe *probe, struct breakpoint *breakpoint,
			   bool enabled)
{
	if (breakpoint->kind == REQUEST_WATCH)
		return watch_enable(probe, breakpoint, enabled);
	return probe_enable_all(probe, &breakpoint, 1, enabled);
}

struct error *probe_enable_all(struct probe *probe,
			       struct breakpoint *const *list, size_t count,
			       bool enabled)
{
	for (size_t i = 0; i < count; i++) {
		list[i]->enabled = enabled;
		list[i]->is_changed = true;
	}
	tails_note_waiting(probe);
	return update_changed_sites(probe);
}

struct error *probe_suspend(struct probe *probe, bool suspended)
{
	probe->is_suspended = suspended;
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (!at || at->deleted || !is_suspendable(at))
			continue;
		at->is_suspended = suspended;
		at->is_changed = true;
		if (at->kind == REQUEST_WATCH && at->enabled)
			watches_change(probe, at);
	}
	tails_note_waiting(probe);
	return update_changed_sites(probe);
}
