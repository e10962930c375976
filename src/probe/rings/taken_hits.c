/*
 * taken_hits.c - hits that the tool makes for threads that count by themselves
 *
 * A thread that is stopped between a place and the site to which the
 * breakpoints of the place are moved has to be counted by the tool (passage.h),
 * and so has a thread at a place that is still an int3. If the thread counts
 * the leg by itself, the tool does in the block of the thread what the counting
 * code would have done there (counting.S). The thread is not in that code.
 */
#include "block.h"
#include "counts.h"
#include "perftool/base/hit.h"
#include "probe/breakpoint.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* A hit, and the block in which it is counted. */
struct taken {
	const struct probe *probe;
	struct ring *ring;
	uint64_t time;
	/* the frame (CFA), and the return address in it; 0: not known */
	uint64_t frame, caller;
};

/* Find the block of the thread. Returns false if it does not count. */
static bool find_block(const struct probe *probe, const struct thread *thread,
		       const struct hit *hit, struct taken *out)
{
	struct ring *ring = thread->ring;

	if (!ring || !ring->is_counted || !ring->space ||
	    !ring->space->fast.counted.list.count ||
	    !ring->space->fast.counting_code)
		return false;
	*out = (struct taken){.probe = probe,
			      .ring = ring,
			      /* What the tool has not seen of the thread's stop
			       * is not in the stop that it tells. */
			      .time = hit->time - (uint64_t)hit->cost_before,
			      .frame = hit->frame};
	return true;
}

static bool is_open(const struct ring *ring, const struct counting_open *open)
{
	return open->start >= ring->header->counting.since;
}

/* The activation ends. An execution that the tool has closed is told, whatever
 * it took. */
static void tell_end(const struct taken *taken, const struct counted_leg *leg,
		     const struct counting_open *open)
{
	const struct probe *probe = taken->probe;
	const struct counting_state *counting = &taken->ring->header->counting;
	struct probe_event event = {
		.kind = PROBE_EVENT_TOLD,
		.counter = &taken->ring->holder,
		.leg = leg->leg,
		.began = clock_from_tsc(probe->clock, open->start),
		.ended = taken->time,
		.taken = counts_units_ns(
			probe, (int64_t)(counting->taken - open->taken),
			COUNTING_COST_BITS),
		.shares_to = leg->to_begins,
	};

	if (!is_open(taken->ring, open)) {
		block_leg(taken->ring, leg->leg)->ignored++;
		return;
	}
	if (event.began > event.ended)
		event.began = event.ended;
	if (!event.shares_to)
		counts_add_hits(probe, leg->to, 1);
	emit(probe, event);
}

static void begin(const struct taken *taken, struct counting_open *open,
		  uint64_t frame)
{
	const struct counting_state *counting = &taken->ring->header->counting;
	uint64_t start = clock_to_tsc(taken->probe->clock, taken->time);

	open->frame = frame;
	open->start = start > counting->since ? start : counting->since;
	open->taken = counting->taken;
}

/* ---- legs that match by order ------------------------------------------ */

/* The leg ends, as in order_to of counting.S. */
static void close_order(const struct taken *taken,
			const struct counted_leg *leg)
{
	struct counting_open *open = block_order(taken->ring, leg->leg);

	tell_end(taken, leg, open);
	open->start = 0;
}

/* The leg begins, as in order_from. */
static void open_order(const struct taken *taken, const struct counted_leg *leg,
		       const struct hit *hit)
{
	struct counting_leg *in_block = block_leg(taken->ring, leg->leg);
	struct counting_open *open = block_order(taken->ring, leg->leg);

	if (!is_open(taken->ring, open)) {
		in_block->entered++;
	} else {
		in_block->ignored_from++;
		if (leg->keeps_first)
			return;
	}
	begin(taken, open,
	      hit->frame ? hit->frame
	      : hit->sp  ? hit->sp
			 : taken->ring->stack_low);
}

/* ---- frames that were left by tail jumps --------------------------------- */

static void pop_out(const struct ring *ring)
{
	ring->header->counting.out -= (uint32_t)sizeof(struct counting_out);
}

/* Find the last frame that was left, if it is that of the hit; NULL if it is
 * not. Frames that have gone are removed before. */
static struct counting_out *find_out(const struct taken *taken)
{
	while (true) {
		uint32_t at = taken->ring->header->counting.out &
			      (uint32_t)BLOCK_LAST_OUT;
		struct counting_out *out = block_out(taken->ring, at);

		if (!at || out->frame > taken->frame)
			return NULL;
		if (out->frame == taken->frame && out->caller == taken->caller)
			return out;
		pop_out(taken->ring);
	}
}

