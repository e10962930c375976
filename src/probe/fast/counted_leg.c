/*
 * counted_leg.c - which legs the threads of a space count by themselves
 *
 * A thread can count a leg only if each hit of its two breakpoints can be
 * counted: each of their sites must be a jump whose trampoline calls the
 * counting code. Whether a site can be a jump is known only when it has become
 * one. So the tool first assumes that all can, updates the sites, and refuses
 * the legs for which this was wrong. The sites of those are updated once more.
 */
#include "counted_leg.h"

#include <stdlib.h>

#include "fast_site.h"
#include "perftool/counting.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"

static const struct counted_leg *find_of(const struct counted_legs *legs,
					 uint32_t breakpoint)
{
	size_t index = (uintptr_t)map_get(&legs->of_breakpoint, breakpoint);
	const struct counted_leg *leg =
		index ? &legs->list.data[index - 1] : NULL;

	return leg && !leg->is_refused ? leg : NULL;
}

const struct counted_leg *counted_leg_of(const struct counted_legs *legs,
					 const struct breakpoint *breakpoint)
{
	return find_of(legs, breakpoint->id);
}

const struct counted_leg *counted_leg_find(const struct counted_legs *legs,
					   uint32_t leg)
{
	for (size_t i = 0; i < legs->list.count; i++)
		if (legs->list.data[i].leg == leg &&
		    !legs->list.data[i].is_refused)
			return &legs->list.data[i];
	return NULL;
}

void counted_legs_plan(const struct probe *probe,
		       const struct counted_legs *before,
		       struct counted_legs *out)
{
	*out = (struct counted_legs){0};
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];
		const struct breakpoint *to;
		struct countable leg;
		void *number;

		if (!at || !at->enabled || !fast_is_wanted(probe, at) ||
		    !probe->client.countable(probe->client.context, at, &leg) ||
		    leg.from != at->id || leg.leg >= COUNTING_MOST_LEGS)
			continue;
		to = probe_find(probe, leg.to);
		if (!to || !to->enabled || !fast_is_wanted(probe, to) ||
		    (leg.is_open && !counted_leg_of(before, at)))
			continue;
		vec_push(&out->list, (struct counted_leg){.leg = leg.leg,
							  .from = leg.from,
							  .to = leg.to});
		number = (void *)(uintptr_t)out->list.count;
		map_set(&out->of_breakpoint, leg.from, number);
		map_set(&out->of_breakpoint, leg.to, number);
	}
}

/* The breakpoint has a site. `counts`: its threads count the hits there. */
static void count_site(struct counted_legs *legs, uint32_t breakpoint,
		       bool counts)
{
	size_t index = (uintptr_t)map_get(&legs->of_breakpoint, breakpoint);

	if (!index)
		return;
	legs->list.data[index - 1].sites++;
	legs->list.data[index - 1].counting += counts;
}

/* Is the attachment at a tail jump that may have been taken? The function's
 * frame then ends in another function, and the tool has to find out where. */
static bool may_leave(const struct space *space,
		      const struct attachment *attachment)
{
	size_t count;

	if (!is_of_tails(attachment) || !is_jump(attachment->role))
		return false;
	tails_targets(space, attachment, &count);
	return count != 0;
}

static void count_sites(struct space *space, const struct site *site)
{
	struct counted_legs *legs = &space->fast.counted;
	bool counts = site->is_jump && site->fast && site->fast->is_counting;

	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];
		const uint32_t *watchers;
		size_t count;

		if (at->breakpoint->enabled && !is_of_tails(at))
			count_site(legs, at->breakpoint->id, counts);
		if (!may_leave(space, at))
			continue;
		watchers = tails_watchers(space, at, &count);
		for (size_t j = 0; j < count; j++)
			count_site(legs, watchers[j], false);
	}
}

bool counted_legs_are_left(const struct space *space, const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];
		const uint32_t *watchers;
		size_t count;

		if (!may_leave(space, at))
			continue;
		watchers = tails_watchers(space, at, &count);
		for (size_t j = 0; j < count; j++)
			if (find_of(&space->fast.counted, watchers[j]))
				return true;
	}
	return false;
}

bool counted_legs_check(struct space *space)
{
	struct counted_legs *legs = &space->fast.counted;
	const struct site *site;
	bool is_refused = false;
	size_t cursor = 0;

	if (!legs->list.count)
		return false;
	for (size_t i = 0; i < legs->list.count; i++)
		legs->list.data[i].sites = legs->list.data[i].counting = 0;
	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (site->inserted)
			count_sites(space, site);
	for (size_t i = 0; i < legs->list.count; i++) {
		struct counted_leg *leg = &legs->list.data[i];

		if (leg->is_refused || leg->sites == leg->counting)
			continue;
		leg->is_refused = is_refused = true;
	}
	return is_refused;
}

void counted_legs_copy(const struct counted_legs *from, struct counted_legs *to)
{
	*to = (struct counted_legs){0};
	for (size_t i = 0; i < from->list.count; i++) {
		const struct counted_leg *leg = &from->list.data[i];
		void *number = (void *)(uintptr_t)(i + 1);

		vec_push(&to->list, *leg);
		map_set(&to->of_breakpoint, leg->from, number);
		map_set(&to->of_breakpoint, leg->to, number);
	}
}

void counted_legs_deinit(struct counted_legs *legs)
{
	vec_free(&legs->list);
	map_deinit(&legs->of_breakpoint);
}
