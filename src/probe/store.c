/*
 * store.c - what is ours in the target's memory: the store (arch.h) and the
 * areas of slots
 *
 * What is written there must make sense at every moment, because the tool may
 * die at any: the header's magic comes last, a slot is complete before the
 * table names it, and the table names a site before its int3 is in memory and
 * says that it is out only after that. Nothing is ever given back while the
 * process lives: frames and threads may be anywhere in a slot.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* A displacement of 32 bits reaches this far; less what an area is long and
 * what an instruction refers to beyond its module. */
#define REACH (2047UL * 1024 * 1024)

#define TABLE_SIZE (1U << STORE_TABLE_BITS)
/* Beyond this, looking for a free entry would take its time. */
#define MOST_ENTRIES (TABLE_SIZE / 4 * 3)

static void *boxed(size_t number)
{
	return (void *)(uintptr_t)number;
}

static const struct stored *find(const struct store *store,
				 const struct map *map, uint64_t address)
{
	size_t number = (uintptr_t)map_get(map, address);

	return number ? &store->entries.data[number - 1] : NULL;
}

uint64_t store_slot_of(const struct space *space, uint64_t site)
{
	const struct stored *stored =
		find(&space->store, &space->store.by_site, site);

	return stored ? stored->slot : 0;
}

uint64_t store_site_of(const struct space *space, uint64_t slot)
{
	const struct stored *stored =
		find(&space->store, &space->store.by_slot, slot);

	return stored ? stored->site : 0;
}

/* ---- mirroring what the target holds --------------------------------------
 */

void store_mirror_entry(struct store *store, uint32_t index,
			const struct store_entry *entry)
{
	struct stored stored = {entry->site, entry->slot, index};
	size_t number = (uintptr_t)map_get(&store->by_site, entry->site);

	if (number)
		store->entries.data[number - 1] = stored;
	else
		vec_push(&store->entries, stored);
	number = number ? number : store->entries.count;
	map_set(&store->by_site, stored.site, boxed(number));
	if (stored.slot)
		map_set(&store->by_slot, stored.slot, boxed(number));
	map_set(&store->taken, index, boxed(number));
}

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
	for (size_t i = 0; i < from->entries.count; i++)
		vec_push(&to->entries, from->entries.data[i]);
	map_copy(&from->by_site, &to->by_site);
	map_copy(&from->by_slot, &to->by_slot);
	map_copy(&from->taken, &to->taken);
	map_copy(&from->left, &to->left);
}

void store_deinit(struct store *store)
{
	vec_free(&store->areas);
	vec_free(&store->entries);
	map_deinit(&store->by_site);
	map_deinit(&store->by_slot);
	map_deinit(&store->taken);
	map_deinit(&store->left);
	mapping_list_deinit(&store->maps);
	*store = (struct store){0};
}

/* ---- many at once ----------------------------------------------------------
 */

static bool are_slots(const struct space *space, uint64_t page)
{
	const struct store *store = &space->store;

	for (size_t i = 0; i < store->areas.count; i++)
		if (page >= store->areas.data[i].low &&
		    page < store->areas.data[i].high)
			return true;
	return is_landing(&space->fast, page);
}

/* The order that the tool may die in: slots, what says that they are taken,
 * what names them, int3s and jumps. */
static unsigned rank_of(void *context, uint64_t page)
{
	const struct space *space = context;
	uint64_t into = page - space->store.address;

	if (are_slots(space, page))
		return 0;
	if (space->store.address && into < STORE_SLOTS)
		return into < STORE_TABLE ? 1 : 2;
	return 3;
}

void store_begin(struct space *space)
{
	target_keep(space->process, rank_of, space);
}

struct error *store_end(struct space *space)
{
	return target_keep_no_more(space->process);
}

/* ---- mapping memory --------------------------------------------------------
 */

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

static struct error *enter_area(struct space *space, uint64_t low)
{
	struct store_area area = {low, low + AREA_SIZE, 0};
	size_t index = space->store.areas.count;

	store_forget_maps(&space->store);
	TRY(target_write(space->process,
			 FIELD(space, areas) + index * sizeof(area), &area,
			 sizeof(area)));
	store_mirror_area(&space->store, &area);
	return write_u64(space, FIELD(space, area_count), index + 1);
}

/* The store is made where the first area is wanted. */
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
	return enter_area(space, address + STORE_SLOTS);
}

static struct error *map_area(struct space *space, uint64_t low, uint64_t high)
{
	struct thread *thread;
	uint64_t address;

	if (space->store.areas.count == STORE_AREAS)
		return error_create(ERROR_OTHER,
				    "no more than %d areas of slots",
				    STORE_AREAS);
	TRY(space_calling_thread(space, &thread));
	TRY(target_map_near(thread, low, high, REACH, AREA_SIZE, STORE_NAME,
			    &address));
	return enter_area(space, address);
}

/* ---- slots -----------------------------------------------------------------
 */

static bool reaches(const struct store_area *area, uint64_t low, uint64_t high)
{
	uint64_t from = low < area->low ? low : area->low;
	uint64_t to = high > area->high ? high : area->high;

	return to - from <= REACH;
}

