/*
 * counted_calls.c - the calls of a profile that threads count by themselves
 *
 * A thread counts its calls in the call block of its block (counting.h of
 * arch). The C machine of the profile layer makes those hits in the same block
 * that the thread does not make: at places that are still int3s, and where the
 * counting code asks for it. The thread is stopped then, and not in that code.
 *
 * What hits and stops have taken from the thread is in two words of the
 * thread's block: the thread itself adds to one of them, and the tool to the
 * other. The machine of the profile layer has one word, so it is their sum
 * while that machine works.
 */
#include "counted_calls.h"

#include "block.h"
#include "perftool/base/call_block.h"
#include "perftool/probe/call_profiles.h"
#include "probe/breakpoint.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* The header of the call block, as the thread knows it. The program may have
 * written anything there: arrays are found by `calls` of the ring. */
static struct call_block *header_of(const struct ring *ring)
{
	return ring->shared_calls;
}

static uint64_t units_of(const struct probe *probe, double ns)
{
	return (uint64_t)(int64_t)(ns / clock_tick(probe->clock) *
				   (1 << CALL_COST_BITS));
}

/* What the calibration's code has in the place of a return address. The arc has
 * the number 1, because it is entered first. */
#define CALLS_CALIBRATED UINT64_C(0x0064657669726564)
#define CALIBRATED_ARC 1

/* ---- the block ----------------------------------------------------------- */

double calls_cost(const struct probe *probe)
{
	const struct fast_costs *fast = &probe->costs.fast;

	return fast->called > 0 ? fast->called : fast->cost;
}

void calls_set_costs(const struct probe *probe, struct ring *ring)
{
	const struct fast_costs *fast = &probe->costs.fast;
	double factor = cost_in_run_factor(probe);
	struct call_block *block = header_of(ring);
	bool is_known = fast->called > 0;

	if (!ring->counts_calls)
		return;
	block->cost = units_of(probe, calls_cost(probe) * factor);
	ring->calls.own = (int64_t)units_of(
		probe, (is_known ? fast->call_own : fast->cost) * factor);
	block->own = ring->calls.own;
	/* Only calls that take long can have been off their CPU. */
	block->most =
		probe->client.wants_switches(probe->client.context)
			? (int64_t)(COUNTING_MOST_NS / clock_tick(probe->clock))
				  << CALL_UNIT_BITS
			: INT64_MAX;
}

/* Hits on other stacks than the thread's own are made by the tool; and all
 * hits, as long as a handler of a signal may be at work on a stack of its own.
 */
static void set_stack(struct ring *ring, bool has_others)
{
	struct call_block *block = header_of(ring);

	block->stack_low = has_others ? UINT64_MAX : ring->stack_low;
	block->stack_size = has_others ? 0 : ring->stack_high - ring->stack_low;
}

void calls_prepare(const struct probe *probe, struct ring *ring)
{
	const struct fast_space *fast = &ring->space->fast;
	struct counting_code code;

	if (!fast->counting_code || !fast->counts_calls)
		return;
	arch_counting(&code);
	ring->header->calls.enter = fast->counting_code + code.call_enter;
	ring->header->calls.leave = fast->counting_code + code.call_leave;
	ring->header->calls.jump = fast->counting_code + code.call_jump;
	if (!ring->counts_calls) {
		ring->counts_calls = true;
		ring->shared_calls = ring_calls(ring);
		call_block_init(header_of(ring), &counting_calls_size);
		call_block_find_arc(header_of(ring), CALLS_CALIBRATED,
				    CALL_NO_FUNCTION,
				    COUNTING_CALIBRATED_FUNCTION);
		call_block_mirror(header_of(ring), &ring->calls);
		ring->calls_made = header_of(ring)->hits;
		set_stack(ring, false);
		/* Who reads the block needs to know of the thread before its
		 * first context switch. */
		calls_tell(probe, ring, false);
	}
	calls_set_costs(probe, ring);
}

static void add_held(struct ring *ring, uint64_t units)
{
	__atomic_fetch_add(&ring->header->calls.held, units, __ATOMIC_RELAXED);
	ring->resume_held += units;
}

