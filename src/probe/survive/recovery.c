/*
 * recovery.c - removing what a tool that died has left in the process
 *
 * The int3s of that tool are in the program's code, and its handler of SIGTRAP
 * lets threads go on there (cover.c). The next perftool finds the store (that
 * tool's memory in the process) by the name of its mapping, takes the int3s out
 * and continues with the store's table of sites. Threads may still be in slots,
 * where displaced instructions are executed, so a slot is used again only for
 * the same instruction.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/process_status.h"
#include "perftool/target/remote_calls.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "recovery.h"

/* ---- finding the store --------------------------------------------------- */

/* Find the store by the name of its mapping, its magic number and its own
 * address. A store of another version of perftool does not matter if that
 * version has removed its patches: `*others` is set if there is such a
 * store. */
static bool find_store(const struct space *space,
		       const struct mapping_list *maps,
		       struct store_header *header, bool *others)
{
	*others = false;
	for (size_t i = 0; i < maps->count; i++) {
		const struct mapping *mapping = &maps->data[i];

		if (is_own_mapping(mapping) &&
		    target_read_callback(space->process, mapping->low, header,
					 sizeof(*header)) &&
		    memcmp(header->magic, STORE_MAGIC, sizeof(header->magic)) ==
			    0 &&
		    header->self == mapping->low) {
			if (header->version == STORE_VERSION || header->live)
				return true;
			*others = true;
		}
	}
	return false;
}

static struct error *check_header(const struct store_header *header)
{
	if (header->version != STORE_VERSION ||
	    header->area_count > STORE_AREAS)
		return error_create(ERROR_OTHER,
				    "another version of perftool (store %u, "
				    "not %u) has left breakpoints there; "
				    "attach with that version to remove them",
				    header->version, STORE_VERSION);
	return NULL;
}

#define TABLE_SIZE (STORE_ENTRIES * sizeof(struct store_entry))
#define INDEX_SIZE (STORE_PLACES * sizeof(uint32_t))

static struct error *read_table(struct space *space,
				struct leftover_list *leftovers)
{
	CLEANUP(free_pointer) void *pages = xmalloc(TABLE_SIZE);
	const struct store_entry *table = pages;
	bool populated[TABLE_SIZE / ARCH_PAGE];

	TRY(target_read_populated(space->process,
				  space->store.address + STORE_TABLE, pages,
				  TABLE_SIZE, populated));
	for (size_t i = 0; i < STORE_ENTRIES; i++) {
		if (!populated[i * sizeof(*table) / ARCH_PAGE] ||
		    !table[i].site)
			continue;
		store_mirror_entry(&space->store, i, &table[i]);
		if (table[i].length)
			vec_push(leftovers, (struct leftover){i, table[i]});
	}
	return NULL;
}

static struct error *read_index(struct space *space)
{
	CLEANUP(free_pointer) void *pages = xmalloc(INDEX_SIZE);
	struct store *store = &space->store;
	const uint32_t *index = pages;
	bool populated[INDEX_SIZE / ARCH_PAGE];

	TRY(target_read_populated(space->process, store->address + STORE_INDEX,
				  pages, INDEX_SIZE, populated));
	for (uint32_t i = 0; i < STORE_PLACES; i++)
		if (populated[i * sizeof(*index) / ARCH_PAGE] && index[i])
			store_mirror_index(store, i, index[i]);
	return NULL;
}

static struct error *remove_int3s(struct space *space,
				  const struct mapping_list *maps,
				  struct restored *restored)
{
	struct leftover_list leftovers = {0};
	struct error *error = read_table(space, &leftovers);

	if (!error)
		error = read_index(space);
	if (!error)
		error = restore_sites(space, maps, &leftovers, restored);
	vec_free(&leftovers);
	return error;
}

static void note_some(struct probe *probe, const struct space *space,
		      const char *before, size_t count, const char *after)
{
	if (count)
		note(probe, "process %d: %s %zu breakpoint%s%s",
		     space->process->pid, before, count, count == 1 ? "" : "s",
		     after);
}

static void note_restored(struct probe *probe, const struct space *space,
			  const struct restored *restored)
{
	note_some(probe, space, "removed", restored->removed,
		  " that a perftool left when it died");
	note_some(probe, space, "did not touch", restored->foreign,
		  " of a perftool that died: the program has other memory "
		  "there now");
	note_some(probe, space, "left in", restored->changed,
		  " of a perftool that died, and the signal handler for them: "
		  "the program has changed its code around them");
}

/* Move all threads out of the slots, because the tool that knew what a pc in a
 * slot means is gone. */
