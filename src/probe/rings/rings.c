/*
 * rings.c - memory for rings, in which threads record the hits of fast nodes: a
 * block for each thread
 *
 * A pool of blocks is mapped both in the process and in the tool. A forked
 * child has the pool at the same address as its parent, so that both take their
 * blocks from the same pools. A block never belongs to two threads. Pages of a
 * block take memory only when they are written to. But their addresses count
 * for a limit of the program (RLIMIT_AS). So each pool has as many blocks as
 * all earlier ones together, and the first one has one; and call blocks, which
 * are large, are mapped only when calls are counted. Every ring but the first
 * one is small at first, and becomes larger when its thread fills it, as long
 * as all rings together do not take too much memory.
 */
#include "rings.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "context_switches.h"
#include "perftool/base/alloc.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* The initial size of every ring but the first one, and the limit for the
 * growth of all rings together, in bytes. The rings of 150 busy threads take 14
 * MiB at most. */
#define FIRST_BYTES (64UL * 1024)
#define MOST_GROWTH (4UL * 1024 * 1024)
#define GS_BASE offsetof(struct user_regs_struct, gs_base)

struct ring_pool {
	struct shared_memory memory;
	/* the call blocks, which are mapped when calls are counted */
	struct shared_memory calls;
	struct target *target;
	unsigned life;   /* the number of `life` in the head; 0: it has none */
	size_t users;    /* the number of spaces that have the pool */
	unsigned blocks; /* how many it has */
	uint32_t taken;  /* one bit for each block */
};

_Static_assert(RING_LIFE_MASK == TARGET_LIFE_MASK, "the same word");

/* ---- pools --------------------------------------------------------------- */

static void pool_destroy(struct ring_pool *pool)
{
	target_hide_life(pool->target, pool->life);
	shared_memory_deinit(&pool->memory);
	shared_memory_deinit(&pool->calls);
	free(pool);
}

static void pool_unref(struct ring_pool *pool)
{
	pool->users--;
	if (!pool->users && !pool->taken)
		pool_destroy(pool);
}

/* The first pool of a process that is to outlive the tool shows whether the
 * tool lives. If that is not possible, the threads record all their hits. */
static void show_life(const struct space *space, struct ring_pool *pool)
{
	if (space->process->survives && !space->pools.count)
		error_destroy(target_show_life(
			pool->target, &pool->memory,
			offsetof(struct ring_pool_head, life), &pool->life));
}

/* How many blocks the next pool of the space is to have. */
static unsigned next_blocks(const struct space *space)
{
	unsigned blocks = 0;

	for (size_t i = 0; i < space->pools.count; i++)
		blocks += space->pools.data[i]->blocks;
	if (blocks < 1)
		return 1;
	return blocks < RING_POOL_BLOCKS ? blocks : RING_POOL_BLOCKS;
}

/* The address of a block of the pool in the process. */
static uint64_t block_address(const struct ring_pool *pool, unsigned index)
{
	return pool->memory.address + sizeof(struct ring_pool_head) +
	       (uint64_t)index * RING_BLOCK;
}

static struct error *map_calls(struct thread *thread, struct ring_pool *pool)
{
	const struct shared_layout layout = {.size = COUNTING_CALLS_SIZE,
					     .stride = RING_BLOCK,
					     .count = pool->blocks};

	return target_map_shared(thread, CALLS_NAME, &layout,
				 block_address(pool, 0) + COUNTING_CALLS,
				 &pool->calls);
}

/* The address of a range of `size` bytes right below the pool that was mapped
 * last, or 0. */
static uint64_t below_last_pool(const struct space *space, uint64_t size)
{
	const struct ring_pool *last =
		space->pools.count ? space->pools.data[space->pools.count - 1]
				   : NULL;
	const uint64_t room = (size + 2 * ARCH_PAGE - 1) & ~(ARCH_PAGE - 1UL);

	return last && last->memory.address > room ? last->memory.address - room
						   : 0;
}

/* A process with thousands of threads has as many mappings, and reading them
 * all for each pool takes seconds. So the tool tries the addresses below the
 * last pool first: the kernel refuses them (EEXIST) if something is there. */
static struct error *map_memory(struct thread *thread,
				const struct space *space,
				const struct shared_layout *layout,
				struct shared_memory *out)
{
	const uint64_t below = below_last_pool(
		space, layout->first + layout->count * layout->stride);
	struct error *error =
		target_map_shared(thread, RING_NAME, layout, below, out);

	if (!error || !below || error_errno(error) != EEXIST)
		return error;
	error_destroy(error);
	return target_map_shared(thread, RING_NAME, layout, 0, out);
}

