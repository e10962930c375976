/*
 * count_recovery.c - reading what threads had counted by themselves when their
 * tool died
 *
 * The counts are in the blocks of the threads (counting.h of arch), and the
 * names of the legs are behind the blocks (struct ring_tail). Only what is
 * still in the blocks can be read: executions of threads that had ended, and
 * executions of a microsecond and more, were told to the tool that died.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/left_counts.h"
#include "perftool/ring.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "recovery.h"

#define NAMES_SIZE (COUNTING_MOST_LEGS * RING_NAME_SIZE)
#define SETS (COUNTING_BUCKETS - COUNTING_LEGS)

_Static_assert(offsetof(struct ring_tail, names) % ARCH_PAGE == 0 &&
		       COUNTING_LEGS % ARCH_PAGE == 0 &&
		       COUNTING_LEGS_SIZE % ARCH_PAGE == 0 &&
		       COUNTING_BUCKETS % ARCH_PAGE == 0 &&
		       COUNTING_SETS_SIZE % ARCH_PAGE == 0,
	       "these begin and end with pages");

/* The sum of what the threads have counted of one leg. */
struct sum {
	uint64_t begun, added_up;
	double total; /* ns */
	uint64_t buckets[COUNTING_BUCKETS_OF_LEG];
};

/* The parts of one block that are read. */
struct block {
	struct ring_header header;
	struct counting_leg legs[COUNTING_MOST_LEGS + 1];
	uint8_t sets[COUNTING_SETS_SIZE];
};

/* The pages that have no data stay as they are in `buffer`. */
static struct error *read_pages(struct space *space, uint64_t address,
				void *buffer, size_t size)
{
	CLEANUP(free_pointer)
	bool *populated = xcalloc(size / ARCH_PAGE + 1, sizeof(bool));

	return target_read_populated(space->process, address, buffer, size,
				     populated);
}

static struct error *read_block(struct space *space, uint64_t address,
				struct block *out)
{
	memset(out, 0, sizeof(*out));
	TRY(target_read(space->process, address, &out->header,
			sizeof(out->header)));
	if (out->header.self != address || !out->header.counting.fresh)
		return NULL;
	TRY(read_pages(space, address + COUNTING_LEGS, out->legs,
		       sizeof(out->legs)));
	return read_pages(space, address + COUNTING_BUCKETS, out->sets,
			  sizeof(out->sets));
}

static void add_buckets(const struct block *block,
			const struct counting_leg *leg, struct sum *sum)
{
	uint64_t offset = leg->buckets - (uint64_t)COUNTING_BUCKETS;
	uint32_t buckets[COUNTING_BUCKETS_OF_LEG];

	/* (The program may have written anything here.) */
	if (offset > COUNTING_SETS_SIZE - COUNTING_SET_SIZE)
		return;
	memcpy(buckets, block->sets + offset, sizeof(buckets));
	for (size_t i = 0; i < COUNTING_BUCKETS_OF_LEG; i++)
		sum->buckets[i] += buckets[i];
}

static void add_leg(const struct block *block, const struct counting_leg *leg,
		    struct sum *sum)
{
	double unit = (double)block->header.counting.scale / 4294967296.0;

	sum->begun += leg->entered;
	sum->added_up += leg->count;
	sum->total += (double)leg->sum * unit;
	add_buckets(block, leg, sum);
}

/* The duration that `part` of all durations do not exceed, ns. */
static int64_t quantile(const struct sum *sum, double part)
{
	double wanted = part * (double)sum->added_up;
	uint64_t below = 0;
	unsigned last = 0;

	for (unsigned i = 0; i < COUNTING_BUCKETS_OF_LEG; i++) {
		if (!sum->buckets[i])
			continue;
		last = i;
		below += sum->buckets[i];
		if ((double)below >= wanted)
			break;
	}
	return counting_bucket_low(last);
}

static void tell(const struct probe *probe, const struct space *space,
		 char *name, const struct sum *sum)
{
	const struct left_counts counts = {
		.name = name,
		.pid = space->process->pid,
		.begun = sum->begun,
		.added_up = sum->added_up,
		.total = (int64_t)sum->total,
		.p50 = quantile(sum, 0.5),
		.p99 = quantile(sum, 0.99),
		.max = quantile(sum, 1),
	};

	emit(probe, (struct probe_event){.kind = PROBE_EVENT_LEFT_COUNTS,
					 .left_counts = &counts});
}

/* Add up what the threads of a pool have counted of the legs that have names.
 */
static struct error *add_up(struct space *space, uint64_t pool,
			    const char (*names)[RING_NAME_SIZE],
			    struct sum *sums)
{
	CLEANUP(free_pointer) struct block *block = xmalloc(sizeof(*block));

	for (unsigned i = 0; i < RING_POOL_BLOCKS; i++) {
		TRY(read_block(space, pool + i * RING_BLOCK, block));
		for (size_t j = 0; j < COUNTING_MOST_LEGS; j++)
			if (names[j][0])
				add_leg(block, &block->legs[j], &sums[j]);
	}
	return NULL;
}

static struct error *recover_names(struct space *space,
				   const struct mapping_list *maps,
				   char (*names)[RING_NAME_SIZE])
{
	for (size_t i = 0; i < maps->count; i++)
		if (is_ring(&maps->data[i]))
			TRY(read_pages(
				space,
				maps->data[i].low + RING_TAIL +
					offsetof(struct ring_tail, names),
				names, NAMES_SIZE));
	return NULL;
}

/* The memory of the rings is shared with forked children. Note there that the
 * counts were read, so that they are told once. Returns true if they were read
 * before. */
static bool note_read(struct space *space, uint64_t pool)
{
	uint64_t address =
		pool + RING_TAIL + offsetof(struct ring_tail, is_read);
	uint32_t is_read = 1;

	if (!target_read_callback(space->process, address, &is_read,
				  sizeof(is_read)) ||
	    is_read)
		return true;
	is_read = 1;
	error_destroy(target_write(space->process, address, &is_read,
				   sizeof(is_read)));
	return false;
}

static size_t tell_all(const struct probe *probe, const struct space *space,
		       char (*names)[RING_NAME_SIZE], const struct sum *sums)
{
	size_t told = 0;

	for (size_t i = 0; i < COUNTING_MOST_LEGS; i++) {
		names[i][RING_NAME_SIZE - 1] = 0;
		if (!sums[i].begun)
			continue;
		tell(probe, space, names[i], &sums[i]);
		told++;
	}
	return told;
}

struct error *recover_counts(struct probe *probe, struct space *space,
			     const struct mapping_list *maps)
{
	CLEANUP(free_pointer)
	char(*names)[RING_NAME_SIZE] =
		xcalloc(COUNTING_MOST_LEGS, RING_NAME_SIZE);
	CLEANUP(free_pointer)
	struct sum *sums = xcalloc(COUNTING_MOST_LEGS, sizeof(*sums));
	size_t told;

	TRY(recover_names(space, maps, names));
	for (size_t i = 0; i < maps->count; i++)
		if (is_ring(&maps->data[i]) &&
		    !note_read(space, maps->data[i].low))
			TRY(add_up(space, maps->data[i].low,
				   (const char(*)[RING_NAME_SIZE])names, sums));
	told = tell_all(probe, space, names, sums);
	if (told)
		note(probe,
		     "process %d: a perftool that died has left the counts of "
		     "%zu leg%s; `print remains' shows them",
		     space->process->pid, told, told == 1 ? "" : "s");
	return NULL;
}
