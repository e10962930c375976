/*
 * store_table.c - what the store in the target's memory says about sites: an
 * entry for each site, and an index of the entries
 *
 * Entries are taken in the order of their numbers, so that thousands of them
 * fill only a few pages. An entry is complete before the index names it. Of the
 * writes of a tool that died, only the order of the pages is known: there may
 * be gaps among its entries and in its index. The handler in the store looks an
 * entry up from the place of its hash onwards, and stops at the first gap. So
 * when a site is entered, the tool searches the index in the same way. If it
 * comes to a gap before it finds the entry, it writes the number of the entry
 * into the gap.
 */
#include <stddef.h>
#include <string.h>

#include "late_fork.h"
#include "perftool/target/memory_maps.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "site.h"
#include "store.h"

static const struct stored *find(const struct store *store,
				 const struct map *map, uint64_t address)
{
	size_t number = map_get_number(map, address);

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

/* ---- entries ------------------------------------------------------------- */

static uint64_t address_of(const struct space *space, size_t number)
{
	return space->store.address + STORE_TABLE +
	       number * sizeof(struct store_entry);
}

void store_mirror_entry(struct store *store, size_t number,
			const struct store_entry *entry)
{
	while (store->entries.count <= number)
		vec_push(&store->entries, (struct stored){0});
	store->entries.data[number] = (struct stored){entry->site, entry->slot};
	map_set_number(&store->by_site, entry->site, number + 1);
	if (entry->slot)
		map_set_number(&store->by_slot, entry->slot, number + 1);
}

/* Find the number of a site's entry, or the next free number. */
static struct error *find_number(const struct store *store, uint64_t site,
				 size_t *number)
{
	const struct stored *stored = find(store, &store->by_site, site);

	*number = stored ? (size_t)(stored - store->entries.data)
			 : store->entries.count;
	if (!stored && (store->entries.count >= STORE_ENTRIES ||
			store->index.count >= STORE_ENTRIES))
		return error_create(
			ERROR_OTHER,
			"perftool watches at most %u places in a process",
			STORE_ENTRIES);
	return NULL;
}

struct error *store_write_entry(struct space *space, size_t number,
				const struct store_entry *entry)
{
	TRY(target_write(space->process, address_of(space, number), entry,
			 sizeof(*entry)));
	store_mirror_entry(&space->store, number, entry);
	return NULL;
}

/* ---- the index ----------------------------------------------------------- */

void store_mirror_index(struct store *store, uint32_t place, uint32_t word)
{
	map_set_number(&store->index, place, word);
}

/* Write the number of the entry into the index, unless a search for its site
 * finds it there already. */
static struct error *index_entry(struct space *space, size_t number)
{
	struct store *store = &space->store;
	uint32_t place = store_hash(store->entries.data[number].site);
	const uint32_t wanted = (uint32_t)(number + 1);
	uint32_t word;

	while ((word = (uint32_t)map_get_number(&store->index, place))) {
		if (word == wanted)
			return NULL;
		place = (place + 1) % STORE_PLACES;
	}
	TRY(target_write(space->process,
			 store->address + STORE_INDEX + place * sizeof(wanted),
			 &wanted, sizeof(wanted)));
	store_mirror_index(store, place, wanted);
	return NULL;
}

/* ---- sites --------------------------------------------------------------- */

/* Note in an entry the file that is mapped at the site, and the bytes before
 * the site. The entry is written even if the file or the bytes cannot be
 * determined, because either of them identifies the code. */
static void describe_surroundings(struct space *space,
				  struct store_entry *entry)
{
	size_t before = store_before_size(entry->site), got;
	const struct mapping *mapping = space_mapping_at(space, entry->site);

	if (mapping && mapping->inode) {
		entry->device = mapping->device;
		entry->inode = mapping->inode;
		entry->offset = mapping->offset + entry->site - mapping->low;
	}
	error_destroy(read_original(space, entry->site - before,
				    entry->before + STORE_BEFORE - before,
				    before, &got));
}

static struct error *write_entry(struct space *space,
				 const struct store_entry *entry)
{
	size_t number;

	TRY(find_number(&space->store, entry->site, &number));
	TRY(store_write_entry(space, number, entry));
	return index_entry(space, number);
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

	late_fork_note_change(space);
	memcpy(entry.original, site->insn.bytes, site->insn.length);
	if (inserted && site->is_jump)
		memcpy(entry.original, site->displaced, site->patch.length);
	if (!inserted && space->store.is_collecting) {
		vec_push(&space->store.leaving, entry);
		return NULL;
	}
	if (inserted)
		describe_surroundings(space, &entry);
	return write_entry(space, &entry);
}

bool store_peek(const struct space *space, struct process *process,
		uint64_t site, struct store_entry *out)
{
	const struct store *store = &space->store;
	size_t number = map_get_number(&store->by_site, site);

	return number &&
	       target_read_callback(process, address_of(space, number - 1), out,
				    sizeof(*out));
}

struct error *store_enter(struct space *space, const struct site *site)
{
	return site->has_slot ? write_site(space, site, true) : NULL;
}

struct error *store_leave(struct space *space, const struct site *site)
{
	/* An int3 that a tool which died has left at this site is out of memory
	 * now. If pages are written together, an entry that says so would be
	 * written before the page of the site. */
	if (!space->store.is_collecting)
		TRY(target_write_kept(space->process->target));
	map_remove(&space->store.left, site->address);
	return site->has_slot ? write_site(space, site, false) : NULL;
}

struct error *store_leave_all(struct space *space)
{
	const struct store *store = &space->store;
	struct error *error = NULL;

	for (size_t i = 0; !error && i < store->leaving.count; i++) {
		const struct store_entry *entry = &store->leaving.data[i];
		const struct site *site = map_get(&space->sites, entry->site);

		if (!site || !site->inserted)
			error = write_entry(space, entry);
	}
	return error;
}
