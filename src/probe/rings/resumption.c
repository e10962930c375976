/*
 * resumption.c - when a thread went on from an int3, by its own word
 *
 * What the tool knows is when it asked for that; the wake-up comes after. So a
 * thread that has a ring is led through a trampoline first, which records the
 * time there as those of fast nodes do, and goes on in the slot that the ring's
 * header names: one is enough for all sites of a memory. A leg that begins at
 * an int3 begins when the program does go on, and one that begins there and
 * ends at a jump is as exact as one between jumps.
 */
#include "resumption.h"
#include "context_switches.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "rings.h"

struct error *resumed_prepare(struct probe *probe, struct space *space)
{
	static const struct insn none = {0};
	struct fast_site wanted = {.purpose = SITE_RESUME};
	struct trampoline_code code;
	struct trampoline_spec spec = {
		.insn = &none, .cookie = probe->rings.cookie, .part_count = 1};
	const struct module *module;
	uint64_t address;

	if (space->fast.resume || !space->fast.has_rings ||
	    !space->modules.count)
		return NULL;
	module = space->modules.data[0].module;
	TRY(store_find_room(space, module->low, module->high,
			    TRAMPOLINE_SIZE / ARCH_SLOT_SIZE, &address));
	wanted.number = (uint32_t)probe->fast.sites.count + 1;
	spec.site = wanted.number << RING_SITE_SHIFT;
	TRY(trampoline_build(&spec, address, 0, &code));
	TRY(fast_site_write(space, &code));
	space->fast.resume = fast_site_keep(probe, space, &wanted, &code);
	return NULL;
}

/* It must not have to wait for room: its wait would be counted twice. */
static bool has_room(const struct ring *ring)
{
	return ring->header->head + sizeof(struct ring_cell) <
	       ring->tail + ring->size;
}

bool resumed_is_told(const struct thread *thread)
{
	const struct space *space = thread->process->owner;

	return thread->ring && space && space->fast.resume &&
	       !space->fast.refusal && has_room(thread->ring);
}

uint64_t resumed_pc(struct thread *thread, uint64_t slot)
{
	const struct space *space = thread->process->owner;
	const struct ring *ring = thread->ring;

	if (!resumed_is_told(thread))
		return slot;
	ring->header->slot = slot;
	return space->fast.resume->trampoline.address;
}

void resumed_at(struct probe *probe, struct ring *ring, uint64_t time)
{
	struct finished_stop *finished = &ring->finished;

	if (probe->calibration.thread &&
	    probe->calibration.thread == ring->thread)
		probe->calibration.from_resume = time;
	if (!finished->holder.serial)
		return;
	finished->resume = time;
	tell_finished(probe, finished);
	switches_told(probe, ring->watch, time);
}

void resumed_unseen(struct probe *probe, struct ring *ring)
{
	tell_finished(probe, &ring->finished);
}
