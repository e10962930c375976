/*
 * counts.c - reading what threads count by themselves in their blocks
 *
 * The tool maps the blocks, too, and reads them while the threads go on. It
 * remembers what it has read, and tells the differences: so nothing is told
 * twice, and a sum that was read in the middle of a hit is completed by the
 * next reading. What is read last, when the thread is stopped or has ended, is
 * exact.
 */
#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "probe/breakpoint.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "rings.h"

/* ---- the sums ---------------------------------------------------------- */

static struct read_leg *read_leg_of(struct ring_counts *counts, uint32_t leg)
{
	if (leg >= counts->leg_count) {
		size_t count = leg + 1 + counts->leg_count;

		counts->legs =
			xrealloc(counts->legs, count * sizeof(*counts->legs));
		memset(counts->legs + counts->leg_count, 0,
		       (count - counts->leg_count) * sizeof(*counts->legs));
		counts->leg_count = count;
	}
	return &counts->legs[leg];
}

static uint32_t *buckets_in(const struct ring *ring,
			    const struct counting_leg *leg)
{
	return leg->buckets >= COUNTING_BUCKETS &&
			       leg->buckets <=
				       COUNTING_ORDER - COUNTING_SET_SIZE
		       ? (uint32_t *)((char *)ring->header + leg->buckets)
		       : NULL;
}

void counts_forget_leg(struct ring *ring, uint32_t leg)
{
	struct counting_leg *now = block_leg(ring, leg);
	struct read_leg *read = read_leg_of(&ring->counts, leg);
	uint32_t *buckets = buckets_in(ring, now);

	if (buckets)
		memset(buckets, 0, COUNTING_SET_SIZE);
	*now = (struct counting_leg){.buckets = now->buckets,
				     .min = UINT32_MAX};
	block_order(ring, leg)->start = 0;
	free(read->buckets);
	*read = (struct read_leg){0};
}

/* Read the buckets of the leg, and store those that have counted something
 * since they were last read. Returns how many these are. */
static size_t read_buckets(const struct ring *ring,
			   const struct counting_leg *now,
			   struct read_leg *read,
			   struct counted_bucket out[COUNTING_BUCKETS_OF_LEG])
{
	const uint32_t *buckets = buckets_in(ring, now);
	size_t count = 0;

	if (!buckets)
		return 0;
	if (!read->buckets)
		read->buckets = xcalloc(COUNTING_BUCKETS_OF_LEG,
					sizeof(*read->buckets));
	for (unsigned i = 0; i < COUNTING_BUCKETS_OF_LEG; i++) {
		uint32_t value = __atomic_load_n(&buckets[i], __ATOMIC_RELAXED);

		if (value == read->buckets[i])
			continue;
		out[count].ns = counting_bucket_low(i);
		out[count++].count = value - read->buckets[i];
		read->buckets[i] = value;
	}
	return count;
}

/* The tool begins to look for the smallest and the largest duration anew. */
static void reset_range(struct counting_leg *leg)
{
	__atomic_store_n(&leg->min, UINT32_MAX, __ATOMIC_RELAXED);
	__atomic_store_n(&leg->max, 0, __ATOMIC_RELAXED);
}

/* Compute the figures of the executions since the leg was last read. */
static void sum_up(const struct probe *probe, const struct counting_leg *now,
		   struct read_leg *read, struct counted *out)
{
	double unit = counts_units_ns(probe, 1, COUNTING_UNIT_BITS);
	double n = (double)out->count;
	double sum = (double)(now->sum - read->last.sum);
	double squares = (double)(now->squares - read->last.squares);
	int64_t total = (int64_t)((double)now->sum * unit +
				  (now->sum < 0 ? -0.5 : 0.5));
	double m2 = squares - sum * sum / n;

	out->total = total - read->total;
	read->total = total;
	out->mean = sum / n * unit;
	out->m2 = m2 > 0 ? m2 * unit * unit : 0;
	/* The thread may have changed them since its leg was read. */
	out->min = now->min > now->max ? now->max : now->min;
	out->max = now->max;
}

void counts_add_hits(const struct probe *probe, uint32_t id, uint64_t count)
{
	struct breakpoint *breakpoint = probe_find(probe, id);

	if (breakpoint)
		breakpoint->hits += count;
}

/* No thread makes so many hits from one reading to the next. If a block says
 * so, the program has written into it. */
#define MOST_HITS (UINT64_C(1) << 44)

