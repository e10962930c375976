/*
 * counting_blocks.c - what the tool writes into a space and into the blocks of
 * its threads, so that they can count by themselves
 */
#include "counts.h"

#include "block.h"
#include "perftool/base/alloc.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "rings.h"

static uint64_t cost_units(const struct probe *probe, double ns)
{
	return (uint64_t)(ns / clock_tick(probe->clock) *
				  (1 << COUNTING_COST_BITS) +
			  0.5);
}

double counts_units_ns(const struct probe *probe, int64_t units, int bits)
{
	return (double)units / (1 << bits) * clock_tick(probe->clock);
}

static void set_costs(const struct probe *probe, struct ring *ring)
{
	struct counting_state *counting = &ring->header->counting;
	const struct fast_costs *fast = &probe->costs.fast;
	double factor = cost_in_run_factor(probe);
	bool is_known = fast->counted > 0;

	counting->record_cost = cost_units(probe, fast->cost * factor);
	counting->cost = cost_units(
		probe, (is_known ? fast->counted : fast->cost) * factor);
	counting->follow_cost = cost_units(
		probe, (is_known ? fast->followed : fast->cost) * factor);
	counting->own =
		(int64_t)cost_units(probe, (is_known ? fast->own : fast->cost) *
						   factor) -
		COUNTING_HALF_UNIT;
}

void counts_set_costs(struct probe *probe)
{
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		set_costs(probe, probe->rings.list.data[i]);
		calls_set_costs(probe, probe->rings.list.data[i]);
	}
}

void counts_prepare(const struct probe *probe, struct ring *ring)
{
	struct counting_state *counting = &ring->header->counting;
	const struct fast_space *fast = &ring->space->fast;
	struct counting_code code;

	/* Until threads count, the pages for it take no memory. */
	if (!fast->counting_code)
		return;
	arch_counting(&code);
	block_open(ring, 0)->frame = UINT64_MAX;
	block_out(ring, 0)->frame = UINT64_MAX;
	if (!counting->fresh) {
		counting->fresh = sizeof(struct counting_open);
		counting->next_buckets = COUNTING_BUCKETS;
		counting->since = 1;
	}
	counting->scale = probe->clock->line.mult >> COUNTING_UNIT_BITS;
	counting->most = (int64_t)(((uint64_t)COUNTING_MOST_NS << 32) /
				   probe->clock->line.mult)
			 << COUNTING_UNIT_BITS;
	counting->stack_low = ring->stack_low;
	counting->stack_size = ring->stack_high - ring->stack_low;
	counting->enter = fast->counting_code + code.enter;
	counting->enter_again = fast->counting_code + code.enter_again;
	counting->enter_and_go = fast->counting_code + code.enter_and_go;
	counting->leave = fast->counting_code + code.leave;
	counting->follow = fast->counting_code + code.follow;
	counting->arrive = fast->counting_code + code.arrive;
	counting->jump = fast->counting_code + code.jump;
	counting->come = fast->counting_code + code.come;
	counting->end = fast->counting_code + code.end;
	counting->order_from = fast->counting_code + code.order_from;
	counting->order_to = fast->counting_code + code.order_to;
	counting->order_both = fast->counting_code + code.order_both;
	set_costs(probe, ring);
	calls_prepare(probe, ring);
}

void counts_prepare_all(const struct probe *probe, const struct space *space)
{
	for (size_t i = 0; i < probe->rings.list.count; i++)
		if (probe->rings.list.data[i]->space == space)
			counts_prepare(probe, probe->rings.list.data[i]);
}

struct error *counts_write_code(struct space *space)
{
	const struct module *module;
	CLEANUP(free_pointer) uint8_t *bytes = NULL;
	struct counting_code code;
	uint64_t address;
	size_t granules;

	if (space->fast.counting_code || !space->modules.count)
		return NULL;
	module = space->modules.data[0].module;
	arch_counting(&code);
	granules = (code.size + ARCH_SLOT_SIZE - 1) / ARCH_SLOT_SIZE;
	TRY(store_find_room(space, STORE_FAST_CODE, module->low, module->high,
			    granules, &address));
	bytes = xmalloc(code.size);
	arch_counting_write(bytes);
	TRY(target_write(space->process, address, bytes, code.size));
	TRY(store_take(space, address, granules));
	space->fast.counting_code = address;
	return NULL;
}

void counts_skip(struct ring *ring, const struct fast_site *fast,
		 const struct user_regs_struct *regs)
{
	struct counting_state *counting = &ring->header->counting;
	const struct attachment *attachment = fast->parts[0].attachment;
	uint64_t base;

	if (!arch_dwarf_register(fast->base, regs, &base))
		return;
	counting->skip_frame = base;
	if (attachment->has_cfa)
		counting->skip_frame += (uint64_t)attachment->cfa.offset;
	counting->skip_site = fast->number << RING_SITE_SHIFT;
	calls_skip(ring, fast, regs);
}

bool counts_has(const struct space *space, uint64_t pc)
{
	struct counting_code code;

	if (!space->fast.counting_code)
		return false;
	arch_counting(&code);
	return pc - space->fast.counting_code < code.size;
}

uint64_t counts_again(const struct space *space, uint64_t pc)
{
	struct counting_code code;

	if (!space->fast.counting_code)
		return 0;
	arch_counting(&code);
	return pc == space->fast.counting_code + code.wait
		       ? space->fast.counting_code + code.again
		       : 0;
}