static uint64_t counter_units(const struct probe *probe, uint64_t time)
{
	return clock_to_tsc(probe->clock, time) << CALL_COST_BITS;
}

/* What stops have taken of the thread. If the thread is about to go on, and has
 * not added the time itself, it is taken to go on when the tool let it. */
static uint64_t held_of(const struct probe *probe, const struct ring *ring)
{
	uint64_t held =
		__atomic_load_n(&ring->header->calls.held, __ATOMIC_ACQUIRE);

	if (ring->is_resuming && held == ring->resume_held)
		held += counter_units(probe, ring->finished.resume);
	return held;
}

void calls_held(const struct probe *probe, struct ring *ring, double ns)
{
	if (ring && ring->counts_calls)
		add_held(ring, units_of(probe, ns));
}

void calls_held_all(const struct probe *probe, double ns)
{
	for (size_t i = 0; i < probe->rings.list.count; i++)
		calls_held(probe, probe->rings.list.data[i], ns);
}

void probe_hold_calls(struct probe *probe, double ns)
{
	calls_held_all(probe, ns);
}

static struct ring *ring_of(const struct probe *probe, uint32_t serial)
{
	for (size_t i = 0; i < probe->rings.list.count; i++)
		if (probe->rings.list.data[i]->holder.serial == serial)
			return probe->rings.list.data[i];
	return NULL;
}

void calls_resume(const struct probe *probe, const struct thread *thread,
		  uint64_t until, struct finished_stop *finished)
{
	struct ring *ring = thread->ring;

	if (!ring || !ring->counts_calls)
		return;
	finished->told_held = (double)(int64_t)(until - finished->arrival) +
			      finished->cost.before + finished->cost.after;
	calls_held(probe, ring, finished->told_held);
}

void calls_resume_by_itself(const struct probe *probe,
			    const struct thread *thread,
			    struct finished_stop *finished)
{
	struct ring *ring = thread->ring;

	if (!ring || !ring->counts_calls)
		return;
	add_held(ring,
		 units_of(probe, finished->cost.before + finished->cost.after) -
			 counter_units(probe, finished->arrival));
	ring->resume_held = ring->header->calls.held;
	ring->header->calls.resume_mask = UINT64_MAX;
	ring->is_resuming = finished->is_added = true;
}

static void end_resuming(struct ring *ring)
{
	if (!ring)
		return;
	ring->header->calls.resume_mask = 0;
	ring->is_resuming = false;
}

void calls_resumed_unseen(const struct probe *probe, struct ring *ring,
			  bool added)
{
	if (ring->is_resuming && !added)
		add_held(ring, counter_units(probe, ring->finished.resume));
	end_resuming(ring);
}

void calls_resumed(struct probe *probe, const struct finished_stop *finished)
{
	if (!probe->called.list.count)
		return;
	if (finished->is_added) {
		end_resuming(ring_of(probe, finished->holder.serial));
		return;
	}
	calls_held(probe, ring_of(probe, finished->holder.serial),
		   (double)(int64_t)(finished->resume - finished->arrival) +
			   finished->cost.before + finished->cost.after -
			   finished->told_held);
}

/* ---- calibration --------------------------------------------------------- */

/* The calibrating thread works on the last two elements of the stack of
 * activations, of which the first one is none. */
#define LAST_TWO (COUNTING_MOST_CALLS - 2)

void calls_keep(struct ring *ring, struct calls_kept *out)
{
	struct call_block *block = header_of(ring);
	struct call_activation *last;

	*out = (struct calls_kept){.is_kept = ring->counts_calls};
	if (!ring->counts_calls)
		return;
	last = call_block_open(&ring->calls, LAST_TWO);
	out->header = *block;
	out->last[0] = last[0];
	out->last[1] = last[1];
	*last = (struct call_activation){.frame = UINT64_MAX,
					 .function = CALL_NO_FUNCTION,
					 .coming = CALL_NO_FUNCTION};
	block->top = LAST_TWO;
	block->stack_low = 0;
	block->stack_size = UINT64_MAX;
	block->skip_frame = 0;
}