static struct error *map_blocks(struct thread *thread,
				const struct space *space,
				struct ring_pool *pool, bool with_calls)
{
	const struct shared_layout layout = {
		.first = sizeof(struct ring_pool_head),
		.size = RING_MAPPED,
		.stride = RING_BLOCK,
		.count = pool->blocks};
	struct error *error;

	TRY(map_memory(thread, space, &layout, &pool->memory));
	error = with_calls ? map_calls(thread, pool) : NULL;
	if (error)
		target_unmap_shared(thread, &pool->memory);
	return error;
}

/* Map a pool of `pool->blocks` blocks, or of fewer if the program may not have,
 * or lock, so much memory. */
static struct error *map_pool(struct thread *thread, const struct space *space,
			      struct ring_pool *pool, bool with_calls)
{
	for (;;) {
		struct error *error =
			map_blocks(thread, space, pool, with_calls);

		if (!error || pool->blocks == 1 ||
		    (error_errno(error) != ENOMEM &&
		     error_errno(error) != EAGAIN))
			return error;
		error_destroy(error);
		pool->blocks /= 2;
	}
}

static struct error *pool_create(struct target *target, struct space *space,
				 struct ring_pool **out)
{
	struct ring_pool *pool = xcalloc(1, sizeof(*pool));
	struct thread *thread;
	struct error *error;

	pool->target = target;
	pool->blocks = next_blocks(space);
	error = space_calling_thread(space, &thread);
	space_forget_maps(space);
	if (!error)
		error = map_pool(thread, space, pool, space->fast.counts_calls);
	if (error) {
		pool_destroy(pool);
		return error;
	}
	pool->users = 1;
	show_life(space, pool);
	vec_push(&space->pools, pool);
	*out = pool;
	return NULL;
}

struct error *rings_map_calls(struct space *space)
{
	struct thread *thread;

	for (size_t i = 0; i < space->pools.count; i++) {
		struct ring_pool *pool = space->pools.data[i];

		if (pool->calls.memory && !space->lacks_calls)
			continue;
		/* A child that was forked before has the pool without call
		 * blocks, and gets none. */
		if (pool->users > 1 || space->lacks_calls)
			return error_create(
				ERROR_OTHER,
				"processes share the memory for records");
		TRY(space_calling_thread(space, &thread));
		space_forget_maps(space);
		TRY(map_calls(thread, pool));
	}
	return NULL;
}

struct call_block *ring_calls(const struct ring *ring)
{
	return (struct call_block *)(ring->pool->calls.memory +
				     (size_t)ring->index * COUNTING_CALLS_SIZE);
}

static struct ring_pool_head *head_of(const struct ring_pool *pool)
{
	return (struct ring_pool_head *)pool->memory.memory;
}

uint64_t rings_life(const struct space *space)
{
	const struct ring_pool *pool =
		space->pools.count ? space->pools.data[0] : NULL;

	return pool && pool->life
		       ? pool->memory.address +
				 offsetof(struct ring_pool_head, life)
		       : 0;
}

void rings_name_leg(const struct probe *probe, const struct space *space,
		    uint32_t leg, const char *name)
{
	char *kept = head_of(space->pools.data[0])->names[leg];
	char before[RING_NAME_SIZE];

	snprintf(before, sizeof(before), "%s", kept);
	snprintf(kept, RING_NAME_SIZE, "%s", name);
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];

		if (ring->space == space && before[0] &&
		    strcmp(before, kept) != 0)
			counts_forget_leg(ring, leg);
	}
}

static struct error *find_pool(struct target *target, struct space *space,
			       struct ring_pool **out)
{
	for (size_t i = 0; i < space->pools.count; i++) {
		*out = space->pools.data[i];
		if ((*out)->taken != (1U << (*out)->blocks) - 1)
			return NULL;
	}
	return pool_create(target, space, out);
}

static bool has_memory(const struct mapping_list *maps,
		       const struct shared_memory *memory)
{
	const struct mapping *mapping = find_mapping(maps, memory->address);

	/* (before the tool has allowed access, it is not memory yet) */
	return mapping && mapping->inode == memory->inode && mapping->readable;
}

/* Does the only thread of a forked child have a ring of this pool, that of the
 * thread that has forked? */
static bool is_in_use(const struct process *child, const struct ring_pool *pool)
{
	uint64_t base = 0;

	error_destroy(target_get_reg(child->threads.data[0], GS_BASE, &base));
	return base + RING_DISTANCE - block_address(pool, 0) <
	       (uint64_t)pool->blocks * RING_BLOCK;
}

bool rings_are_in(const struct space *space, const struct process *process)
{
	struct mapping_list maps = {0};
	bool found = !space->pools.count;

	error_destroy(target_read_maps(process->pid, &maps));
	for (size_t i = 0; i < space->pools.count; i++)
		found |= has_memory(&maps, &space->pools.data[i]->memory);
	mapping_list_deinit(&maps);
	return found;
}