void counts_read_leg(struct probe *probe, struct ring *ring,
		     const struct counted_leg *leg)
{
	struct counting_leg *in_block = block_leg(ring, leg->leg), now;
	struct read_leg *read = read_leg_of(&ring->counts, leg->leg);
	struct counted_bucket buckets[COUNTING_BUCKETS_OF_LEG];
	struct counted counted;

	/* The number of executions is read first: the thread changes it last.
	 */
	now.count = __atomic_load_n(&in_block->count, __ATOMIC_ACQUIRE);
	counted.count = now.count - read->last.count;
	memcpy(&now, in_block, sizeof(now));
	now.count = read->last.count + counted.count;
	counted.entered = now.entered - read->last.entered;
	counted.unwound = leg->by_order ? 0 : now.unwound - read->last.unwound;
	counted.is_mixed = leg->by_order && now.unwound != read->last.unwound;
	counted.shares_to = leg->to_begins;
	counted.ignored = now.ignored - read->last.ignored;
	counted.ignored_from = now.ignored_from - read->last.ignored_from;
	if (!counted.entered && !counted.count && !counted.ignored &&
	    !counted.ignored_from && !counted.unwound)
		return;
	if (counted.entered > MOST_HITS || counted.count > MOST_HITS) {
		ring->is_overwritten = true;
		read->last = now;
		return;
	}
	counted.buckets = buckets;
	counted.bucket_count = 0;
	counted.total = 0;
	if (counted.count) {
		counted.bucket_count = read_buckets(ring, &now, read, buckets);
		sum_up(probe, &now, read, &counted);
		reset_range(in_block);
	}
	read->last = now;
	counts_add_hits(probe, leg->from,
			counted.entered + counted.ignored_from);
	if (!counted.shares_to)
		counts_add_hits(probe, leg->to,
				counted.count + counted.ignored);
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_COUNTED,
					 .counter = &ring->holder,
					 .leg = leg->leg,
					 .counted = &counted});
}

/* ---- what hits cost ---------------------------------------------------- */

static double counted_cost(const struct probe *probe)
{
	const struct fast_costs *fast = &probe->costs.fast;

	return fast->counted > 0 ? fast->counted : fast->cost;
}

static double followed_cost(const struct probe *probe)
{
	const struct fast_costs *fast = &probe->costs.fast;

	return fast->counted > 0 ? fast->followed : fast->cost;
}

/* Is the ring's thread being used for a calibration? Its counts then contain
 * hits that will be taken out again. */
static bool is_calibrating(const struct probe *probe, const struct ring *ring)
{
	return ring->thread && ring->thread == probe->calibration.thread;
}

/* Does the tool read the counts of this ring's thread now? */
static bool is_read(const struct probe *probe, const struct ring *ring)
{
	return ring->space && ring->is_counted &&
	       (ring->space->fast.counted.list.count || ring->counts_calls) &&
	       !is_calibrating(probe, ring);
}

/* What hits have cost that a thread has counted by itself, of which so many
 * were hits of calls, as calibration has it, ns. */
static double calibrated_cost(const struct probe *probe, double hits,
			      double calls)
{
	return (hits - calls) * counted_cost(probe) + calls * calls_cost(probe);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t counts_hits(const struct ring *ring)
{
	return __atomic_load_n(&ring->header->counting.counted,
			       __ATOMIC_RELAXED);
}

#define COUNTED_BITS (32 - RING_MASK_BITS)

void counts_read_hits(struct probe *probe, struct ring *ring, uint32_t mask)
{
	struct ring_counts *counts = &ring->counts;
	uint64_t more = (mask >> RING_MASK_BITS) - counts->hits;
	uint64_t all = counts_hits(ring), calls;

	/* The record has the low bits of the number. The thread cannot count
	 * more hits than these bits can tell from one reading of the rings to
	 * the next. */
	more &= (UINT64_C(1) << COUNTED_BITS) - 1;
	if (is_calibrating(probe, ring) || !more || all < counts->hits ||
	    more > all - counts->hits)
		return;
	counts->hits += more;
	/* Which of these are hits of calls is not known; that they are as many
	 * of them as of all hits is near enough. */
	calls = least(calls_hits(ring), all);
	emit(probe,
	     (struct probe_event){
		     .kind = PROBE_EVENT_COUNTED_HITS,
		     .counter = &ring->holder,
		     .taken = calibrated_cost(probe, (double)more,
					      (double)more * (double)calls /
						      (double)all) *
			      cost_in_run_factor(probe)});
}

void counts_read_overhead(struct probe *probe, struct ring *ring)
{
	uint64_t followed = __atomic_load_n(&ring->header->counting.followed,
					    __ATOMIC_RELAXED);
	uint64_t hits = counts_hits(ring);
	uint64_t all_calls = calls_hits(ring);
	uint64_t more = hits - ring->counts.overhead_hits;
	uint64_t calls = least(all_calls - ring->counts.call_hits, more);
	double cost = calibrated_cost(probe, (double)more, (double)calls) +
		      (double)(followed - ring->counts.followed) *
			      followed_cost(probe);

	if (!is_read(probe, ring) || (hits == ring->counts.overhead_hits &&
				      followed == ring->counts.followed))
		return;
	cost_in_run_charge(probe, ring, cost);
	emit(probe,
	     (struct probe_event){.kind = PROBE_EVENT_COUNTED_OVERHEAD,
				  .counter = &ring->holder,
				  .taken = cost * cost_in_run_factor(probe),
				  .count = followed - ring->counts.followed});
	ring->counts.overhead_hits = hits;
	ring->counts.call_hits = all_calls;
	ring->counts.followed = followed;
}

/* Tell when the activations began that may be open. (Free activations are told,
 * too, with the times when they were last open. That does no harm.) */
static void tell_open(const struct probe *probe, const struct ring *ring)
{
	const struct counted_legs *legs = &ring->space->fast.counted;
	uint32_t end = ring->header->counting.fresh;
	VEC(uint64_t) times = {0};

	if (end > COUNTING_OPEN_SIZE)
		end = COUNTING_OPEN_SIZE;
	for (uint32_t at = sizeof(struct counting_open); at < end;
	     at += sizeof(struct counting_open))
		vec_push(&times, clock_from_tsc(probe->clock,
						block_open(ring, at)->start));
	for (size_t i = 0; i < legs->list.count; i++) {
		const struct counted_leg *leg = &legs->list.data[i];
		uint64_t start = block_order(ring, leg->leg)->start;

		if (leg->by_order && start)
			vec_push(&times, clock_from_tsc(probe->clock, start));
	}
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_OPEN_SINCE,
					 .counter = &ring->holder,
					 .times = times.data,
					 .count = times.count});
	vec_free(&times);
}

