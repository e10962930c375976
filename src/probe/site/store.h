/*
 * store.h - what is ours in the target's memory: store.c, store_table.c
 */
#ifndef PROBE_STORE_H
#define PROBE_STORE_H

#include "perftool/arch.h"
#include "perftool/base/map.h"
#include "perftool/probe.h"

struct site;
struct space;

/* Memory for slots. A slot is never given to another instruction: a thread may
 * be inside one for as long as it likes. */
#define AREA_SIZE (1024 * 1024)

/* As /proc/PID/maps names the memory of rings. */
#define RING_NAME "perftool-rings"

/* An entry of the table in the target: never taken out. */
struct stored {
	uint64_t site, slot; /* 0: a gap that a tool which died has left */
};

/* Memory for jumps that lead on to trampolines: landings. */
struct landing_area {
	uint64_t low, high;
	uint64_t next; /* free from here on; 0: each is where it has to be */
};

/* What is ours in the target's memory: see store.c. */
struct store {
	uint64_t address;            /* 0: there is none */
	bool handles;                /* its handler is that of SIGTRAP */
	VEC(struct stored) entries;  /* by their numbers */
	struct map by_site, by_slot; /* address -> number + 1 */
	struct map index;            /* place -> the same, as in the target */
	VEC(struct store_area) areas;
	VEC(struct landing_area) landing_areas;
	/* all slots lie here: a quick "no" for signals */
	uint64_t low, high;
	/* of a tool that died, not known to be ours any more: site -> the byte
	 * that was there, + 1. They stay in, and so does the handler. */
	struct map left;
};

/* store.c: what is ours in the target's memory */
/* Find room for `slots` slots within reach of all of [low, high), mapping
 * memory if there is none. */
struct error *store_find_room(struct space *space, uint64_t low, uint64_t high,
			      size_t slots, uint64_t *address);
/* Take what store_find_room() found. */
struct error *store_take(struct space *space, uint64_t address, size_t slots);
/* From here on what is ours comes into memory together, in such an order that
 * the tool may die in between: see target_keep(). No thread that uses it
 * executes anything meanwhile. */
void store_begin(struct space *space);
struct error *store_end(struct space *space);

/* store_table.c: what it says of sites */
/* The slot this site had before; 0: none. */
uint64_t store_slot_of(const struct space *space, uint64_t site);
/* The site whose slot is there; 0: none. */
uint64_t store_site_of(const struct space *space, uint64_t slot);
/* Enter a site that has a slot, before its int3 is in memory. */
struct error *store_enter(struct space *space, const struct site *site);
/* Its int3 has been taken out. */
struct error *store_leave(struct space *space, const struct site *site);
/* What an entry is to say from now on. */
struct error *store_write_entry(struct space *space, size_t number,
				const struct store_entry *entry);
/* May int3s be in, and is SIGTRAP handled by our doing? Said to whoever finds
 * the store. */
struct error *store_set_live(struct space *space, bool live);
struct error *store_set_handles(struct space *space, bool handles);
/* What the table of a process says of a site, which this space has entered;
 * false: it cannot be read. */
bool store_peek(const struct space *space, struct process *process,
		uint64_t site, struct store_entry *out);
/* The site has an int3 that a tool which died has left, and that stays. */
static inline bool store_has_left(const struct store *store, uint64_t site,
				  uint8_t *original)
{
	uintptr_t byte = (uintptr_t)map_get(&store->left, site);

	*original = (uint8_t)(byte - 1);
	return byte != 0;
}
/* How many bytes of its page precede a site, of those that are kept. */
static inline size_t store_before_size(uint64_t site)
{
	uint64_t into = site % ARCH_PAGE;

	return into < STORE_BEFORE ? into : STORE_BEFORE;
}
/* Is it of a store, or of slots? */
bool is_own_mapping(const struct mapping *mapping);
/* Note what the target's memory was found to hold. */
void store_mirror_entry(struct store *store, size_t number,
			const struct store_entry *entry);
void store_mirror_index(struct store *store, uint32_t place, uint32_t word);
void store_mirror_area(struct store *store, const struct store_area *area);
void store_copy(const struct store *from, struct store *to);
void store_deinit(struct store *store);

#endif
