/*
 * drain.c - reading the records of fast nodes from the rings, and making hits
 * from them in the order of their time
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
#include <string.h>

#include "context_switches.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
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
#define BEYOND (4 * sizeof(struct ring_cell))

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

static uint64_t value_at(const struct ring *ring, uint32_t index)
{
	uint32_t offset = ring_value_offset(index), in_cell = offset % 32;
	uint64_t value;

	memcpy(&value,
	       (char *)ring_cell(ring, ring->tail + offset - in_cell) + in_cell,
	       sizeof(value));
	return value;
}

static struct value make_value(const struct fast_site *at,
			       const struct ring *ring, uint32_t index)
{
	return (struct value){.kind = at->values[index].kind,
			      .u = value_at(ring, index),
			      .is_address = at->values[index].is_address};
}

static uint64_t stack_at(const struct ring *ring, uint64_t sp)
{
	return sp >= ring->stack_low && sp <= ring->stack_high
		       ? ring->holder.serial
		       : 0;
}

/* `is_frame`: the record has the frame itself. */
static void read_frame(const struct attachment *attachment, struct ring *ring,
		       bool is_frame, struct hit *hit)
{
	uint64_t base = ring_cell(ring, ring->tail)->base;

	hit->frame = hit->stack = hit->sp = 0;
	if (attachment->breakpoint->wants_stack) {
		hit->sp = base;
		hit->stack = stack_at(ring, base);
	}
	if (!attachment->breakpoint->wants_frame || !attachment->has_cfa)
		return;
	hit->frame = is_frame ? base : base + (uint64_t)attachment->cfa.offset;
	hit->stack = stack_at(ring, base);
}

static void read_goroutine(const struct fast_part *part,
			   const struct ring *ring, struct hit *hit)
{
	hit->goroutine = hit->depth = 0;
	if (part->goroutine == FAST_NO_VALUE)
		return;
	hit->goroutine = value_at(ring, part->goroutine);
	if (part->stack_top != FAST_NO_VALUE && hit->frame)
		hit->depth = value_at(ring, part->stack_top) - hit->frame;
}

/* Make the text of a label from the number in the record. A number that has no
 * text is shown by its digits. */
static void make_text(struct probe *probe, const struct ring *ring,
		      const struct attachment *attachment, uint32_t index,
		      struct label *label)
{
	const struct breakpoint *breakpoint = attachment->breakpoint;
	size_t at = BOUND_KEYS + breakpoint->keys.count + index;
	const struct module *module = attachment->module;
	const struct expr_input input = {
		.reader = {.bias = module ? module->bias : 0},
		.modules = space_expr_modules(ring->space)};
	const struct bound_expr *expr =
		at < attachment->bound.count ? attachment->bound.data[at].expr
					     : NULL;
	char *text = probe->hit_values.label_texts.data[index].bytes;

	if (!expr || bound_expr_is_number(expr))
		return;
	bound_expr_label_of(expr, &input, label->value, text, LABEL_SIZE);
	*label = (struct label){.value = {.kind = VALUE_NONE}, .text = text};
}

static void make_labels(struct probe *probe, const struct fast_site *at,
			const struct fast_part *part, const struct ring *ring)
{
	/* The labels point to these texts, so the list must not be reallocated
	 * afterwards. */
	while (probe->hit_values.label_texts.count < part->label_count)
		vec_push(&probe->hit_values.label_texts,
			 (struct label_text){{0}});
	vec_clear(&probe->hit_values.labels);
	for (uint32_t i = 0; i < part->label_count; i++) {
		struct label label = {
			.value = make_value(at, ring, part->labels + i)};

		make_text(probe, ring, part->attachment, i, &label);
		vec_push(&probe->hit_values.labels, label);
	}
}

/* Make the value of an expression of the breakpoint (part). `at_bound` is the
 * index of the expression among the bound ones. If the record has the address
 * from which a function has called, the value is the function. */
static struct value make_value_of(const struct fast_site *at,
				  const struct fast_part *part,
				  const struct ring *ring, uint32_t index,
				  size_t at_bound)
{
	const struct bound_list *bound = &part->attachment->bound;
	struct value value = make_value(at, ring, index);
	struct expr_modules modules;

	if (!at->values[index].is_caller || at_bound >= bound->count ||
	    !bound->data[at_bound].expr)
		return value;
	modules = space_expr_modules(ring->space);
	value.u = bound_expr_calling(bound->data[at_bound].expr, &modules,
				     value.u);
	return value;
}

/* Read the values of one breakpoint (part) from the record. */
static void read_values(struct probe *probe, const struct fast_site *at,
			const struct fast_part *part, struct ring *ring,
			struct hit *hit)
{
	if (part->value != FAST_NO_VALUE)
		hit->value =
			make_value_of(at, part, ring, part->value, BOUND_VALUE);
	vec_clear(&probe->hit_values.keys);
	for (uint32_t i = 0; i < part->key_count; i++)
		vec_push(&probe->hit_values.keys,
			 make_value_of(at, part, ring, part->keys + i,
				       BOUND_KEYS + i));
	make_labels(probe, at, part, ring);
	hit->keys = probe->hit_values.keys.data;
	hit->labels = probe->hit_values.labels.data;
}

