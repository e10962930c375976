/*
 * drain.c - reading the records of fast nodes from the rings, in the order of
 * their time
 *
 * A ring holds the records of one thread, in order. The reader reports the
 * earliest record of all rings first, unless an earlier record may still
 * appear. An earlier record may appear if a thread has reserved a record and
 * not completed it, or if a thread has read the processor's counter and its
 * record is not visible yet (a processor makes its writes visible late, but not
 * later than MARGIN).
 *
 * The rings are in the program's memory, and the program may write anything
 * there. A record that cannot be true is counted as lost, and the user is told
 * once. No value that the reader finds in a ring decides how far it goes.
 */
#include "recorded_hits.h"

#include "context_switches.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "resumption.h"
#include "rings.h"

#define MARGIN 20000 /* ns */

enum look { LOOK_EMPTY, LOOK_PENDING, LOOK_READY };

/* How far beyond the end of its ring a thread may have reserved a record: the
 * one for which it waits for room. */
#define BEYOND ((1UL << RING_SITE_SHIFT) * sizeof(struct ring_cell))

/* Make the ring empty: the next record will be at the reader's position, and
 * nothing in the ring counts as a record. */
static void restart(struct ring *ring)
{
	for (uint64_t at = 0; at < ring->size; at += sizeof(struct ring_cell)) {
		struct ring_cell *cell = ring_cell(ring, ring->tail + at);

		if (__atomic_load_n(&cell->site, __ATOMIC_RELAXED))
			__atomic_store_n(&cell->site, 0, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&ring->header->head, ring->tail, __ATOMIC_RELEASE);
	ring->head = ring->tail;
	ring->is_overwritten = true;
}

/* Read again the position up to which the thread has reserved records. */
static void read_head(struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->header->head, __ATOMIC_ACQUIRE);

	if (head - ring->tail > ring->size + BEYOND ||
	    head % sizeof(struct ring_cell))
		restart(ring);
	else
		ring->head = head;
}

static void zero_cell(struct ring *ring)
{
	__atomic_store_n(&ring_cell(ring, ring->tail)->site, 0,
			 __ATOMIC_RELAXED);
	ring->tail += sizeof(struct ring_cell);
}

/*
 * Find the next record of a ring, and skip cells that mean nothing. The thread
 * writes to `head` at every hit. If the tool read `head` as often, thread and
 * tool would keep waiting for the cache line that contains it. So the tool
 * reads `head` only when it has read everything up to the last known value.
 */
static enum look look(struct ring *ring)
{
	for (;;) {
		uint32_t site;

		if (ring->tail >= ring->head)
			read_head(ring);
		if (ring->tail >= ring->head)
			return LOOK_EMPTY;
		site = __atomic_load_n(&ring_cell(ring, ring->tail)->site,
				       __ATOMIC_ACQUIRE);
		if (site && site != RING_VOID)
			return LOOK_READY;
		if (!site && ring->thread && ring->tail >= ring->written)
			return LOOK_PENDING;
		/* The record is not complete, and the thread will never
		 * complete it. Either the thread was killed; or it has gone on
		 * to later records, so it must have completed this record, and
		 * the program has overwritten the record. */
		ring->is_overwritten |= !site && ring->thread;
		ring->lost += !site;
		zero_cell(ring);
	}
}

static uint64_t next_time(const struct ring *ring)
{
	return ring_cell(ring, ring->tail)->time;
}

/* Report that the thread waited for room in its ring before it wrote this
 * record. */
static void tell_stall(struct probe *probe, struct ring *ring)
{
	const struct ring_header *header = ring->header;

	/* (The start of the wait is the one noted at the trap: the thread may
	 * be waiting again and have overwritten `stall_from` in the header.) */
	uint64_t from = clock_from_tsc(probe->clock, ring->stall_from);
	uint64_t to = clock_from_tsc(probe->clock, header->stall_to);

	ring->stalled = UINT64_MAX;
	if (from > to || to > clock_now(probe->clock)) {
		ring->is_overwritten = true;
		return;
	}
	switches_stalled(probe, ring->watch, from, to);
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_STALLED,
					 .holder = &ring->holder,
					 .from = from,
					 .to = to});
}

/* The calibrating thread has passed one of its jumps. */
static void add_calibration(struct probe *probe, enum purpose purpose,
			    uint64_t tsc)
{
	struct fast_costs *fast = &probe->costs.fast;

	double ns = (double)(tsc - fast->from) * clock_tick(probe->clock);

	if (purpose == SITE_FAST_TO)
		cost_add_jump(&fast->empty, ns);
	else if (purpose == SITE_AROUND_TO)
		cost_add_jump(&fast->around, ns);
	else if (purpose == SITE_BESIDE_TO)
		cost_add_jump(&fast->beside, ns);
	else if (purpose == SITE_AMID_TO)
		cost_add_jump(&fast->amid, ns);
	else
		fast->from = tsc;
}

/* Remove the next record from the ring and report it, unless its site does not
 * exist any more. */