/* The element of the hit's frame, if the function of the leg has left it; else
 * NULL. */
static struct counting_out *find_left(const struct taken *taken, uint32_t leg)
{
	struct counting_out *out = find_out(taken);

	for (; out && out > block_out(taken->ring, 0) &&
	       out->frame == taken->frame;
	     out--)
		if (out->leg == leg)
			return out;
	return NULL;
}

/* ---- legs that match by frame ------------------------------------------ */

static uint32_t top_of(const struct counting_leg *leg)
{
	return leg->top & (uint32_t)BLOCK_LAST_OPEN;
}

/* Remove the innermost activation. */
static void remove_top(const struct ring *ring, struct counting_leg *leg)
{
	struct counting_state *counting = &ring->header->counting;
	uint32_t at = top_of(leg);
	struct counting_open *open = block_open(ring, at);

	leg->top = open->below;
	open->below = counting->free;
	counting->free = at;
}

/* Drop the innermost activation, which is unwound unless it was discarded. */
static void drop_top(const struct ring *ring, struct counting_leg *leg)
{
	struct counting_open *open = block_open(ring, top_of(leg));

	leg->unwound += is_open(ring, open);
	open->frame = UINT64_MAX;
	remove_top(ring, leg);
}

/* Drop the activations whose frame is deeper than that of the hit. Returns the
 * innermost activation that is left. */
static struct counting_open *drop_deeper(const struct taken *taken,
					 struct counting_leg *leg)
{
	struct counting_open *open;

	while (true) {
		open = block_open(taken->ring, top_of(leg));
		if (open->frame >= taken->frame)
			return open;
		drop_top(taken->ring, leg);
	}
}

/* Take an activation that is free. Returns 0 if there is none. */
static uint32_t take_free(const struct ring *ring)
{
	struct counting_state *counting = &ring->header->counting;
	uint32_t at = counting->free & (uint32_t)BLOCK_LAST_OPEN;

	if (at) {
		counting->free = block_open(ring, at)->below;
		return at;
	}
	if (counting->fresh >= COUNTING_OPEN_SIZE)
		return 0;
	at = counting->fresh & (uint32_t)BLOCK_LAST_OPEN;
	counting->fresh += (uint32_t)sizeof(struct counting_open);
	return at;
}

/* Open an activation in the frame of the hit. Returns false if the tool is to
 * have it. */
static bool push(const struct taken *taken, struct counting_leg *leg,
		 uint32_t back)
{
	uint32_t at = leg->outside ? 0 : take_free(taken->ring);
	struct counting_open *open = block_open(taken->ring, at);

	if (!at) {
		leg->outside++;
		return false;
	}
	begin(taken, open, taken->frame);
	open->below = leg->top;
	open->back = back;
	leg->top = at;
	leg->entered++;
	return true;
}

/* The function has come back to the frame that it had left. */
static bool enter_back(const struct taken *taken, struct counting_leg *leg)
{
	struct counting_open *open = drop_deeper(taken, leg);
	uint32_t back = 0;

	while (open->frame == taken->frame && !is_open(taken->ring, open)) {
		drop_top(taken->ring, leg);
		open = block_open(taken->ring, top_of(leg));
	}
	if (open->frame == taken->frame)
		back = open->back + 1;
	if (back < HIT_MOST_BACK)
		return push(taken, leg, back);
	leg->ignored_from++;
	return true;
}

/* The function of the leg is entered, as in enter_again. */
static bool enter(const struct taken *taken, const struct counted_leg *leg)
{
	struct counting_leg *in_block = block_leg(taken->ring, leg->leg);
	struct counting_out *left = find_left(taken, leg->leg);

	if (left && left->state == COUNTING_COMING) {
		left->state = COUNTING_IN_FRAME;
		return enter_back(taken, in_block);
	}
	if (left)
		left->leg = COUNTING_NO_LEG;
	while (drop_deeper(taken, in_block)->frame == taken->frame)
		drop_top(taken->ring, in_block);
	return push(taken, in_block, 0);
}

/* The frame ends in which the function of the leg was entered, as in `leave`.
 * Returns false if the tool has the activation. */
