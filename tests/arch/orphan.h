/*
 * orphan.h - a process as a tool that died leaves it: int3s in its text, and a
 * store that knows them
 *
 * Included by one test program; it holds its code. A child makes an orphan of
 * itself: orphan_init(), orphan_break() for each site, orphan_live(). Its text
 * is its own copy; the parent keeps its own. Not for the parent to call.
 */
#ifndef TESTS_ARCH_ORPHAN_H
#define TESTS_ARCH_ORPHAN_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perftool/arch.h"

#define ORPHAN_AREA 0x4000UL
#define ORPHAN_SIZE (STORE_SLOTS + ORPHAN_AREA)
/* Below the test's text, in reach of it: above, the kernel may put the heap. */
#define ORPHAN_DISTANCE 0x20000000UL

/* What the kernel takes: the C library's structure has no restorer to set. */
struct kernel_action {
	uint64_t handler, flags, restorer, mask;
};

#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000
#endif

struct orphan {
	uint64_t store;
	struct store_header *header;
	uint32_t *index;
	struct store_entry *table;
	uint32_t entries; /* taken */
	int memory; /* /proc/self/mem, which writes where text is read-only */
};

static void orphan_must(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "# orphan: %s\n", what);
	_exit(99);
}

/* Where its store is. */
static inline uint64_t orphan_store(const void *text)
{
	return ((uint64_t)text & ~0xfffffUL) - ORPHAN_DISTANCE;
}

static void orphan_init(struct orphan *orphan, const void *text)
{
	uint64_t wanted = orphan_store(text);
	struct survivor survivor;
	void *memory;

	memory = mmap((void *)wanted, ORPHAN_SIZE, /* NOLINT: chosen */
		      PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	orphan_must(memory == (void *)wanted, "mmap"); /* NOLINT */
	arch_survivor(&survivor);
	orphan_must(survivor.size <= STORE_SCRIPTS - STORE_CODE, "code size");
	memcpy((uint8_t *)memory + STORE_CODE, survivor.code, survivor.size);
	*orphan = (struct orphan){
		.store = wanted,
		.header = memory,
		.index = (void *)(wanted + STORE_INDEX), /* NOLINT */
		.table = (void *)(wanted + STORE_TABLE), /* NOLINT */
		.memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC),
	};
	orphan_must(orphan->memory >= 0, "/proc/self/mem");
	*orphan->header = (struct store_header){
		.magic = STORE_MAGIC,
		.self = wanted,
		.version = STORE_VERSION,
		.live = 1,
		.handles = 1,
		.area_count = 1,
		.areas[0] = {.low = wanted + STORE_SLOTS,
			     .high = wanted + ORPHAN_SIZE},
	};
}

/* By its own text, whatever the memory's protection. */
static void orphan_write(struct orphan *orphan, uint64_t address,
			 const void *bytes, size_t size)
{
	orphan_must(pwrite(orphan->memory, bytes, size, (off_t)address) ==
			    (ssize_t)size,
		    "write");
}

/* The place of the index that a site would have. */
static uint32_t *orphan_free_place(struct orphan *orphan, uint64_t site)
{
	uint32_t place = store_hash(site);

	orphan_must(place < STORE_PLACES, "hash");
	for (uint32_t i = 0; i < STORE_PLACES; i++) {
		if (!orphan->index[place])
			return &orphan->index[place];
		place = (place + 1) % STORE_PLACES;
	}
	orphan_must(false, "full index");
	return NULL;
}

/* The next entry, which is in that place of the index from now on. */
static struct store_entry *orphan_enter(struct orphan *orphan, uint32_t *place)
{
	orphan_must(orphan->entries < STORE_ENTRIES, "full table");
	*place = ++orphan->entries;
	return &orphan->table[*place - 1];
}

/* A site, in a place of the index of the caller's choice; no slot if told. */
static void orphan_break_at(struct orphan *orphan, uint32_t *place,
			    const uint8_t *text, bool slot)
{
	struct store_entry *entry = orphan_enter(orphan, place);
	struct store_area *area = &orphan->header->areas[0];
	uint64_t site = (uint64_t)text;
	struct arch_slot relocated;
	struct error *error;
	struct insn insn;

	error = arch_decode(text, ARCH_MAX_INSN, site, &insn);
	orphan_must(!error, "decode");
	*entry = (struct store_entry){.length = 1, .original = {*text}};
	if (slot) {
		entry->slot = area->low + area->used;
		area->used += ARCH_SLOT_SIZE;
		orphan_must(area->used <= area->high - area->low, "slots");
		error = arch_relocate(&insn, entry->slot, &relocated);
		orphan_must(!error, "relocate");
		orphan_write(orphan, entry->slot, relocated.code,
			     relocated.length);
	}
	entry->site = site;
	orphan_write(orphan, site, "\xcc", 1);
}

static void orphan_break(struct orphan *orphan, const uint8_t *text)
{
	orphan_break_at(orphan, orphan_free_place(orphan, (uint64_t)text), text,
			true);
}

/* All instructions of a function; returns how many. */
static inline size_t orphan_break_all(struct orphan *orphan,
				      const uint8_t *text, const uint8_t *end)
{
	size_t count = 0;

	while (text < end) {
		struct insn insn;

		orphan_must(!arch_decode(text, (size_t)(end - text),
					 (uint64_t)text, &insn),
			    "decode");
		orphan_break(orphan, text);
		text += insn.length;
		count++;
	}
	return count;
}

/* An entry for a site that nobody ever comes by: not a canonical address. */
static inline void orphan_fill(struct orphan *orphan, uint32_t *place,
			       uint64_t site)
{
	*orphan_enter(orphan, place) = (struct store_entry){
		.site = 0x8000000000000000 + site,
		.slot = 0xdead000000000000,
		.length = 1,
	};
}

static void orphan_live(struct orphan *orphan)
{
	struct survivor survivor;
	struct kernel_action action;

	arch_survivor(&survivor);
	action = (struct kernel_action){
		.handler = orphan->store + STORE_CODE + survivor.handler,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTORER,
		.restorer = orphan->store + STORE_CODE + survivor.restorer,
	};
	orphan_must(
		!mprotect(orphan->header, ORPHAN_SIZE, PROT_READ | PROT_EXEC),
		"mprotect");
	orphan_must(!syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, 8),
		    "rt_sigaction");
}

#endif
