/*
 * late_fork.c - a child whose fork is reported after its parent's memory has
 * changed
 *
 * The tool learns of a fork when it waits for the threads of the parent.
 * Between the fork and that moment, the tool may have put breakpoints into the
 * parent because of an event of another thread. The child's memory is the
 * parent's memory at the moment of the fork, so it lacks these breakpoints and
 * their slots. This cannot happen while all threads are stopped, because each
 * thread reports its forks before it stops.
 *
 * So the tool notes changes that it makes while other threads execute. From
 * such a change until all threads have stopped the next time, the memory of
 * each new child is brought to the state of its parent's: first the store with
 * its slots (in which displaced instructions are executed), then the int3s.
 * (Jumps are only written while all threads are stopped.)
 */
#include <string.h>

#include "late_fork.h"
#include "perftool/base/alloc.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "site.h"
#include "store.h"

#define CHUNK 65536u

/* ---- noting changes ------------------------------------------------------ */

void late_fork_note_change(struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	if (space->has_changed_amid_run || !space->process)
		return;
	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++)
			space->has_changed_amid_run |=
				user->threads.data[i]->state ==
					THREAD_RUNNING &&
				!target_is_at_rest(user->threads.data[i]);
}

void late_fork_all_stopped(struct probe *probe)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		probe->spaces.data[i]->has_changed_amid_run = false;
}

/* ---- the store ----------------------------------------------------------- */

/* Copy the parent's memory in this range to the child, as far as the two
 * differ. */
static struct error *copy_range(const struct space *parent,
				const struct space *child, uint64_t address,
				uint64_t size)
{
	uint8_t *wanted = xmalloc(2 * CHUNK), *found = wanted + CHUNK;
	struct error *error = NULL;

	for (uint64_t at = 0; !error && at < size; at += CHUNK) {
		size_t part = size - at < CHUNK ? size - at : CHUNK;

		error = target_read(parent->process, address + at, wanted,
				    part);
		if (!error)
			error = target_read(child->process, address + at, found,
					    part);
		if (!error && memcmp(wanted, found, part) != 0)
			error = target_write(child->process, address + at,
					     wanted, part);
	}
	free(wanted);
	return error;
}

static struct error *map_missing(struct space *child, uint64_t address,
				 uint64_t size)
{
	const struct mapping *there = space_mapping_at(child, address);
	struct thread *thread;

	if (there && there->executable)
		return NULL;
	/* the child was forked before the access to the memory was allowed */
	if (there && is_unfinished_mapping(there)) {
		struct mapped piece = {there->low, there->high};

		TRY(space_unmap(child, &piece, 1));
	}
	TRY(space_calling_thread(child, &thread));
	TRY(target_map_at(thread, address, size, STORE_NAME));
	space_forget_maps(child);
	return NULL;
}

/* Copy the store and its slots to the child. Slots are copied before the table
 * that names them. No thread of the child executes meanwhile. */
static struct error *copy_store(const struct space *parent, struct space *child)
{
	const struct store *store = &parent->store;
	uint64_t entries = store->entries.count * sizeof(struct store_entry);

	if (!store->address)
		return NULL;
	TRY(map_missing(child, store->address, STORE_SLOTS + AREA_SIZE));
	for (size_t i = 0; i < store->areas.count; i++) {
		const struct store_area *area = &store->areas.data[i];

		TRY(map_missing(child, area->low, area->high - area->low));
		TRY(copy_range(parent, child, area->low, area->used));
	}
	TRY(copy_range(parent, child, store->address + STORE_TABLE, entries));
	TRY(copy_range(parent, child, store->address + STORE_INDEX,
		       STORE_TABLE - STORE_INDEX));
	return copy_range(parent, child, store->address, STORE_SCRIPTS);
}

/* ---- int3s --------------------------------------------------------------- */

/* Do parent and child have the same part of the same file mapped at the
 * address? The parent may have mapped it after the fork. */
static bool is_same_memory(struct space *parent, struct space *child,
			   uint64_t address)
{
	const struct mapping *one = space_mapping_at(parent, address);
	const struct mapping *other = space_mapping_at(child, address);

	return one && other && one->device == other->device &&
	       one->inode == other->inode &&
	       one->offset - one->low == other->offset - other->low;
}

/* Copy the byte at a site from the parent to the child, but only if it is an
 * int3 in the parent or in the child: other differences are the program's
 * own. */
static struct error *copy_int3(struct space *parent, struct space *child,
			       const struct site *site)
{
	uint8_t wanted, found;

	if (site->is_jump || !is_same_memory(parent, child, site->address) ||
	    !target_read_callback(parent->process, site->address, &wanted, 1) ||
	    !target_read_callback(child->process, site->address, &found, 1) ||
	    wanted == found || (wanted != ARCH_INT3 && found != ARCH_INT3))
		return NULL;
	return target_write(child->process, site->address, &wanted, 1);
}

struct error *late_fork_catch_up(struct space *parent, struct space *child)
{
	const struct site *site;
	size_t cursor = 0;

	if (!parent->has_changed_amid_run || !parent->process)
		return NULL;
	space_forget_maps(parent);
	TRY(copy_store(parent, child));
	while ((site = map_next(&child->sites, &cursor, NULL)))
		TRY(copy_int3(parent, child, site));
	return NULL;
}
