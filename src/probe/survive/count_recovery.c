/*
 * count_recovery.c - reading what threads had counted by themselves when their
 * tool died
 *
 * The counts are in the blocks of the threads (counting.h of arch), and the
 * names of the legs are before the blocks (struct ring_pool_head). Only what is
 * still in the blocks can be read: executions of threads that had ended, and
 * executions of a microsecond and more, were told to the tool that died.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/left_counts.h"
#include "perftool/ring.h"
#include "perftool/target/memory_maps.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "recovery.h"

typedef char leg_name[RING_NAME_SIZE];

/* No thread makes so many hits. If a block says so, or that more executions
 * have ended than have begun, the program has written into it. */
#define MOST_HITS (UINT64_C(1) << 44)
/* the longest sum of durations that a report can show, ns */
#define MOST_TOTAL 9e18

/* The sum of what the threads have counted of one leg. */
struct sum {
	uint64_t begun, added_up;
	double total; /* ns */
	uint64_t buckets[COUNTING_BUCKETS_OF_LEG];
};

/* What is added up: the legs that have names. */
struct sums {
	leg_name *names;
	size_t count; /* the largest number of a leg that has a name, + 1 */
	struct sum *of_leg;
};

static struct error *add_buckets(struct space *space, uint64_t block,
				 const struct counting_leg *leg,
				 struct sum *sum)
{
	uint32_t buckets[COUNTING_BUCKETS_OF_LEG];

	/* (The program may have written anything here.) */
	if (leg->buckets < COUNTING_BUCKETS ||
	    leg->buckets > COUNTING_ORDER - COUNTING_SET_SIZE)
		return NULL;
	TRY(target_read(space->process, block + leg->buckets, buckets,
			sizeof(buckets)));
	for (size_t i = 0; i < COUNTING_BUCKETS_OF_LEG; i++)
		sum->buckets[i] += buckets[i];
	return NULL;
}

static struct error *add_leg(struct space *space, uint64_t block, double unit,
			     const struct counting_leg *leg, struct sum *sum)
{
	if (!leg->entered || leg->entered > MOST_HITS ||
	    leg->count > leg->entered)
		return NULL;
	sum->begun += leg->entered;
	sum->added_up += leg->count;
	sum->total += (double)leg->sum * unit;
	return add_buckets(space, block, leg, sum);
}

static bool is_of_space(const struct space *space, pid_t pid)
{
	const struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		if (user->pid == pid)
			return true;
	return false;
}

/* Add up what the thread of a block has counted, if it is a thread of this
 * memory: the blocks are shared with forked children. */
static struct error *add_block(struct space *space, uint64_t address,
			       struct sums *sums)
{
	CLEANUP(free_pointer)
	struct counting_leg *legs = xcalloc(sums->count + 1, sizeof(*legs));
	struct ring_header header;
	double unit;

	TRY(target_read(space->process, address, &header, sizeof(header)));
	if (header.self != address || !header.counting.fresh ||
	    !is_of_space(space, header.pid))
		return NULL;
	TRY(target_read(space->process, address + COUNTING_LEGS, legs,
			sums->count * sizeof(*legs)));
	unit = (double)(uint32_t)header.counting.scale / 4294967296.0;
	for (size_t i = 0; i < sums->count; i++)
		if (sums->names[i][0])
			TRY(add_leg(space, address, unit, &legs[i],
				    &sums->of_leg[i]));
	header.pid = 0;
	return target_write(space->process,
			    address + offsetof(struct ring_header, pid),
			    &header.pid, sizeof(header.pid));
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

static int64_t total_of(const struct sum *sum)
{
	double total = sum->total;

	if (!(total > -MOST_TOTAL))
		return (int64_t)-MOST_TOTAL;
	return (int64_t)(total < MOST_TOTAL ? total : MOST_TOTAL);
}

static void tell(const struct probe *probe, const struct space *space,
		 char *name, const struct sum *sum)
{
	const struct left_counts counts = {
		.name = name,
		.pid = space->process->pid,
		.begun = sum->begun,
		.added_up = sum->added_up,
		.total = total_of(sum),
		.p50 = quantile(sum, 0.5),
		.p99 = quantile(sum, 0.99),
		.max = quantile(sum, 1),
	};

	emit(probe, (struct probe_event){.kind = PROBE_EVENT_LEFT_COUNTS,
					 .left_counts = &counts});
}

/* The program may have written anything into a name: end it, and replace what
 * would control a terminal. */
static void clean(char *name)
{
	name[RING_NAME_SIZE - 1] = 0;
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			*name = '?';
}

/* Is the mapping a pool of rings? One that cannot be read is of a tool that
 * died before it had given the memory its size, so nothing was counted there.
 */
static bool is_pool(const struct space *space, const struct mapping *mapping)
{
	uint8_t byte;

	return is_ring(mapping) &&
	       target_read_callback(space->process, mapping->low, &byte,
				    sizeof(byte));
}

/* The first pool of the process has the names, at the beginning of its file. */
static struct error *read_names(struct space *space,
				const struct mapping_list *maps,
				struct sums *sums)
{
	const size_t size = COUNTING_MOST_LEGS * sizeof(leg_name);
	CLEANUP(free_pointer) leg_name *names = xmalloc(size);

	for (size_t i = 0; i < maps->count; i++) {
		if (!is_pool(space, &maps->data[i]) || maps->data[i].offset)
			continue;
		TRY(target_read(space->process,
				maps->data[i].low +
					offsetof(struct ring_pool_head, names),
				names, size));
		for (size_t j = 0; j < COUNTING_MOST_LEGS; j++) {
			if (!names[j][0])
				continue;
			clean(names[j]);
			memcpy(sums->names[j], names[j], sizeof(leg_name));
			if (sums->count <= j)
				sums->count = j + 1;
		}
	}
	return NULL;
}

static struct error *add_up(struct space *space,
			    const struct mapping_list *maps, struct sums *sums)
{
	TRY(read_names(space, maps, sums));
	/* each mapping ends with a block */
	for (size_t i = 0; sums->count && i < maps->count; i++)
		if (is_pool(space, &maps->data[i]))
			TRY(add_block(space, maps->data[i].high - RING_MAPPED,
				      sums));
	return NULL;
}

static size_t tell_all(const struct probe *probe, const struct space *space,
		       const struct sums *sums)
{
	size_t told = 0;

	for (size_t i = 0; i < sums->count; i++) {
		if (!sums->of_leg[i].begun)
			continue;
		tell(probe, space, sums->names[i], &sums->of_leg[i]);
		told++;
	}
	return told;
}

struct error *recover_counts(struct probe *probe, struct space *space,
			     const struct mapping_list *maps)
{
	CLEANUP(free_pointer)
	leg_name *names = xcalloc(COUNTING_MOST_LEGS, sizeof(*names));
	CLEANUP(free_pointer)
	struct sum *of_leg = xcalloc(COUNTING_MOST_LEGS, sizeof(*of_leg));
	struct sums sums = {.names = names, .of_leg = of_leg};
	struct error *error = add_up(space, maps, &sums);
	size_t told = tell_all(probe, space, &sums);

	if (told)
		note(probe,
		     "process %d: a perftool that died has left the counts of "
		     "%zu leg%s; `print remains' shows them",
		     space->process->pid, told, told == 1 ? "" : "s");
	return error;
}