void rings_copy(const struct space *space, struct space *clone)
{
	struct mapping_list maps = {0};
	struct error *error = NULL;

	clone->lacks_calls = space->lacks_calls;
	if (space->pools.count)
		error = target_read_maps(clone->process->pid, &maps);
	for (size_t i = 0; i < space->pools.count; i++) {
		struct ring_pool *pool = space->pools.data[i];

		/* The pool may have been mapped after the child was made. If
		 * the mappings cannot be read, the child is assumed to have
		 * what its parent has. */
		if (!error && !has_memory(&maps, &pool->memory))
			continue;
		/* The call blocks of the pool may have been mapped later,
		 * too. */
		if (!error && pool->calls.memory &&
		    !has_memory(&maps, &pool->calls)) {
			if (!is_in_use(clone->process, pool))
				continue;
			clone->lacks_calls = true;
		}
		pool->users++;
		vec_push(&clone->pools, pool);
	}
	if (clone->lacks_calls)
		counted_legs_leave_calls(clone);
	error_destroy(error);
	mapping_list_deinit(&maps);
}

/* ---- blocks -------------------------------------------------------------- */

static unsigned take_block(struct ring_pool *pool)
{
	unsigned index = 0;

	while (pool->taken >> index & 1)
		index++;
	pool->taken |= 1U << index;
	return index;
}

/* Release the block of a ring. Its pages are released too, so that the next
 * thread that gets the block finds zeros. */
static void give_back(struct ring *ring)
{
	struct ring_pool *pool = ring->pool;

	madvise(ring->header, RING_MAPPED, MADV_REMOVE);
	if (pool->calls.memory)
		madvise(ring_calls(ring), COUNTING_CALLS_SIZE, MADV_REMOVE);
	pool->taken &= ~(1U << ring->index);
	if (!pool->users && !pool->taken)
		pool_destroy(pool);
	counts_deinit(&ring->counts);
	free(ring);
}

static void prepare_block(const struct probe *probe, struct ring *ring)
{
	/* Most programs have one thread. The first ring has the full size, so
	 * that its thread need not stop for it to grow. */
	ring->size = probe->rings.list.count ? FIRST_BYTES : probe->rings.bytes;
	ring->header->self = ring->address;
	ring->header->pid = ring->holder.pid;
	ring->header->limit = ring_room(probe, ring);
	ring->header->mask = (uint32_t)ring->size - 1;
	ring->header->cookie = probe->rings.cookie;
	counts_prepare(probe, ring);
}

static uint64_t growth_of_all(const struct probe *probe)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < probe->rings.list.count; i++)
		sum += probe->rings.list.data[i]->size - FIRST_BYTES;
	return sum;
}

void ring_grow(struct probe *probe, struct ring *ring, uint64_t reserved)
{
	/* Where a cell lies in the ring depends on the size, so the ring can
	 * only grow while no cell is written or unread. */
	if (ring->size >= probe->rings.bytes || ring->tail != reserved ||
	    ring->size * 2 > probe->rings.backlog.room ||
	    growth_of_all(probe) + ring->size > MOST_GROWTH)
		return;
	ring->size *= 2;
	ring->header->mask = (uint32_t)ring->size - 1;
	ring->header->limit = ring->tail + ring->size;
}

uint64_t ring_room(const struct probe *probe, const struct ring *ring)
{
	return ring->size < probe->rings.backlog.room
		       ? ring->size
		       : probe->rings.backlog.room;
}

void probe_set_ring_size(struct probe *probe, uint64_t bytes)
{
	probe->rings.bytes = bytes;
}

static bool is_in_pool(const struct space *space, uint64_t address)
{
	for (size_t i = 0; i < space->pools.count; i++) {
		const struct ring_pool *pool = space->pools.data[i];

		if (address - block_address(pool, 0) <
		    (uint64_t)pool->blocks * RING_BLOCK)
			return true;
	}
	return false;
}

struct error *ring_give(struct probe *probe, struct space *space,
			struct thread *thread)
{
	struct ring_pool *pool;
	struct ring *ring;
	uint64_t base;

	if (thread->ring)
		return NULL;
	TRY(target_get_reg(thread, GS_BASE, &base));
	/* A new thread has the gs base of the thread that made it, and so may
	 * have that thread's ring. */
	if (base && !is_in_pool(space, base + RING_DISTANCE))
		return error_create(ERROR_OTHER,
				    "the program uses the gs segment itself");
	TRY(find_pool(probe->target, space, &pool));
	ring = xcalloc(1, sizeof(*ring));
	ring->pool = pool;
	ring->index = take_block(pool);
	ring->address = block_address(pool, ring->index);
	ring->header =
		(struct ring_header *)(pool->memory.memory +
				       sizeof(struct ring_pool_head) +
				       (size_t)ring->index * RING_MAPPED);
	ring->holder = (struct holder){thread->serial, thread->process->pid,
				       thread->tid};
	ring->thread = thread;
	/* The thread may have ended when its hits are reported, so its stack is
	 * determined now. */
	stack_of(thread, 0);
	ring->stack_low = thread->stack_low;
	ring->stack_high = thread->first_sp;
	ring->space = space;
	ring->is_counted =
		probe->follow_fork || space->process == thread->process;
	ring->stalled = ring->trapped_at = UINT64_MAX;
	prepare_block(probe, ring);
	thread->ring = ring;
	vec_push(&probe->rings.list, ring);
	switches_watch(probe, thread);
	return target_set_reg(thread, GS_BASE, ring->address - RING_DISTANCE);
}

