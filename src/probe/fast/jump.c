/*
 * jump.c - whether a site can be a jump, and turning it into one
 *
 * All threads that use the memory are STOPPED, and none is in a trampoline.
 */
#include "fast_site.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* ---- may a site be a jump? ----------------------------------------------- */

static enum mechanism wanted_mechanism(const struct probe *probe,
				       const struct breakpoint *breakpoint)
{
	return breakpoint->mechanism == MECHANISM_AUTO ? probe->fast.mechanism
						       : breakpoint->mechanism;
}

/* Does the caller look at the threads that reach the breakpoint? */
static bool is_looked_at(const struct probe *probe,
			 const struct breakpoint *breakpoint)
{
	const struct probe_client *client = &probe->client;

	return client->inspects &&
	       client->inspects(client->context, breakpoint);
}

bool fast_is_wanted(const struct probe *probe,
		    const struct breakpoint *breakpoint)
{
	return !breakpoint_stops(probe, breakpoint) &&
	       !breakpoint->wants_thread && !is_looked_at(probe, breakpoint) &&
	       wanted_mechanism(probe, breakpoint) != MECHANISM_INT3;
}

const char *breakpoints_refuse(const struct probe *probe,
			       const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct breakpoint *at =
			site->attachments.data[i]->breakpoint;

		if (!at->enabled)
			continue;
		if (breakpoint_stops(probe, at))
			return "it stops the program";
		if (at->wants_thread)
			return "the stack of the thread is read there";
		if (is_looked_at(probe, at))
			return "the stacks of its leg's slowest executions are "
			       "kept";
		if (wanted_mechanism(probe, at) == MECHANISM_INT3)
			return "as it was asked for";
	}
	return NULL;
}

/* May the program write to this code? If it wrote to an operand of the
 * displaced instruction, the new bytes would become part of the jump. */
static bool is_changeable(struct space *space, const struct site *site)
{
	const struct mapping *mapping = space_mapping_at(space, site->address);

	return mapping && (!mapping->inode || mapping->writable);
}

/* The reason why no site of the process can be a jump. A trampoline reads the
 * processor's counter, so the counter must be the tool's clock. */
const char *space_refuses_jumps(const struct probe *probe,
				const struct space *space)
{
	return probe->clock->tsc ? space->fast.refusal : probe->clock->problem;
}

const char *probe_refuses_jumps(const struct probe *probe,
				const struct process *process)
{
	const struct space *space = process ? process->owner : NULL;

	if (probe->fast.mechanism == MECHANISM_INT3)
		return "as it was asked for";
	return space ? space_refuses_jumps(probe, space)
		     : probe->clock->problem;
}

const char *site_refuses_jump(const struct probe *probe, struct space *space,
			      const struct site *site)
{
	if (site->purpose != SITE_USER && !is_calibration_jump(site->purpose))
		return "perftool itself has to stop there";
	if (space_refuses_jumps(probe, space))
		return space_refuses_jumps(probe, space);
	if (!site->has_slot)
		return "its instruction is single-stepped in its place";
	if (shadow_refuses_jump(space, &site->insn))
		return shadow_refuses_jump(space, &site->insn);
	if (is_changeable(space, site))
		return "the program generates this code itself";
	return breakpoints_refuse(probe, site);
}

/* ---- updating one site --------------------------------------------------- */

static void note_conditions(const struct site *site)
{
	for (size_t i = 0; i < site->fast->part_count; i++) {
		const struct fast_part *part = &site->fast->parts[i];

		part->attachment->breakpoint->misses_unknown |=
			part->has_condition;
	}
}

/* The jump of the site can lead to no free memory at present: move the
 * breakpoints, or evict another instruction. */
static struct error *make_room(struct probe *probe, struct space *space,
			       struct site *site)
{
	TRY(fast_move(probe, space, site));
	return site->attachments.count ? fast_evict(probe, space, site) : NULL;
}

static struct error *place_jump(struct probe *probe, struct space *space,
				struct site *site)
{
	struct patch patch;