static inline void read_part(struct probe *probe, const struct fast_site *at,
			     const struct fast_part *part, struct ring *ring,
			     struct hit *hit)
{
	hit->value.kind = VALUE_NONE;
	hit->key_count = part->key_count;
	hit->label_count = part->label_count;
	hit->keys = NULL;
	hit->labels = NULL;
	if (part->value != FAST_NO_VALUE || part->key_count | part->label_count)
		read_values(probe, at, part, ring, hit);
	read_frame(part->attachment, ring, at->is_counting, hit);
	read_goroutine(part, ring, hit);
}

/* The parts (breakpoints of the fast site) whose condition was true and which
 * are enabled: one bit for each index. */
static uint32_t parts_hit(const struct fast_site *at, uint32_t mask)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < at->part_count; i++)
		if ((!mask || mask >> i & 1) && !(at->of_calls >> i & 1) &&
		    at->parts[i].attachment->breakpoint->enabled)
			parts |= 1U << i;
	return parts;
}

static void tell_break(const struct probe *probe, const struct ring *ring,
		       uint64_t time, double cost);

/* Report a hit of a breakpoint of probe_add_calls(). `awaited`: a breakpoint
 * may wait for the end of a frame of the thread. */
static void make_call(struct probe *probe, const struct attachment *at,
		      const struct ring *ring, struct hit *hit, bool awaited,
		      bool is_last)
{
	at->breakpoint->hits++;
	if (hit->frame)
		tell_call(probe, at->breakpoint, at,
			  awaited && at->role == ROLE_ENTRY &&
				  tails_led_to(probe, at, hit, hit->value.u),
			  hit);
	if (is_last)
		tell_break(probe, ring, hit->time, hit->cost_before);
}

/* Report a hit. `is_last`: no other hit is made of the same record. */
static void make_hit(struct probe *probe, struct attachment *at,
		     const struct ring *ring, struct hit *hit, bool awaited,
		     bool is_last)
{
	struct breakpoint *breakpoint = at->breakpoint;
	struct probe_event event;

	if (breakpoint->is_of_calls) {
		make_call(probe, at, ring, hit, awaited, is_last);
		return;
	}
	places_count(at, 1);
	hit->place = at->address - (at->module ? at->module->bias : 0);
	/* The members are set one by one, because setting all of them to zero
	 * first takes longer than the rest of this function. */
	event.kind = is_last ? PROBE_EVENT_FAST_HIT : PROBE_EVENT_HIT;
	event.breakpoint = breakpoint;
	event.is_conditional = breakpoint->condition != NULL;
	event.hit = hit;
	hit->node = breakpoint->id;
	probe->client.event(probe->client.context, &event);
}

/* Report the break of a record from which no hit is counted. It did not stop
 * the thread, and cost it only what calibration has found. */
static void tell_break(const struct probe *probe, const struct ring *ring,
		       uint64_t time, double cost)
{
	struct probe_event event;

	event.kind = PROBE_EVENT_HELD;
	event.holder = &ring->holder;
	event.from = event.to = time;
	event.before = event.after = cost;
	probe->client.event(probe->client.context, &event);
}

/* The address to which a jump out of a function leads. `part` is the part that
 * the tool's own breakpoint (tails.h) has at the site of this jump. The target
 * of an indirect jump is one of the values in the record that is being
 * reported, the next one of the ring. */
static uint64_t target_of(const struct fast_site *at,
			  const struct fast_part *part, const struct ring *ring)
{
	const struct attachment *attachment = part->attachment;
	const uint64_t *targets;
	size_t count;

	if (attachment->role != ROLE_JUMP_INDIRECT)
		return attachment->target;
	if (!at->is_counting)
		return make_value(at, ring, part->value + 1u).u;
	/* The thread was not on its own stack, where it would have noted the
	 * jump by itself; its record has one value only. */
	targets = tails_targets(ring->space, attachment, &count);
	return count ? targets[0] : 0;
}

/* Select those of the parts that have this role. */
static uint32_t parts_of_role(const struct fast_site *at, uint32_t parts,
			      enum role role)
{
	uint32_t found = 0;

	for (; parts; parts &= parts - 1)
		if (at->parts[__builtin_ctz(parts)].attachment->role == role)
			found |= parts & -parts;
	return found;
}

/* May a breakpoint wait for the end of a frame of the thread or goroutine that
 * has made the hit? In Go code, the answer is yes, because the goroutine is not
 * known yet. */
static bool may_be_awaited(struct probe *probe, const struct fast_site *at,
			   const struct hit *hit)
{
	const struct fast_part *part = &at->parts[__builtin_ctz(at->of_tails)];

	return part->goroutine != FAST_NO_VALUE ||
	       tails_are_awaited(probe, hit->thread);
}

