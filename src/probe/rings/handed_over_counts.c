/*
 * handed_over_counts.c - what threads have open of a leg that they will not
 * count any more: the tool takes it over
 */
#include "counts.h"

#include "block.h"
#include "perftool/base/alloc.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "rings.h"

/* Tell of an activation that is handed over, unless it was discarded. */
static void tell_handed_over(const struct probe *probe, const struct ring *ring,
			     uint32_t leg, const struct counting_open *open)
{
	const struct counting_state *counting = &ring->header->counting;
	int64_t taken = (int64_t)(counting->taken - open->taken);

	if (open->start < counting->since)
		return;
	emit(probe,
	     (struct probe_event){
		     .kind = PROBE_EVENT_HANDED_OVER,
		     .counter = &ring->holder,
		     .leg = leg,
		     .began = clock_from_tsc(probe->clock, open->start),
		     .taken = counts_units_ns(probe, taken, COUNTING_COST_BITS),
		     .frame = open->frame});
}

static void hand_over_order(const struct probe *probe, const struct ring *ring,
			    uint32_t leg)
{
	struct counting_open *open = block_order(ring, leg);

	tell_handed_over(probe, ring, leg, open);
	open->start = 0;
}

static void hand_over(struct probe *probe, struct ring *ring, uint32_t id)
{
	struct counting_state *counting = &ring->header->counting;
	struct counting_leg *leg = block_leg(ring, id);
	VEC(uint32_t) open = {0};

	/* (The program may have written anything here.) */
	for (uint32_t at = leg->top; at && at < COUNTING_OPEN_SIZE &&
				     at % sizeof(struct counting_open) == 0 &&
				     open.count < COUNTING_MOST_OPEN;
	     at = block_open(ring, at)->below)
		vec_push(&open, at);
	leg->top = 0;
	for (size_t i = open.count; i-- > 0;) {
		struct counting_open *at = block_open(ring, open.data[i]);

		tell_handed_over(probe, ring, id, at);
		at->below = counting->free;
		counting->free = open.data[i];
	}
	vec_free(&open);
}

static enum tail_state state_of(const struct counting_out *out)
{
	switch (out->state) {
	case COUNTING_COMING:
		return TAIL_COMING;
	case COUNTING_IN_FRAME:
		return TAIL_IN;
	default:
		return TAIL_OUT;
	}
}

static uint32_t count_of(const struct counting_out *out)
{
	/* (The program may have written anything here.) */
	return out->backs < HIT_MOST_BACK ? out->backs + 1 : HIT_MOST_BACK;
}

/* Hand over the frames that the function of the leg has left by tail jumps. */
static void hand_over_frames(struct probe *probe, struct ring *ring,
			     const struct counted_leg *leg)
{
	struct counting_state *counting = &ring->header->counting;
	uint32_t kept = 0, size = sizeof(struct counting_out);

	for (uint32_t at = size; at <= counting->out && at < COUNTING_OUT_SIZE;
	     at += size) {
		const struct counting_out out = *block_out(ring, at);
		const struct tail_spot spot = {.owner = ring->holder.serial,
					       .cfa = out.frame,
					       .stack = ring->holder.serial,
					       .caller = out.caller,
					       .function = leg->function};

		if (out.leg == leg->leg)
			tail_frames_take_over(&probe->tails.frames, &spot,
					      leg->to, state_of(&out),
					      count_of(&out));
		else
			*block_out(ring, kept += size) = out;
	}
	counting->out = kept;
}

void counts_hand_over(struct probe *probe, struct space *space,
		      const struct counted_leg *leg)
{
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];

		if (ring->space != space || !ring->is_counted)
			continue;
		counts_read_hits(
			probe, ring,
			(uint32_t)(counts_hits(ring) << RING_MASK_BITS));
		/* The tool may have made hits since the counts were read. */
		counts_read_leg(probe, ring, leg);
		if (leg->by_order) {
			hand_over_order(probe, ring, leg->leg);
			continue;
		}
		hand_over(probe, ring, leg->leg);
		hand_over_frames(probe, ring, leg);
	}
}