static void forget(struct call_block_arc *arc)
{
	arc->count = 0;
	arc->elapsed = arc->self = arc->outermost = 0;
}

void calls_put_back(struct ring *ring, const struct calls_kept *kept)
{
	struct call_block *block = header_of(ring);
	struct call_activation *last;

	if (!kept->is_kept)
		return;
	last = call_block_open(&ring->calls, LAST_TWO);
	last[0] = kept->last[0];
	last[1] = kept->last[1];
	block->top = kept->header.top;
	block->hits = kept->header.hits;
	block->ignored = kept->header.ignored;
	block->stack_low = kept->header.stack_low;
	block->stack_size = kept->header.stack_size;
	block->skip_frame = kept->header.skip_frame;
	call_block_load(&ring->calls);
	for (uint32_t i = CALIBRATED_ARC; i < ring->calls.arc_count; i++)
		if (call_block_arc(&ring->calls, i)->callee ==
		    COUNTING_CALIBRATED_FUNCTION)
			forget(call_block_arc(&ring->calls, i));
}

bool calls_calibrated(const struct probe *probe, struct ring *ring, double *own)
{
	const struct call_block *block = &ring->calls;
	const struct call_block_arc *arc;
	uint64_t count;

	if (!ring->counts_calls)
		return false;
	arc = call_block_arc(block, CALIBRATED_ARC);
	count = arc->count;
	if (!count)
		return false;
	*own = (counts_units_ns(probe, arc->elapsed, CALL_UNIT_BITS) /
		(double)count) +
	       counts_units_ns(probe, block->own, CALL_COST_BITS);
	return true;
}

/* ---- hits ---------------------------------------------------------------- */

bool calls_are_counted(const struct probe *probe, const struct hit *hit)
{
	const struct ring *ring =
		probe->called.list.count ? ring_of(probe, hit->thread) : NULL;

	return ring && ring->counts_calls;
}

uint64_t calls_hits(const struct ring *ring)
{
	if (!ring->counts_calls)
		return ring->counts.call_hits;
	return __atomic_load_n(&header_of(ring)->hits, __ATOMIC_RELAXED) -
	       ring->calls_made;
}

enum call_kind {
	CALL_IS_ENTRY,
	CALL_IS_JUMP,
	CALL_IS_END,
	CALL_IS_UNWIND,
	CALL_IS_PROCESS_END
};

/* Have the caller of the layer make the hit in the thread's block. */
static void make(struct probe *probe, struct ring *ring, enum call_kind kind,
		 uint32_t function, const struct hit *at, uint64_t caller)
{
	struct counting_state *counting = &ring->header->counting;
	struct call_block *block = &ring->calls;
	struct hit hit = *at;
	bool has_others = false;
	uint64_t hits;

	/* What the tool has not seen of the thread's stop is in what the stop
	 * takes. The cost of a jump is not. */
	call_block_load(block);
	hits = block->hits;
	hit.time = clock_to_tsc(probe->clock,
				at->time - (uint64_t)at->cost_before);
	hit.value = value_unsigned(caller);
	block->taken = counting->taken + held_of(probe, ring);
	emit(probe,
	     (struct probe_event){.kind = PROBE_EVENT_CALL,
				  .is_entry = kind == CALL_IS_ENTRY,
				  .is_jump = kind == CALL_IS_JUMP,
				  .is_unwind = kind == CALL_IS_UNWIND,
				  .is_process_end = kind == CALL_IS_PROCESS_END,
				  .function = function,
				  .block = block,
				  .has_others = &has_others,
				  .hit = &hit});
	block->taken = 0;
	ring->calls_made += block->hits - hits;
	call_block_store(block);
	set_stack(ring, has_others);
}

static enum call_kind kind_at(const struct attachment *at)
{
	switch (at->role) {
	case ROLE_ENTRY:
		return CALL_IS_ENTRY;
	case ROLE_UNWIND:
		return CALL_IS_UNWIND;
	case ROLE_PROCESS_END:
		return CALL_IS_PROCESS_END;
	default:
		return CALL_IS_END;
	}
}

