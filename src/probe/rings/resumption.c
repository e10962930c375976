/*
 * resumption.c - when a thread went on from an int3, as recorded by the thread
 * itself
 *
 * The tool knows when it asked the kernel to let the thread go on, but the
 * wake-up of the thread comes after that. So a thread that has a ring is first
 * sent through a trampoline (code that records). There it records the time, as
 * at a fast node, and then it goes on in the slot that the header of its ring
 * names, where it executes the instruction that the int3 has displaced. One
 * such trampoline is enough for all sites of a memory. Thus a leg that begins
 * at an int3 begins when the program really goes on, and a leg that begins at
 * an int3 and ends at a jump is as exact as a leg between jumps.
 */
#include "resumption.h"
#include "context_switches.h"
#include "counted_calls.h"
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
	struct trampoline_spec spec = {.insn = &none,
				       .cookie = probe->rings.cookie,
				       .part_count = 1,
				       .resumes = true};
	const struct module *module;
	uint64_t address;

	if (space->fast.resume || !space->fast.has_rings ||
	    space->fast.refusal || !space->modules.count)
		return NULL;
	module = space->modules.data[0].module;
	TRY(store_find_room(space, STORE_FAST_CODE, module->low, module->high,
			    TRAMPOLINE_SIZE / ARCH_SLOT_SIZE, &address));
	wanted.number = (uint32_t)probe->fast.sites.count + 1;
	spec.site = wanted.number << RING_SITE_SHIFT;
	TRY(trampoline_build(&spec, address, 0, &code));
	TRY(fast_site_write(space, &code));
	space->fast.resume = fast_site_keep(probe, space, &wanted, &code);
	return NULL;
}

/* Has the ring room for the record? The thread must not have to wait for room,
 * because the wait would be counted twice. */
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
	tell_finished(probe, finished, true);
	switches_told(probe, ring->watch, time);
}

void resumed_unseen(struct probe *probe, struct ring *ring, bool added)
{
	calls_resumed_unseen(probe, ring, added);
	tell_finished(probe, &ring->finished, false);
}