struct error *ring_take(struct space *space, struct thread *thread)
{
	uint64_t base;

	if (target_is_dead_leader(thread))
		return NULL;
	if (thread->state != THREAD_STOPPED) {
		/* The thread waits for its vfork child and keeps its gs base.
		 */
		space->pools_stay = true;
		return NULL;
	}
	TRY(target_get_reg(thread, GS_BASE, &base));
	if (!is_in_pool(space, base + RING_DISTANCE))
		return NULL;
	ring_orphan(thread);
	return target_set_reg(thread, GS_BASE, 0);
}

struct error *rings_take(struct space *space, struct process *process)
{
	struct error *error = NULL;

	for (size_t i = 0; space->pools.count && i < process->threads.count;
	     i++)
		error = error_first(error,
				    ring_take(space, process->threads.data[i]));
	return error;
}

/* List the pieces of the memory that are mapped. */
static size_t list_pieces(const struct mapping_list *maps,
			  const struct shared_memory *memory,
			  struct mapped *out)
{
	size_t count = 0;

	for (unsigned i = 0; i < memory->layout.count; i++) {
		const uint64_t low =
			memory->address + shared_distance(&memory->layout, i);
		const struct mapping *mapping = find_mapping(maps, low);

		if (mapping && mapping->inode == memory->inode)
			out[count++] = (struct mapped){
				low,
				low + shared_piece_size(&memory->layout, i)};
	}
	return count;
}

struct error *rings_unmap(struct space *space)
{
	const size_t pools = space->pools_stay ? 0 : space->pools.count;
	CLEANUP(free_pointer)
	struct mapped *pieces =
		xcalloc(2 * RING_POOL_BLOCKS * pools + 1, sizeof(*pieces));
	struct mapping_list maps;
	size_t count = 0;

	if (!pools)
		return NULL;
	TRY(target_read_maps(space->process->pid, &maps));
	for (size_t i = 0; i < pools; i++) {
		const struct ring_pool *pool = space->pools.data[i];

		count += list_pieces(&maps, &pool->memory, pieces + count);
		count += list_pieces(&maps, &pool->calls, pieces + count);
	}
	mapping_list_deinit(&maps);
	return space_unmap(space, pieces, count);
}

void ring_orphan(struct thread *thread)
{
	struct ring *ring = thread->ring;

	if (ring)
		ring->thread = NULL;
	thread->ring = NULL;
}

void rings_orphan(struct probe *probe, struct process *process)
{
	for (size_t i = 0; i < probe->rings.list.count; i++)
		if (probe->rings.list.data[i]->holder.pid == process->pid)
			probe->rings.list.data[i]->thread = NULL;
	for (size_t i = 0; i < process->threads.count; i++)
		process->threads.data[i]->ring = NULL;
}

void rings_tidy(struct probe *probe)
{
	for (size_t i = probe->rings.list.count; i-- > 0;) {
		struct ring *ring = probe->rings.list.data[i];

		if (ring->thread ||
		    (ring->space && ring->tail != ring->header->head))
			continue;
		/* What the thread had open ends now, and its time on the CPU
		 * must be known until then. */
		if (ring->watch)
			switches_tell(probe, ring->watch, UINT64_MAX);
		counts_read(probe, ring);
		calls_tell(probe, ring, true);
		vec_remove(&probe->rings.list, i);
		cost_in_run_close(probe, ring);
		give_back(ring);
	}
}

void rings_drop(struct probe *probe, struct space *space)
{
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];

		if (ring->space != space)
			continue;
		if (ring->thread)
			ring_orphan(ring->thread);
		ring->space = NULL;
	}
	rings_tidy(probe);
	for (size_t i = 0; i < space->pools.count; i++)
		pool_unref(space->pools.data[i]);
	vec_free(&space->pools);
}

void rings_free(struct probe *probe)
{
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		if (probe->rings.list.data[i]->thread)
			ring_orphan(probe->rings.list.data[i]->thread);
		probe->rings.list.data[i]->space = NULL;
	}
	rings_tidy(probe);
	vec_free(&probe->rings.list);
}
