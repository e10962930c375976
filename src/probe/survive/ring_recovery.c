/*
 * ring_recovery.c - removing the trampolines and rings of a tool that died
 *
 * A trampoline is code that writes a record of a hit into a ring, which is
 * memory of a thread. The jumps that lead to trampolines were taken out of the
 * program before. Only the dead tool knew what each part of a trampoline does.
 * So a thread that is in a trampoline is single-stepped to the end of it, while
 * all other threads stand still. Afterwards no thread has a ring, and the
 * memory of the rings is unmapped.
 */
#include <stddef.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "recovery.h"

#define GS_BASE offsetof(struct user_regs_struct, gs_base)

/* The largest number of steps that a thread makes to leave a trampoline. It is
 * more than any trampoline needs: the counting code, which a trampoline calls,
 * may have to drop COUNTING_MOST_OPEN activations. */
#define MOST_STEPS (32U * COUNTING_MOST_OPEN)

bool is_ring(const struct mapping *mapping)
{
	return str_starts(mapping->path, "/memfd:" RING_NAME " ");
}

static bool is_memory_of_calls(const struct mapping *mapping)
{
	return str_starts(mapping->path, "/memfd:" CALLS_NAME " ");
}

static bool is_in_trampoline(struct space *space,
			     const struct mapping_list *maps, uint64_t pc)
{
	const struct mapping *mapping = find_mapping(maps, pc);
	struct arch_slot slot;

	return mapping && is_own_mapping(mapping) &&
	       pc - space->store.address >= STORE_SLOTS &&
	       !space_slot_at(space, pc, &slot);
}

/* Let the thread find room in its ring for any number of records: nothing reads
 * the ring any more, so the thread must not wait for room. */
static struct error *have_room(struct space *space, uint64_t ring)
{
	static const uint64_t limit = UINT64_MAX;

	return target_write(space->process,
			    ring + offsetof(struct ring_header, limit), &limit,
			    sizeof(limit));
}

/* How many bytes of a thread's stack are searched for the frame of a signal. */
#define MOST_STACK (8UL * 1024 * 1024)
#define WORDS 4096

/* Where some registers are in the frame of a signal, in words from the stack
 * pointer (struct sigcontext of the kernel). The word of the code segment
 * register has 0 in the bits of gs and fs. */
enum { FRAME_SP, FRAME_PC, FRAME_FLAGS, FRAME_CS, FRAME_WORDS };
#define CS_BITS 0xffffffffffffUL
#define CS_OF_PROGRAMS 0x33

/* The number of stacks on which handlers of signals may have interrupted each
 * other. */
#define MOST_STACKS 4

static bool may_return(struct space *space, const struct mapping_list *maps,
		       uint64_t sp, unsigned stacks);

/* Is this the frame of a signal that leads back to a trampoline, or that leads
 * to another stack on which there is one? */
static bool leads_back(struct space *space, const struct mapping_list *maps,
		       const struct mapping *stack, const uint64_t *frame,
		       unsigned stacks)
{
	if ((frame[FRAME_CS] & CS_BITS) != CS_OF_PROGRAMS)
		return false;
	return is_in_trampoline(space, maps, frame[FRAME_PC]) ||
	       (stacks > 1 && find_mapping(maps, frame[FRAME_SP]) != stack &&
		may_return(space, maps, frame[FRAME_SP], stacks - 1));
}

/* Was the thread in a trampoline when a signal came? Then the frame of the
 * signal is on the thread's stack, and the thread returns to the trampoline
 * when the handler returns. The address of a trampoline alone is no frame:
 * trampolines use the stack, and what they have written there may be in the
 * unused parts of later frames. */
static bool may_return(struct space *space, const struct mapping_list *maps,
		       uint64_t sp, unsigned stacks)
{
	const struct mapping *stack = find_mapping(maps, sp);
	uint64_t words[WORDS], at = sp & ~(uint64_t)7;
	const size_t step = sizeof(words) - FRAME_WORDS * sizeof(*words);

	for (; stack && at < stack->high && at - sp < MOST_STACK; at += step) {
		size_t size = stack->high - at < sizeof(words)
				      ? stack->high - at
				      : sizeof(words);

		if (!target_read_callback(space->process, at, words, size))
			return false;
		for (size_t i = 0; i + FRAME_WORDS <= size / sizeof(*words);
		     i++)
			if (leads_back(space, maps, stack, &words[i], stacks))
				return true;
	}
	return false;
}

/* The thread may execute code of the dead tool again, so all of that code, and
 * the rings, have to stay. */
static void have_all_stay(struct space *space)
{
	space->pools_stay = true;
	space->fast.refusal = "a thread may return into code of a perftool "
			      "that died";
}

/* Lead a thread that has a ring out of its trampoline. Without a ring, a thread
 * can only be in the loop of a calibration, which it leaves by itself.
 * `*returns` says whether the thread may execute code of the dead tool again.
 */
static struct error *step_out(struct space *space,
			      const struct mapping_list *maps,
			      struct thread *thread, bool has_ring,
			      bool *returns)
{
	uint64_t pc, sp;

	TRY(target_get_pc(thread, &pc, &sp));
	for (unsigned i = 0;
	     has_ring && i < MOST_STEPS && is_in_trampoline(space, maps, pc);
	     i++) {
		TRY(target_step(thread));
		TRY(target_get_pc(thread, &pc, &sp));
	}
	*returns = is_in_trampoline(space, maps, pc) ||
		   may_return(space, maps, sp, MOST_STACKS);
	return NULL;
}

static struct error *leave(struct space *space, const struct mapping_list *maps,
			   struct thread *thread)
{
	const struct mapping *mapping;
	uint64_t base;
	bool has_ring, returns = false;

	if (target_is_dead_leader(thread))
		return NULL;
	if (thread->state != THREAD_STOPPED) {
		space->pools_stay = true;
		return NULL;
	}
	TRY(target_get_reg(thread, GS_BASE, &base));
	base += RING_DISTANCE;
	mapping = find_mapping(maps, base);
	has_ring = mapping && is_ring(mapping);
	if (has_ring)
		TRY(have_room(space, base));
	if (has_ring || store_has_used_fast_code(&space->store))
		TRY(step_out(space, maps, thread, has_ring, &returns));
	if (returns)
		have_all_stay(space);
	return has_ring && !returns ? target_set_reg(thread, GS_BASE, 0) : NULL;
}

static struct error *unmap_rings(struct space *space,
				 const struct mapping_list *maps)
{
	CLEANUP(free_pointer)
	struct mapped *pieces = xcalloc(maps->count + 1, sizeof(*pieces));
	size_t count = 0;

	for (size_t i = 0; !space->pools_stay && i < maps->count; i++)
		if (is_ring(&maps->data[i]) ||
		    is_memory_of_calls(&maps->data[i]))
			pieces[count++] = (struct mapped){maps->data[i].low,
							  maps->data[i].high};
	return space_unmap(space, pieces, count);
}

struct error *recover_rings(struct probe *probe, struct space *space,
			    const struct mapping_list *maps)
{
	struct process *user;
	struct error *error;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++)
			TRY(leave(space, maps, user->threads.data[i]));
	error = recover_counts(probe, space, maps);
	if (error)
		note_error(probe,
			   error_prefix(error,
					"perftool cannot read what a perftool "
					"that died had counted"));
	return unmap_rings(space, maps);
}
