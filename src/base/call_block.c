/* call_block.c - see perftool/base/call_block.h */
#include "perftool/base/call_block.h"

#include <string.h>

#define FIRST_SHIFT (64 - 8) /* the index begins with 256 slots */

static size_t aligned(size_t bytes)
{
	return (bytes + 4095) & ~(size_t)4095;
}

/* Sets the offsets of the arrays, and returns the size of all. Each array
 * begins with a page, so that nobody touches pages of an array that is not in
 * use. */
static size_t lay_out(struct call_block *block,
		      const struct call_block_size *size)
{
	size_t at = aligned(sizeof(*block));

	block->open = at;
	at += aligned(size->open * sizeof(struct call_activation));
	block->arcs = at;
	at += aligned(size->arcs * sizeof(struct call_block_arc));
	block->cold = at;
	at += aligned(size->arcs * sizeof(struct call_block_cold));
	block->index = at;
	at += aligned(2 * (size_t)size->arcs * sizeof(uint32_t));
	block->depths = at;
	return at + aligned(size->functions * sizeof(uint32_t));
}

size_t call_block_bytes(const struct call_block_size *size)
{
	struct call_block block;

	return lay_out(&block, size);
}

static void set_size(struct call_block *block,
		     const struct call_block_size *size)
{
	lay_out(block, size);
	block->functions = size->functions;
	block->most_open = size->open;
	block->most_arcs = size->arcs;
	block->last_shift =
		63 - (uint32_t)__builtin_ctz(size->arcs); /* twice as many */
}

/* The first activation is none, and ends each search. */
static void set_none(struct call_block *block)
{
	struct call_activation *none = call_block_open(block, 0);

	none->frame = UINT64_MAX;
	none->function = none->coming = CALL_NO_FUNCTION;
}

void call_block_init(struct call_block *block,
		     const struct call_block_size *size)
{
	set_size(block, size);
	block->index_shift = block->last_shift > FIRST_SHIFT ? block->last_shift
							     : FIRST_SHIFT;
	block->arc_count = 1;
	set_none(block);
	call_block_arc(block, 0)->caller = CALL_NO_FUNCTION;
	call_block_arc(block, 0)->callee = CALL_NO_FUNCTION;
}

void call_block_mirror(struct call_block *origin, struct call_block *out)
{
	/* Offsets are added modulo 2^64. */
	uint64_t distance = (uintptr_t)origin - (uintptr_t)out;

	*out = *origin;
	out->origin = origin;
	out->open += distance;
	out->arcs += distance;
	out->cold += distance;
	out->index += distance;
	out->depths += distance;
}

void call_block_load(struct call_block *block)
{
	const struct call_block *from = block->origin;
	uint32_t top, arcs;

	if (!from)
		return;
	top = __atomic_load_n(&from->top, __ATOMIC_RELAXED);
	arcs = __atomic_load_n(&from->arc_count, __ATOMIC_RELAXED);
	block->top = top < block->most_open ? top : 0;
	block->arc_count = arcs - 1 < block->most_arcs ? arcs : 1;
	block->hits = from->hits;
	block->ignored = from->ignored;
	block->deep = from->deep;
	set_none(block);
}

void call_block_store(const struct call_block *block)
{
	struct call_block *to = block->origin;

	if (!to)
		return;
	to->top = block->top;
	to->arc_count = block->arc_count;
	to->hits = block->hits;
	to->ignored = block->ignored;
	to->deep = block->deep;
	to->index_shift = block->index_shift;
	to->last_shift = block->last_shift;
}

/* Returns the slot that has the arc, or the free slot where its number
 * belongs. One slot at least is free. */
static uint32_t *find_slot(const struct call_block *block, uint64_t site,
			   uint32_t caller, uint32_t callee)
{
	uint64_t mask = UINT64_MAX >> block->index_shift;
	uint32_t *index = call_block_index(block);
	uint64_t slot = call_block_slot(block, site, caller, callee);
	uint64_t last = (slot - 1) & mask;

	for (; index[slot] && slot != last; slot = (slot + 1) & mask) {
		const struct call_block_arc *arc = call_block_arc(
			block, index[slot] & (block->most_arcs - 1));

		if (arc->site == site && arc->caller == caller &&
		    arc->callee == callee)
			break;
	}
	return &index[slot];
}

void call_block_grow(struct call_block *block)
{
	uint32_t *index = call_block_index(block);

	block->index_shift--;
	memset(index, 0,
	       ((UINT64_MAX >> block->index_shift) + 1) * sizeof(*index));
	for (uint32_t i = 1; i < block->arc_count; i++) {
		const struct call_block_arc *arc = call_block_arc(block, i);

		*find_slot(block, arc->site, arc->caller, arc->callee) = i;
	}
}

uint32_t call_block_find_arc(struct call_block *block, uint64_t site,
			     uint32_t caller, uint32_t callee)
{
	uint32_t *slot = find_slot(block, site, caller, callee);
	struct call_block_arc *arc;

	if (*slot || block->arc_count == block->most_arcs)
		return *slot & (block->most_arcs - 1);
	if (call_block_must_grow(block)) {
		call_block_grow(block);
		slot = find_slot(block, site, caller, callee);
	}
	*slot = block->arc_count++;
	arc = call_block_arc(block, *slot);
	arc->site = site;
	arc->caller = caller;
	arc->callee = callee;
	return *slot;
}
