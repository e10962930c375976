/*
 * reclamation.c - gives memory of the tool in a process back, or frees it for
 * the next perftool
 *
 * Slots stay, because a thread may be in a slot for any length of time: the
 * displaced instruction may be a system call. The next perftool uses each slot
 * again for the same instruction. Trampolines, landings and the code that
 * counts make no system calls, so a thread is soon out of them, and the tool
 * moves out those that are STOPPED there. If this memory were not used again,
 * each perftool that attaches would need more of it, until the program has no
 * memory left near its code.
 */
#include "reclamation.h"
#include "perftool/base/alloc.h"
#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "store.h"
#include "unmapping.h"

bool space_is_outside(struct space *space, struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];
		struct error *error;
		uint64_t pc, sp;

		if (target_is_dead_leader(thread))
			continue;
		if (thread->state != THREAD_STOPPED)
			return false;
		error = target_get_pc(thread, &pc, &sp);
		if (error) {
			error_destroy(error);
			return false;
		}
		if (store_has_fast_code(&space->store, pc))
			return false;
	}
	return true;
}

static struct error *unmap_landings(struct space *space)
{
	struct store *store = &space->store;
	const size_t count = store->landing_areas.count;
	CLEANUP(free_pointer)
	struct mapped *pieces = xcalloc(count + 1, sizeof(*pieces));

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct mapped){store->landing_areas.data[i].low,
					    store->landing_areas.data[i].high};
	TRY(space_unmap(space, pieces, count));
	vec_free(&store->landing_areas);
	return NULL;
}

struct error *space_reclaim(struct space *space)
{
	TRY(unmap_landings(space));
	return store_free_fast_code(space);
}