struct error *store_find_room(struct space *space, uint64_t low, uint64_t high,
			      size_t slots, uint64_t *address)
{
	struct store *store = &space->store;
	const struct store_area *area;

	for (size_t i = 0; i < store->areas.count; i++) {
		area = &store->areas.data[i];
		if (area->used + slots * ARCH_SLOT_SIZE <= AREA_SIZE &&
		    reaches(area, low, high)) {
			*address = area->low + area->used;
			return NULL;
		}
	}
	TRY(store->address ? map_area(space, low, high)
			   : create(space, low, high));
	*address = store->areas.data[store->areas.count - 1].low;
	return NULL;
}

struct error *store_take(struct space *space, uint64_t address, size_t slots)
{
	struct store *store = &space->store;

	for (size_t i = 0; i < store->areas.count; i++) {
		struct store_area *area = &store->areas.data[i];

		if (address != area->low + area->used)
			continue;
		area->used += slots * ARCH_SLOT_SIZE;
		return write_u64(space,
				 FIELD(space, areas) + i * sizeof(*area) +
					 offsetof(struct store_area, used),
				 area->used);
	}
	return error_create(ERROR_OTHER, "no such room for slots");
}

/* ---- what a site is in ------------------------------------------------------
 */

void store_forget_maps(struct store *store)
{
	if (store->maps.count)
		mapping_list_deinit(&store->maps);
}

const struct mapping *find_mapping(const struct mapping_list *maps,
				   uint64_t address)
{
	for (size_t i = 0; i < maps->count; i++)
		if (address >= maps->data[i].low &&
		    address < maps->data[i].high)
			return &maps->data[i];
	return NULL;
}

const struct mapping *store_mapping_at(struct space *space, uint64_t address)
{
	struct mapping_list *maps = &space->store.maps;

	if (!maps->count)
		error_destroy(target_read_maps(space->process->pid, maps));
	return find_mapping(maps, address);
}

bool is_own_mapping(const struct mapping *mapping)
{
	return str_starts(mapping->path, "/memfd:" STORE_NAME " ") &&
	       mapping->executable;
}

/* Not knowing it is no reason not to go on: what is around the site is known,
 * too. */
static void describe_surroundings(struct space *space,
				  struct store_entry *entry)
{
	size_t before = store_before_size(entry->site), got;
	const struct mapping *mapping = store_mapping_at(space, entry->site);

	if (mapping && mapping->inode) {
		entry->device = mapping->device;
		entry->inode = mapping->inode;
		entry->offset = mapping->offset + entry->site - mapping->low;
	}
	error_destroy(read_original(space, entry->site - before,
				    entry->before + STORE_BEFORE - before,
				    before, &got));
}

/* ---- the table -------------------------------------------------------------
 */

static struct error *find_index(const struct store *store, uint64_t site,
				uint32_t *index)
{
	const struct stored *stored = find(store, &store->by_site, site);

	if (stored) {
		*index = stored->index;
		return NULL;
	}
	if (store->entries.count >= MOST_ENTRIES)
		return error_create(ERROR_OTHER,
				    "no more than %u places in a process",
				    MOST_ENTRIES);
	*index = store_hash(site);
	while (map_get(&store->taken, *index))
		*index = (*index + 1) % TABLE_SIZE;
	return NULL;
}

struct error *store_write_entry(struct space *space, uint32_t index,
				const struct store_entry *entry)
{
	TRY(target_write(space->process,
			 space->store.address + STORE_TABLE +
				 index * sizeof(*entry),
			 entry, sizeof(*entry)));
	store_mirror_entry(&space->store, index, entry);
	return NULL;
}

static struct error *write_site(struct space *space, const struct site *site,
				bool inserted)
{
	struct store_entry entry = {
		.site = site->address,
		.slot = site->slot.address,
		.length =
			(uint8_t)(inserted && site->is_jump ? site->patch.length
							    : inserted)};
	uint32_t index;

	memcpy(entry.original, site->insn.bytes, site->insn.length);
	if (inserted && site->is_jump)
		memcpy(entry.original, site->displaced, site->patch.length);
	if (inserted)
		describe_surroundings(space, &entry);
	TRY(find_index(&space->store, site->address, &index));
	return store_write_entry(space, index, &entry);
}

bool store_peek(const struct space *space, struct process *process,
		uint64_t site, struct store_entry *out)
{
	const struct stored *stored =
		find(&space->store, &space->store.by_site, site);

	return stored &&
	       target_read_callback(process,
				    space->store.address + STORE_TABLE +
					    stored->index * sizeof(*out),
				    out, sizeof(*out));
}

struct error *store_enter(struct space *space, const struct site *site)
{
	return site->has_slot ? write_site(space, site, true) : NULL;
}

struct error *store_leave(struct space *space, const struct site *site)
{
	/* whoever left something there: it is out */
	TRY(target_settle(space->process->target));
	map_remove(&space->store.left, site->address);
	return site->has_slot ? write_site(space, site, false) : NULL;
}