/*
 * Make the hits of a record that has parts of the tool's own breakpoint, which
 * follows frames (tails.h). The entry of a function is noted before the other
 * hits are made; jumps and returns are noted after them. If no breakpoint waits
 * for the end of a frame of the thread, entries and returns need not be noted.
 */
static void tell_frames(struct probe *probe, const struct fast_site *at,
			struct ring *ring, uint32_t parts, struct hit *hit)
{
	uint32_t others = parts & at->of_tails, hits = parts & ~others;
	uint32_t entries = parts_of_role(at, others, ROLE_ENTRY);
	bool awaited = may_be_awaited(probe, at, hit);
	double cost = hit->cost_before;

	if (!hits)
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_FOLLOWED,
						 .pid = hit->pid,
						 .tid = hit->tid});
	others &= ~entries;
	if (!awaited)
		others &= ~parts_of_role(at, others, ROLE_RETURN);
	for (; awaited && entries; entries &= entries - 1) {
		const struct fast_part *part =
			&at->parts[__builtin_ctz(entries)];

		read_part(probe, at, part, ring, hit);
		tails_arrive_fast(probe, part->attachment, hit, hit->value.u);
	}
	for (; hits; hits &= hits - 1) {
		const struct fast_part *part = &at->parts[__builtin_ctz(hits)];
		bool is_last = !(hits & (hits - 1)) && !others;

		read_part(probe, at, part, ring, hit);
		hit->back =
			awaited && tails_is_back(probe, part->attachment, hit);
		make_hit(probe, part->attachment, ring, hit, awaited, is_last);
		if (is_last)
			return;
	}
	for (; others; others &= others - 1) {
		const struct fast_part *part =
			&at->parts[__builtin_ctz(others)];

		read_part(probe, at, part, ring, hit);
		tails_depart_fast(probe, ring->space, part->attachment, hit,
				  hit->value.u, target_of(at, part, ring));
	}
	tell_break(probe, ring, hit->time, cost);
}

/* Does the record repeat an earlier one, because a signal interrupted the
 * thread behind the jump and the thread has come through the jump once more? */
static bool is_again(struct probe *probe, const struct fast_site *at,
		     const struct ring *ring)
{
	return probe->interrupted.count &&
	       is_recorded_again(probe, ring->holder.pid, at->trampoline.site,
				 at->base, ring_cell(ring, ring->tail)->base);
}

/* Is the record only of a wait for a lock? Then it is not charged: the thread
 * would be sampled, and the kernel's timer would make each of its switches cost
 * several times as much as the wait itself. */
static bool is_of_wait(const struct fast_site *at)
{
	return at->part_count == 1 && at->parts[0].attachment &&
	       request_is_of_waits(at->parts[0].attachment->breakpoint->kind);
}

static void tell(struct probe *probe, const struct fast_site *at,
		 struct ring *ring)
{
	const struct ring_cell *cell = ring_cell(ring, ring->tail);
	uint32_t parts =
		is_again(probe, at, ring)
			? 0
			: parts_hit(at,
				    cell->mask & ((1U << RING_MASK_BITS) - 1));
	double cost = probe->costs.fast.cost * cost_in_run_factor(probe);
	struct hit hit;

	/* The members are set one by one, because setting the whole struct to
	 * zero takes longer than the rest of this function. */
	hit.thread = ring->holder.serial;
	hit.pid = ring->holder.pid;
	hit.tid = ring->holder.tid;
	hit.time = clock_from_tsc(probe->clock, cell->time);
	hit.mechanism = HIT_FAST;
	hit.cost_before = cost / 2;
	hit.back = false;
	hit.origin = NULL;
	if (!is_of_wait(at))
		cost_in_run_charge(probe, ring, probe->costs.fast.cost);
	switches_before(probe, ring->watch, hit.time);
	if (cell->mask >> RING_MASK_BITS)
		counts_read_hits(probe, ring, cell->mask);
	if (at->of_tails) {
		tell_frames(probe, at, ring, parts, &hit);
		return;
	}
	if (!parts)
		tell_break(probe, ring, hit.time, cost / 2);
	for (; parts; parts &= parts - 1) {
		const struct fast_part *part = &at->parts[__builtin_ctz(parts)];

		read_part(probe, at, part, ring, &hit);
		make_hit(probe, part->attachment, ring, &hit, true,
			 !(parts & (parts - 1)));
	}
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
		tell(probe, at, ring);
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
			? __rdtsc() + clock_ticks(probe->clock, MARGIN)
			: clock_to_tsc(probe->clock, until);
	return drain_until(probe, until, whole);
}

size_t drain_now(struct probe *probe)
{
	if (!probe->rings.list.count)
		return 0;
	return drain_until(probe, __rdtsc() - clock_ticks(probe->clock, MARGIN),
			   false);
}

void probe_catch_up(struct probe *probe)
{
	uint64_t until = clock_now(probe->clock) + MARGIN;

	while (probe->rings.list.count && clock_now(probe->clock) < until)
		drain_now(probe);
	probe_read_counts(probe);
}