	TRY(find_patch(space, site, &patch, &site->slow));
	probe->fast.had_jumps |= !site->slow;
	return site->slow ? make_room(probe, space, site)
			  : patch_in(space, site, &patch);
}

/* Can jumps from this address lead to where the heap may grow? */
static bool reaches_heap(struct space *space, uint64_t address)
{
	uint64_t start;

	space_maps(space);
	start = space->maps.start_of_heap;
	return start && address < start + TARGET_HEAP_ROOM + INT32_MAX &&
	       start < address + INT32_MAX;
}

/*
 * No jump could be placed. Try again with memory where the heap may grow, but
 * not soon. A program that is not position-independent lies at the low end of
 * the address space, so that its jumps can only lead to the 2 GiB above it, and
 * the heap with its room takes up to half of these. Worse, the last byte of a
 * jump is mostly the first byte of an instruction of the program, and those of
 * `pop` and of 64-bit instructions lead to just where the heap is likely to be.
 */
static struct error *place_near_heap(struct probe *probe, struct space *space,
				     struct site *site)
{
	bool was_scarce = space->maps.is_scarce;
	struct error *error;

	if (was_scarce || !reaches_heap(space, site->address))
		return NULL;
	space->maps.is_scarce = true;
	error = place_jump(probe, space, site);
	space->maps.is_scarce = was_scarce;
	return error;
}

struct error *fast_make_jump(struct probe *probe, struct space *space,
			     struct site *site)
{
	uint32_t before = site->fast ? site->fast->number : 0;
	bool cannot_evict;

	TRY(fast_site_make(probe, space, site, &site->slow));
	if (site->slow)
		return patch_out(space, site);
	note_conditions(site);
	site->counting_inputs = counting_inputs(space, site);
	if (site->is_jump && site->fast->number == before)
		return NULL;
	/* If there is a jump, it leads to the previous trampoline. */
	TRY(patch_out(space, site));
	TRY(evict_no_more(space, site));
	if (!site->inserted)
		return NULL;
	cannot_evict = site->cannot_evict;
	TRY(place_jump(probe, space, site));
	if (!site->is_jump && site->attachments.count) {
		/* What failed just now may succeed near the heap. */
		site->cannot_evict = cannot_evict;
		TRY(place_near_heap(probe, space, site));
	}
	site->is_detour = !site->is_jump && site->attachments.count &&
			  site->fast && fast_calls_counting(site->fast);
	return NULL;
}

static struct error *update_site(struct probe *probe, struct space *space,
				 struct site *site)
{
	site->slow = site_refuses_jump(probe, space, site);
	site->is_detour = false;
	if (!space->fast.has_rings)
		return NULL;
	if (fast_is_moved(site))
		return fast_update_moved(probe, space, site);
	return site->slow ? patch_out(space, site)
			  : fast_make_jump(probe, space, site);
}

/* Why the site is no jump, or why its breakpoints are at another one, may lie
 * in the sites around it. Have they changed? */
static bool may_be_other(const struct space *space, const struct site *site)
{
	return (!site->is_jump || fast_is_moved(site)) &&
	       layout_has_changed(&space->layout, site->address,
				  site->tried_at);
}

/* May the site be another one because memory was mapped or unmapped? */
static bool depends_on_memory(struct space *space, const struct site *site)
{
	return !site->is_jump || fast_is_moved(site) ||
	       is_changeable(space, site);
}

bool fast_is_outdated(struct space *space, const struct site *site)
{
	return site->inserted && !site->is_evicted &&
	       (space->fast.updates_all || site->is_outdated ||
		(space->fast.updates_int3s && depends_on_memory(space, site)) ||
		may_be_other(space, site) ||
		site->counting_inputs != counting_inputs(space, site));
}

struct error *fast_update_site(struct probe *probe, struct space *space,
			       struct site *site)
{
	if (!site->inserted || site->is_evicted)
		return NULL;
	site->is_outdated = false;
	TRY(update_site(probe, space, site));
	site->tried_at = space->layout.changes;
	return site->is_jump ? NULL : evict_no_more(space, site);
}