static bool leave(const struct taken *taken, const struct counted_leg *leg)
{
	struct counting_leg *in_block = block_leg(taken->ring, leg->leg);
	const struct counting_open *open = drop_deeper(taken, in_block);

	if (open->frame == taken->frame) {
		tell_end(taken, leg, open);
		remove_top(taken->ring, in_block);
		return true;
	}
	if (in_block->outside) {
		in_block->outside--;
		return false;
	}
	in_block->ignored++;
	return true;
}

/* ---- hits ---------------------------------------------------------------- */

/* Find the return address of the hit's frame. Returns false if the frame is not
 * on the thread's own stack: the tool matches such hits. */
static bool find_caller(const struct thread *thread, struct taken *taken)
{
	const struct counting_state *counting = &taken->ring->header->counting;

	return taken->frame &&
	       taken->frame - counting->stack_low <= counting->stack_size &&
	       target_read_callback(thread->process,
				    taken->frame - sizeof(taken->caller),
				    &taken->caller, sizeof(taken->caller));
}

bool counts_take_hit(const struct probe *probe, const struct thread *thread,
		     const struct breakpoint *breakpoint, const struct hit *hit)
{
	const struct counted_leg *from, *to;
	struct taken taken;

	if (!find_block(probe, thread, hit, &taken))
		return false;
	from = counted_leg_from(&taken.ring->space->fast.counted, breakpoint);
	to = counted_leg_to(&taken.ring->space->fast.counted, breakpoint);
	if ((from && !from->by_order) || (to && !to->by_order)) {
		if (!find_caller(thread, &taken))
			return false;
		return from ? enter(&taken, from) : leave(&taken, to);
	}
	if (to)
		close_order(&taken, to);
	if (from)
		open_order(&taken, from, hit);
	return from || to;
}

/* A tail jump leaves the frame, as in `jump`. */
static void jump(const struct taken *taken, const struct counted_leg *leg)
{
	struct counting_state *counting = &taken->ring->header->counting;
	struct counting_out *left = find_left(taken, leg->leg);
	uint32_t next = (counting->out & (uint32_t)BLOCK_LAST_OUT) +
			(uint32_t)sizeof(*left);

	if (left && left->state == COUNTING_IN_FRAME) {
		left->state = COUNTING_OUT_OF_FRAME;
		left->backs += left->backs < HIT_MOST_BACK - 1;
	}
	if (left || next >= COUNTING_OUT_SIZE)
		return;
	*block_out(taken->ring, next) =
		(struct counting_out){.frame = taken->frame,
				      .caller = taken->caller,
				      .leg = leg->leg,
				      .state = COUNTING_OUT_OF_FRAME};
	counting->out = next;
}

/* The tail jump leads to the function of the leg, as in `come`. */
static void come(const struct taken *taken, const struct counted_leg *leg)
{
	struct counting_out *left = find_left(taken, leg->leg);

	if (left && left->state == COUNTING_OUT_OF_FRAME)
		left->state = COUNTING_COMING;
}

/* The frame ends in the function of the leg `own`, or if that is NULL in a
 * function without a leg that tail jumps leave, as in `end`. */
static void end(const struct taken *taken, const struct counted_leg *own)
{
	const struct counted_legs *legs = &taken->ring->space->fast.counted;
	struct counting_out *out;

	while ((out = find_out(taken))) {
		const struct counted_leg *leg =
			counted_leg_find(legs, out->leg);
		bool is_in = out->state == COUNTING_IN_FRAME;
		bool ends = leg == own ? out->state != COUNTING_OUT_OF_FRAME
				       : !is_in;
		uint32_t backs = out->backs;

		pop_out(taken->ring);
		if (!leg || !ends || backs >= HIT_MOST_BACK)
			continue;
		/* (If the function of the leg returns itself, a further
		 * execution ends with the hit of its own breakpoint.) */
		for (uint32_t i = 0; i <= backs; i++)
			leave(taken, leg);
	}
}

bool counts_take_tail(const struct probe *probe, const struct thread *thread,
		      const struct attachment *at, const struct hit *hit,
		      uint64_t target)
{
	const struct counted_leg *leg, *to;
	struct taken taken;

	if (!find_block(probe, thread, hit, &taken) ||
	    !find_caller(thread, &taken))
		return false;
	leg = counted_leg_left(taken.ring->space, at);
	if (at->role == ROLE_RETURN) {
		end(&taken, leg);
		return false;
	}
	to = counted_leg_led_to(taken.ring->space, target);
	if (leg)
		jump(&taken, leg);
	if (to)
		come(&taken, to);
	return leg != NULL;
}