static struct error *move_out(struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		TRY(space_move_out(space, user));
	return NULL;
}

static bool is_known(const struct space *space, const struct mapping *mapping)
{
	const struct store *store = &space->store;

	if (store->address == mapping->low)
		return true;
	for (size_t i = 0; i < store->areas.count; i++)
		if (store->areas.data[i].low == mapping->low)
			return true;
	return false;
}

/* Unmap memory that a tool has mapped and, because it died, not entered in the
 * store. No thread was ever in it. Unmap landings (memory for second jumps),
 * too: no thread is in one any more. */
static struct error *unmap_unknown(struct space *space,
				   const struct mapping_list *maps)
{
	CLEANUP(free_pointer)
	struct mapped *pieces = xcalloc(maps->count + 1, sizeof(*pieces));
	size_t count = 0;

	for (size_t i = 0; !space->pools_stay && i < maps->count; i++) {
		const struct mapping *mapping = &maps->data[i];

		if ((is_own_mapping(mapping) && !is_known(space, mapping)) ||
		    is_unfinished_mapping(mapping))
			pieces[count++] =
				(struct mapped){mapping->low, mapping->high};
	}
	return space_unmap(space, pieces, count);
}

/* Does a child process have int3s of the dead tool, because it was forked after
 * that tool had put them in? If the child borrows the memory instead, the int3s
 * are removed already, and the store that is read there says so. */
static bool has_leftovers(const struct space *space, pid_t pid)
{
	uint64_t store = space->store.address;
	const struct mapping *mapping;
	struct store_header header;
	struct mapping_list maps;
	struct error *error;
	bool has;

	error = target_read_maps(pid, &maps);
	if (error) {
		error_destroy(error);
		return false;
	}
	mapping = find_mapping(&maps, store);
	has = mapping && mapping->low == store && is_own_mapping(mapping) &&
	      (!target_peek(pid, store, &header, sizeof(header)) ||
	       header.live);
	mapping_list_deinit(&maps);
	return has;
}

#define MOST_NAMED 8

static void note_children(struct probe *probe, const struct space *space)
{
	struct str pids = {0};
	struct pid_list children;
	size_t count = 0;

	target_find_children(space->process->pid, &children);
	for (size_t i = 0; i < children.count; i++) {
		if (!has_leftovers(space, children.data[i]))
			continue;
		if (count++ < MOST_NAMED)
			str_printf(&pids, "%s%d", count > 1 ? ", " : "",
				   children.data[i]);
	}
	if (count > MOST_NAMED)
		str_printf(&pids, " and %zu more", count - MOST_NAMED);
	if (count)
		note(probe,
		     "process %d: some of its children have such breakpoints, "
		     "too; attach to them to remove the breakpoints: %s",
		     space->process->pid, pids.data);
	str_deinit(&pids);
	vec_free(&children);
}

static struct error *take_over(struct probe *probe, struct space *space,
			       const struct mapping_list *maps,
			       const struct store_header *header)
{
	struct store *store = &space->store;
	struct restored restored = {0};

	TRY(check_header(header));
	store->address = header->self;
	store->handles = header->handles;
	for (size_t i = 0; i < header->area_count; i++)
		store_mirror_area(store, &header->areas[i]);
	target_set_scripts(space->process, store->address + STORE_SCRIPTS,
			   STORE_SCRIPTS_SIZE);
	TRY(target_finish_scripts(
		space->process, store->address + STORE_SCRIPTS,
		store->address + STORE_SCRIPTS + STORE_SCRIPTS_SIZE));
	TRY(remove_int3s(space, maps, &restored));
	TRY(recover_rings(probe, space, maps));
	TRY(move_out(space));
	/* No thread is in a trampoline, and none returns into one. */
	if (!space->pools_stay)
		TRY(store_free_fast_code(space));
	if (header->live)
		note_restored(probe, space, &restored);
	TRY(store_set_live(space, false));
	if (header->live)
		note_children(probe, space);
	return NULL;
}

struct error *recover(struct probe *probe, struct space *space)
{
	struct store_header header;
	struct mapping_list maps;
	struct error *error = NULL;
	bool others;

	TRY(target_read_maps(space->process->pid, &maps));
	if (find_store(space, &maps, &header, &others))
		error = take_over(probe, space, &maps, &header);
	else
		/* The earlier tool may have died during its very first script
		 * (code for a remote call), which is in the vdso. */
		error = target_finish_scripts(space->process, 0, 0);
	if (!error && !others)
		error = unmap_unknown(space, &maps);
	mapping_list_deinit(&maps);
	return error;
}
