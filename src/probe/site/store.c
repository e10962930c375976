/*
 * store.c - what the tool has in the target's memory: the store (arch.h) and
 * the areas of slots, in which displaced instructions are executed
 *
 * What the tool writes there must make sense at every moment, because the tool
 * may die at any moment. The magic number of the header is written last. A slot
 * is complete before the table (store_table.c) names it. The table names a site
 * before the site's int3 is in memory, and says that the int3 is out only after
 * it was taken out. No slot is given back while the process lives, because
 * signal frames and threads may refer to any part of a slot. Trampolines and
 * other code of the tool have areas of their own: reclamation.c.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "late_fork.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "store.h"

/* How far from a slot its instruction may refer. A displacement of 32 bits
 * reaches 2 GiB. The limit here is lower by the length of an area and by how
 * far an instruction may refer beyond its module. */
#define REACH (2047UL * 1024 * 1024)

/* ---- mirroring what the target holds ------------------------------------- */

void store_mirror_area(struct store *store, const struct store_area *area)
{
	vec_push(&store->areas, *area);
	if (!store->low || area->low < store->low)
		store->low = area->low;
	if (area->high > store->high)
		store->high = area->high;
}

void store_copy(const struct store *from, struct store *to)
{
	*to = (struct store){.address = from->address,
			     .handles = from->handles,
			     .low = from->low,
			     .high = from->high};
	for (size_t i = 0; i < from->areas.count; i++)
		vec_push(&to->areas, from->areas.data[i]);
	for (size_t i = 0; i < from->landing_areas.count; i++)
		vec_push(&to->landing_areas, from->landing_areas.data[i]);
	for (size_t i = 0; i < from->entries.count; i++)
		vec_push(&to->entries, from->entries.data[i]);
	map_copy(&from->by_site, &to->by_site);
	map_copy(&from->by_slot, &to->by_slot);
	map_copy(&from->index, &to->index);
	map_copy(&from->left, &to->left);
}

bool store_has_fast_code(const struct store *store, uint64_t address)
{
	for (size_t i = 0; i < store->areas.count; i++) {
		if (store->areas.data[i].is_of_fast_code &&
		    address >= store->areas.data[i].low &&
		    address < store->areas.data[i].high)
			return true;
	}
	for (size_t i = 0; i < store->landing_areas.count; i++) {
		if (address >= store->landing_areas.data[i].low &&
		    address < store->landing_areas.data[i].high)
			return true;
	}
	return false;
}

bool store_has_code(const struct store *store, uint64_t address)
{
	/* The first area follows the table. */
	if (address - store->address < STORE_SLOTS + AREA_SIZE)
		return store->address != 0;
	for (size_t i = 0; i < store->areas.count; i++) {
		if (address >= store->areas.data[i].low &&
		    address < store->areas.data[i].high)
			return true;
	}
	return store_has_fast_code(store, address);
}

void store_deinit(struct store *store)
{
	vec_free(&store->areas);
	vec_free(&store->landing_areas);
	vec_free(&store->entries);
	vec_free(&store->leaving);
	map_deinit(&store->by_site);
	map_deinit(&store->by_slot);
	map_deinit(&store->index);
	map_deinit(&store->left);
	*store = (struct store){0};
}

/* ---- writing much at once ------------------------------------------------ */

static bool are_slots(const struct space *space, uint64_t page)
{
	const struct store *store = &space->store;

	for (size_t i = 0; i < store->areas.count; i++)
		if (page >= store->areas.data[i].low &&
		    page < store->areas.data[i].high)
			return true;
	for (size_t i = 0; i < store->landing_areas.count; i++)
		if (page >= store->landing_areas.data[i].low &&
		    page < store->landing_areas.data[i].high)
			return true;
	return false;
}

/* The order in which target_keep() writes the pages, so that the tool may die
 * in between: first slots; then the header, which says that the slots are
 * taken; then the entries of their sites; then the index, which names the
 * entries; int3s and jumps last. */
static unsigned rank_of(void *context, uint64_t page)
{
	const struct space *space = context;
	uint64_t into = page - space->store.address;

	if (are_slots(space, page))
		return 0;
	if (!space->store.address || into >= STORE_SLOTS)
		return 4;
	return into >= STORE_TABLE ? 2 : into >= STORE_INDEX ? 3 : 1;
}

void store_begin(struct space *space)
{
	target_keep(space->process, rank_of, space);
	space->store.is_collecting = true;
}

struct error *store_end(struct space *space)
{
	struct target *target = space->process->target;
	struct error *error = NULL;

	space->store.is_collecting = false;
	/* What says that int3s are out is written after they are. */
	if (space->store.leaving.count)
		error = target_write_kept(target);
	if (!error)
		error = store_leave_all(space);
	vec_clear(&space->store.leaving);
	return error_first(error, target_keep_no_more(space->process));
}

/* ---- mapping memory ------------------------------------------------------ */

#define FIELD(space, name)                                                     \
	((space)->store.address + offsetof(struct store_header, name))

static struct error *write_u64(struct space *space, uint64_t address,
			       uint64_t value)
{
	return target_write(space->process, address, &value, sizeof(value));
}

struct error *store_set_live(struct space *space, bool live)
{
	const uint32_t word = live;

	return target_write(space->process, FIELD(space, live), &word,
			    sizeof(word));
}

struct error *store_set_handles(struct space *space, bool handles)
{
	space->store.handles = handles;
	return write_u64(space, FIELD(space, handles), handles);
}