static void take(struct probe *probe, struct ring *ring)
{
	const struct ring_cell *cell = ring_cell(ring, ring->tail);
	bool is_call = cell->site == RING_CALL;
	bool is_told = cell->site & RING_TOLD && !is_call;
	const struct fast_site *at =
		is_told || is_call
			? NULL
			: fast_site_find(probe, cell->site >> RING_SITE_SHIFT);
	uint32_t cells = (cell->site & ((1U << RING_SITE_SHIFT) - 1)) + 1;

	if (ring->tail == ring->stalled)
		tell_stall(probe, ring);
	if (is_call)
		calls_tell_one(probe, ring);
	else if (is_told && ring->is_counted)
		counts_tell(probe, ring);
	else if (at && at->purpose == SITE_RESUME)
		resumed_at(probe, ring,
			   clock_from_tsc(probe->clock, cell->time));
	else if (at && at->purpose != SITE_USER)
		add_calibration(probe, at->purpose, cell->time);
	else if (at && ring->is_counted)
		recorded_hits_tell(probe, at, ring);
	while (cells-- && ring->tail < ring->head)
		zero_cell(ring);
}

/* Drop the next record if its time is in the future: then the program has
 * overwritten the record, and to wait for that time could take for ever. */
static bool drop_if_impossible(struct probe *probe, struct ring *ring)
{
	if (clock_from_tsc(probe->clock, next_time(ring)) <=
	    clock_now(probe->clock) + MARGIN)
		return false;
	ring->is_overwritten = true;
	ring->lost++;
	zero_cell(ring);
	return true;
}

/* Find the ring whose next record is the earliest. `*other` is the time of the
 * earliest record in the other rings. Returns false if there is no record, or
 * if a record that is earlier may still appear. */
static bool find_earliest(struct probe *probe, bool whole, struct ring **out,
			  uint64_t *other)
{
	uint64_t best = UINT64_MAX;

	*out = NULL;
	*other = UINT64_MAX;
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];
		enum look found = ring->space ? look(ring) : LOOK_EMPTY;
		uint64_t time;

		if (found == LOOK_PENDING && !whole)
			return false;
		if (found != LOOK_READY)
			continue;
		time = next_time(ring);
		if (time < best || !*out) {
			*other = best;
			best = time;
			*out = ring;
		} else if (time < *other) {
			*other = time;
		}
	}
	return *out != NULL;
}

uint64_t ring_told_until(const struct probe *probe, struct ring *ring)
{
	/* A record of an earlier time may not be visible yet. */
	uint64_t now = clock_now(probe->clock) - MARGIN;

	switch (look(ring)) {
	case LOOK_EMPTY:
		return now;
	case LOOK_READY:
		/* The switches of a wait for room in the ring are reported
		 * together with the record for which the thread waited. */
		return clock_from_tsc(probe->clock, ring->tail == ring->stalled
							    ? ring->stall_from
							    : next_time(ring));
	case LOOK_PENDING:
		break;
	}
	return 0;
}

static void tell_of_overwritten(struct probe *probe)
{
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];

		if (!ring->is_overwritten)
			continue;
		ring->is_overwritten = false;
		note(probe,
		     "process %d has written into perftool's records of its "
		     "thread %d: hits of that thread are lost, or wrong",
		     ring->holder.pid, ring->holder.tid);
	}
}

static void give_room(struct probe *probe)
{
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];

		__atomic_store_n(&ring->header->limit,
				 ring->tail + ring_room(probe, ring),
				 __ATOMIC_RELEASE);
	}
}

/* After this many records the reader gives their room back to the threads, so
 * that threads that have filled their rings can go on meanwhile. */
#define MANY 1024

/* How many rings had records since the last time? */
static size_t count_active(struct probe *probe)
{
	size_t count = 0;

	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];

		count += ring->tail != ring->tail_before;
		ring->tail_before = ring->tail;
	}
	return count;
}

static size_t drain_until(struct probe *probe, uint64_t until, bool whole)
{
	uint64_t from = clock_now(probe->clock), other;
	struct ring *ring;
	size_t count = 0;

	while (find_earliest(probe, whole, &ring, &other)) {
		if (next_time(ring) > until) {
			if (drop_if_impossible(probe, ring))
				continue;
			break;
		}
		do {
			take(probe, ring);
			if (++count % MANY == 0)
				give_room(probe);
		} while (look(ring) == LOOK_READY && next_time(ring) <= other &&
			 next_time(ring) <= until);
	}
	if (count)
		backlog_note(&probe->rings.backlog,
			     clock_now(probe->clock) - from, count,
			     count_active(probe));
	give_room(probe);
	tell_of_overwritten(probe);
	rings_tidy(probe);
	return count;
}

size_t drain(struct probe *probe, uint64_t until, bool whole)
{
	if (!probe->rings.list.count)
		return 0;
	/* (No thread that has stopped has a record of a later time than now.
	 * Those that run go on writing.) */
	until = until == UINT64_MAX
			? clock_read_tsc() + clock_ticks(probe->clock, MARGIN)
			: clock_to_tsc(probe->clock, until);
	return drain_until(probe, until, whole);
}

size_t drain_now(struct probe *probe)
{
	if (!probe->rings.list.count)
		return 0;
	return drain_until(probe,
			   clock_read_tsc() - clock_ticks(probe->clock, MARGIN),
			   false);
}

void probe_catch_up(struct probe *probe)
{
	uint64_t until = clock_now(probe->clock) + MARGIN;

	while (probe->rings.list.count && clock_now(probe->clock) < until)
		drain_now(probe);
	probe_read_counts(probe);
}
