/*
 * store.h - what the tool has in the target's memory: slots, in which threads
 * execute displaced instructions, and a table of sites; store.c, store_table.c
 */
#ifndef PROBE_STORE_H
#define PROBE_STORE_H

#include "perftool/arch.h"
#include "perftool/base/map.h"
#include "perftool/probe.h"
#include "perftool/target/memory_maps.h"

struct site;
struct space;

/* The size of one area of slots. A slot is never given to another instruction,
 * because a thread may be inside it for any length of time. */
#define AREA_SIZE (1024 * 1024)

/* The name of the rings' memory in /proc/PID/maps. */
#define RING_NAME "perftool-rings"
#define CALLS_NAME "perftool-calls"

/* An entry of the table in the target. Entries are never removed. */
struct stored {
	uint64_t site, slot; /* 0: a gap, which a tool that died has left */
};

/* Memory for landings, which are jumps that lead on to trampolines. */
struct landing_area {
	uint64_t low, high;
	/* The first address of the area that is free. 0: each landing in this
	 * area has a fixed address. */
	uint64_t next;
};

/* What the tool has in the target's memory: see store.c. */
struct store {
	uint64_t address;            /* 0 if there is no store */
	bool handles;                /* the store's handler handles SIGTRAP */
	VEC(struct stored) entries;  /* the index of an entry is its number */
	struct map by_site, by_slot; /* address -> number + 1 */
	/* as in the index in the target: place -> number of the entry + 1 */
	struct map index;
	VEC(struct store_area) areas;
	VEC(struct landing_area) landing_areas;
	/* All slots are between these two addresses. So it is cheap to see,
	 * when a signal arrives, that a pc is in no slot. */
	uint64_t low, high;
	/* Int3s that a tool which died has left, and that may belong to the
	 * program or another tool by now: site -> the original byte + 1. They
	 * stay in memory, and so does the handler of the store. */
	struct map left;
	/* Between store_begin() and store_end(): the entries of sites whose
	 * int3s are out of memory when the pages have been written. */
	bool is_collecting;
	VEC(struct store_entry) leaving;
};

/* What memory of the store is for: slots, or code that no thread stays in, such
 * as trampolines. The second kind is freed by store_free_fast_code(). */
enum store_use { STORE_SLOT, STORE_FAST_CODE };

/* store.c: what the tool has in the target's memory */
/* Find free memory of the size of `slots` slots, near enough that a
 * displacement of 32 bits reaches all of [low, high) from there. The function
 * maps memory if there is none. */
struct error *store_find_room(struct space *space, enum store_use use,
			      uint64_t low, uint64_t high, size_t slots,
			      uint64_t *address);
/* Reserve the memory that store_find_room() has found. */
struct error *store_take(struct space *space, uint64_t address, size_t slots);
/* From store_begin() to store_end(), what the tool writes is collected and
 * written together, in such an order that the tool may die at any point: see
 * target_keep(). No thread that uses the memory may execute anything meanwhile.
 */
void store_begin(struct space *space);
struct error *store_end(struct space *space);

/* Free all memory for STORE_FAST_CODE, so that it is given away again. No
 * thread is in it, and no frame of a signal leads there. */
struct error *store_free_fast_code(struct space *space);
/* Has memory for STORE_FAST_CODE been given away since it was freed? */
bool store_has_used_fast_code(const struct store *store);
/* Is the run-time address in memory for STORE_FAST_CODE, or in a landing? */
bool store_has_fast_code(const struct store *store, uint64_t address);
/* Is the run-time address in memory that the tool has mapped for its code? */
bool store_has_code(const struct store *store, uint64_t address);

/* store_table.c: what the store says about sites */
/* The slot that the site at this address had before; 0 if it had none. */
uint64_t store_slot_of(const struct space *space, uint64_t site);
/* The site that the slot belongs to; 0 if there is no such site. */
uint64_t store_site_of(const struct space *space, uint64_t slot);
/* Write the entry of a site that has a slot. The entry must be written before
 * the int3. */
struct error *store_enter(struct space *space, const struct site *site);
/* Note in the entry of the site that its int3 is out of memory. Before
 * store_end(), this is noted at last, if the site has no int3 then. */
struct error *store_leave(struct space *space, const struct site *site);
/* Note it in the entries of all sites that have left since store_begin(). Their
 * int3s are out of memory. */
struct error *store_leave_all(struct space *space);
/* Write the entry that has this number into the table in the target. */
struct error *store_write_entry(struct space *space, size_t number,
				const struct store_entry *entry);
/* Write into the store, for a later perftool that finds it, whether int3s may
 * be in memory, and whether the store's handler handles SIGTRAP. */
struct error *store_set_live(struct space *space, bool live);
struct error *store_set_handles(struct space *space, bool handles);
/* Read the entry of a site from the table in the memory of `process`; the site
 * was entered in this space. Returns false if the entry cannot be read. */
bool store_peek(const struct space *space, struct process *process,
		uint64_t site, struct store_entry *out);
/* Does the site have an int3 that a tool which died has left, and that stays in
 * memory? `*original` is the byte that was there before. */
static inline bool store_has_left(const struct store *store, uint64_t site,
				  uint8_t *original)
{
	uintptr_t byte = (uintptr_t)map_get(&store->left, site);

	*original = (uint8_t)(byte - 1);
	return byte != 0;
}
/* How many of the bytes before a site the entry of the site keeps: only those
 * that are in the same page as the site. */
static inline size_t store_before_size(uint64_t site)
{
	uint64_t into = site % ARCH_PAGE;

	return into < STORE_BEFORE ? into : STORE_BEFORE;
}
/* Does the mapping belong to a perftool, either as a store or as an area of
 * slots? */
bool is_own_mapping(const struct mapping *mapping);
/* Is it memory to which a tool has not yet allowed access, because it died? */
bool is_unfinished_mapping(const struct mapping *mapping);
/* Note in `store` what was found in the target's memory. These functions write
 * nothing there. */
void store_mirror_entry(struct store *store, size_t number,
			const struct store_entry *entry);
void store_mirror_index(struct store *store, uint32_t place, uint32_t word);
void store_mirror_area(struct store *store, const struct store_area *area);
void store_copy(const struct store *from, struct store *to);
void store_deinit(struct store *store);

#endif