static struct error *enter_area(struct space *space, uint64_t low,
				enum store_use use)
{
	struct store_area area = {.low = low,
				  .high = low + AREA_SIZE,
				  .is_of_fast_code = use == STORE_FAST_CODE};
	size_t index = space->store.areas.count;

	space_forget_maps(space);
	TRY(target_write(space->process,
			 FIELD(space, areas) + index * sizeof(area), &area,
			 sizeof(area)));
	store_mirror_area(&space->store, &area);
	return write_u64(space, FIELD(space, area_count), index + 1);
}

/* Make the store, which contains the first area of slots. */
static struct error *create(struct space *space, uint64_t low, uint64_t high)
{
	struct store_header header = {.version = STORE_VERSION};
	struct survivor survivor;
	struct thread *thread;
	uint64_t address;

	TRY(space_calling_thread(space, &thread));
	TRY(target_map_near(thread, low, high, REACH, STORE_SLOTS + AREA_SIZE,
			    STORE_NAME, &address));
	arch_survivor(&survivor);
	header.self = address;
	TRY(target_write(space->process, address + STORE_CODE, survivor.code,
			 survivor.size));
	TRY(target_write(space->process, address + sizeof(header.magic),
			 (char *)&header + sizeof(header.magic),
			 sizeof(header) - sizeof(header.magic)));
	TRY(target_write(space->process, address, STORE_MAGIC,
			 sizeof(header.magic)));
	space->store.address = address;
	target_set_scripts(space->process, address + STORE_SCRIPTS,
			   STORE_SCRIPTS_SIZE);
	return enter_area(space, address + STORE_SLOTS, STORE_SLOT);
}

static struct error *map_area(struct space *space, enum store_use use,
			      uint64_t low, uint64_t high)
{
	struct thread *thread;
	uint64_t address;

	if (space->store.areas.count == STORE_AREAS)
		return error_create(
			ERROR_OTHER,
			"perftool makes at most %d areas of slots in a process",
			STORE_AREAS);
	TRY(space_calling_thread(space, &thread));
	TRY(target_map_near(thread, low, high, REACH, AREA_SIZE, STORE_NAME,
			    &address));
	return enter_area(space, address, use);
}

/* ---- slots --------------------------------------------------------------- */

static bool has_room(const struct store_area *area, size_t slots)
{
	return area->used + slots * ARCH_SLOT_SIZE <= AREA_SIZE;
}

static bool is_for(const struct store_area *area, enum store_use use)
{
	return (area->is_of_fast_code != 0) == (use == STORE_FAST_CODE);
}

static bool reaches(const struct store_area *area, uint64_t low, uint64_t high)
{
	uint64_t from = low < area->low ? low : area->low;
	uint64_t to = high > area->high ? high : area->high;

	return to - from <= REACH;
}

struct error *store_find_room(struct space *space, enum store_use use,
			      uint64_t low, uint64_t high, size_t slots,
			      uint64_t *address)
{
	struct store *store = &space->store;
	bool is_new = !store->address;

	for (size_t i = 0; i < store->areas.count; i++) {
		const struct store_area *area = &store->areas.data[i];

		if (is_for(area, use) && has_room(area, slots) &&
		    reaches(area, low, high)) {
			*address = area->low + area->used;
			return NULL;
		}
	}
	if (is_new)
		TRY(create(space, low, high));
	if (!is_new || use != STORE_SLOT)
		TRY(map_area(space, use, low, high));
	*address = store->areas.data[store->areas.count - 1].low;
	return NULL;
}

struct error *store_take(struct space *space, uint64_t address, size_t slots)
{
	struct store *store = &space->store;

	for (size_t i = 0; i < store->areas.count; i++) {
		struct store_area *area = &store->areas.data[i];

		/* The end of a full area may be the beginning of the next
		 * one. */
		if (address != area->low + area->used || !has_room(area, slots))
			continue;
		late_fork_note_change(space);
		area->used += slots * ARCH_SLOT_SIZE;
		return write_u64(space,
				 FIELD(space, areas) + i * sizeof(*area) +
					 offsetof(struct store_area, used),
				 area->used);
	}
	return error_create(
		ERROR_OTHER,
		"internal error: no area of slots has room at this address");
}

struct error *store_free_fast_code(struct space *space)
{
	struct store *store = &space->store;

	for (size_t i = 0; i < store->areas.count; i++) {
		struct store_area *area = &store->areas.data[i];

		if (!area->is_of_fast_code || !area->used)
			continue;
		late_fork_note_change(space);
		area->used = 0;
		TRY(write_u64(space,
			      FIELD(space, areas) + i * sizeof(*area) +
				      offsetof(struct store_area, used),
			      0));
	}
	return NULL;
}

bool store_has_used_fast_code(const struct store *store)
{
	for (size_t i = 0; i < store->areas.count; i++)
		if (store->areas.data[i].is_of_fast_code &&
		    store->areas.data[i].used)
			return true;
	return false;
}

static bool has_name(const struct mapping *mapping)
{
	return str_starts(mapping->path, "/memfd:" STORE_NAME " ");
}

bool is_own_mapping(const struct mapping *mapping)
{
	return has_name(mapping) && mapping->executable;
}

bool is_unfinished_mapping(const struct mapping *mapping)
{
	return has_name(mapping) && !mapping->readable && !mapping->executable;
}