bool calls_take_hit(struct probe *probe, const struct thread *thread,
		    const struct attachment *at, const struct hit *hit,
		    uint64_t caller)
{
	struct ring *ring = thread->ring;

	if (!ring || !ring->counts_calls ||
	    at->called >= COUNTING_MOST_FUNCTIONS)
		return false;
	make(probe, ring, kind_at(at), at->called, hit, caller);
	return true;
}

void calls_take_tail(struct probe *probe, const struct thread *thread,
		     const struct attachment *at, const struct hit *hit,
		     uint64_t target)
{
	struct space *space = space_of(thread->process);
	struct ring *ring = thread->ring;

	if (!ring || !ring->counts_calls || !hit->frame)
		return;
	if (at->role == ROLE_RETURN)
		make(probe, ring, CALL_IS_END, 0, hit, 0);
	else
		make(probe, ring, CALL_IS_JUMP,
		     counted_legs_called(space, target), hit, 0);
}

bool calls_await(const struct thread *thread, uint64_t frame)
{
	struct ring *ring = thread->ring;
	const struct call_block *header;
	struct call_block *block;
	uint32_t open;

	if (!ring || !ring->counts_calls)
		return false;
	header = header_of(ring);
	if (frame - header->stack_low > header->stack_size)
		return true;
	block = &ring->calls;
	call_block_load(block);
	/* What is deeper has gone, although no hit has shown that yet. */
	for (open = block->top; open; open--)
		if (call_block_open(block, open)->frame >= frame)
			break;
	return open && call_block_open(block, open)->frame == frame;
}

bool calls_are_untold(const struct space *space, uint64_t pc)
{
	struct counting_code code;

	if (!space->fast.counting_code)
		return false;
	arch_counting(&code);
	return pc == space->fast.counting_code + code.untold;
}

/* ---- hits that are made again -------------------------------------------- */

void calls_skip(struct ring *ring, const struct fast_site *fast,
		const struct user_regs_struct *regs)
{
	struct call_block *block = header_of(ring);
	const struct attachment *attachment = fast->parts[0].attachment;
	uint64_t base;

	if (!ring->counts_calls || !fast->call ||
	    !arch_dwarf_register(fast->base, regs, &base))
		return;
	block->skip_frame = base;
	if (attachment->has_cfa)
		block->skip_frame += (uint64_t)attachment->cfa.offset;
	block->skip_site = fast->number << RING_SITE_SHIFT;
}

/* ---- calls that take long ------------------------------------------------ */

void calls_tell_one(struct probe *probe, struct ring *ring)
{
	const struct ring_cell *cell = ring_cell(ring, ring->tail);
	uint64_t ended = clock_from_tsc(probe->clock, cell->time);
	uint64_t began = clock_from_tsc(probe->clock, cell->base);
	uint32_t arc = (uint32_t)cell->value;

	if (!ring->counts_calls || !ring->is_counted || !ring->space ||
	    began > ended || arc >= COUNTING_MOST_ARCS)
		return;
	counts_read_hits(probe, ring, cell->mask);
	switches_before(probe, ring->watch, ended);
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_CALL_TOLD,
					 .counter = &ring->holder,
					 .calls = &ring->calls,
					 .began = began,
					 .ended = ended,
					 .arc = arc,
					 .is_outermost = cell->value &
							 RING_CALL_OUTERMOST});
}

/* ---- reading ------------------------------------------------------------- */

void calls_tell(const struct probe *probe, struct ring *ring, bool is_last)
{
	if (!ring->counts_calls || !ring->is_counted)
		return;
	call_block_load(&ring->calls);
	emit(probe,
	     (struct probe_event){.kind = PROBE_EVENT_CALLS_COUNTED,
				  .counter = &ring->holder,
				  .calls = &ring->calls,
				  .taken_units = ring->header->counting.taken +
						 held_of(probe, ring),
				  .is_last = is_last});
	ring->counts_calls &= !is_last;
}