void counts_read(struct probe *probe, struct ring *ring)
{
	const struct counted_legs *legs;

	if (ring->is_counted && ring->space &&
	    !ring->space->fast.counted.list.count)
		/* The thread counts no leg by itself at present, so it has no
		 * execution open of which it will tell. */
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_OPEN_SINCE,
						 .counter = &ring->holder});
	if (!is_read(probe, ring))
		return;
	legs = &ring->space->fast.counted;
	for (size_t i = 0; i < legs->list.count; i++)
		if (!legs->list.data[i].is_refused)
			counts_read_leg(probe, ring, &legs->list.data[i]);
	counts_read_overhead(probe, ring);
	tell_open(probe, ring);
	calls_tell(probe, ring, false);
}

bool counts_calibrated(const struct probe *probe, struct ring *ring,
		       double *own)
{
	const struct counting_leg *now = block_leg(ring, COUNTING_CALIBRATION);
	struct read_leg *read =
		read_leg_of(&ring->counts, COUNTING_CALIBRATION);
	uint64_t count = now->count - read->last.count;
	int64_t sum = now->sum - read->last.sum;

	read->last = *now;
	if (!count)
		return false;
	*own = counts_units_ns(probe, sum, COUNTING_UNIT_BITS) / (double)count +
	       counts_units_ns(probe,
			       ring->header->counting.own + COUNTING_HALF_UNIT,
			       COUNTING_COST_BITS);
	return true;
}

void counts_keep(struct ring *ring, struct counts_kept *out)
{
	struct counting_state *counting = &ring->header->counting;

	*out = (struct counts_kept){.counted = counting->counted,
				    .followed = counting->followed,
				    .taken = counting->taken,
				    .out = counting->out};
	counting->out = 0;
}

void counts_put_back(struct ring *ring, const struct counts_kept *kept)
{
	struct counting_state *counting = &ring->header->counting;

	counting->counted = kept->counted;
	counting->followed = kept->followed;
	counting->taken = kept->taken;
	counting->out = kept->out;
}

/* ---- executions that are told ------------------------------------------ */

void counts_tell(struct probe *probe, struct ring *ring)
{
	const struct ring_cell *cell = ring_cell(ring, ring->tail);
	uint32_t leg = (cell->site & ~RING_TOLD) >> RING_SITE_SHIFT;
	const struct counted_leg *counted =
		counted_leg_find(&ring->space->fast.counted, leg);
	struct probe_event event = {
		.kind = PROBE_EVENT_TOLD,
		.counter = &ring->holder,
		.leg = leg,
		.began = clock_from_tsc(probe->clock, cell->base),
		.ended = clock_from_tsc(probe->clock, cell->time),
		.taken = counts_units_ns(probe,
					 (int64_t)cell->value +
						 ring->header->counting.own,
					 COUNTING_COST_BITS),
	};

	counts_read_hits(probe, ring, cell->mask);
	if (!counted || event.began > event.ended)
		return;
	switches_before(probe, ring->watch, event.ended);
	event.shares_to = counted->to_begins;
	if (!event.shares_to)
		counts_add_hits(probe, counted->to, 1);
	emit(probe, event);
}

void counts_deinit(struct ring_counts *counts)
{
	for (size_t i = 0; i < counts->leg_count; i++)
		free(counts->legs[i].buckets);
	free(counts->legs);
	*counts = (struct ring_counts){0};
}

/* ---- all rings --------------------------------------------------------- */

void probe_read_counts(struct probe *probe)
{
	uint64_t now = clock_now(probe->clock);

	cost_in_run_read(probe);
	for (size_t i = 0; i < probe->rings.list.count; i++)
		counts_read(probe, probe->rings.list.data[i]);
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_COUNTED_UNTIL,
					 .from = probe->rings.counts_read_at,
					 .to = now});
	probe->rings.counts_read_at = now;
}

void probe_discard_counts(struct probe *probe)
{
	uint64_t now = clock_read_tsc();

	probe_catch_up(probe);
	for (size_t i = 0; i < probe->rings.list.count; i++)
		__atomic_store_n(
			&probe->rings.list.data[i]->header->counting.since, now,
			__ATOMIC_RELEASE);
}
