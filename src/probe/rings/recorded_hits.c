/*
 * recorded_hits.c - making hits from one record of a fast node: the values in
 * the record, its breakpoints, and the frames that begin or end there
 */
#include "recorded_hits.h"

#include <string.h>

#include "context_switches.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "rings.h"

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

/* A text of the record, and the address that it was read from. */
struct recorded_text {
	uint64_t address;
	uint64_t words[LABEL_SIZE / sizeof(uint64_t)];
	size_t size;
};

static bool read_recorded(void *context, uint64_t address, void *buffer,
			  size_t size)
{
	const struct recorded_text *text = context;
	uint64_t offset = address - text->address;

	if (offset > text->size || size > text->size - offset)
		return false;
	memcpy(buffer, (const char *)text->words + offset, size);
	return true;
}

/* Make a label that is a text of the record, as bound_expr_label() would have
 * made it at the hit. */
static void take_text(const struct ring *ring, const struct bound_expr *expr,
		      const struct fast_value *value, struct label *label,
		      char *buffer)
{
	struct recorded_text text = {.address = label->value.u};
	const struct expr_input input = {
		.reader = {.read = read_recorded, .context = &text}};
	struct error *error;

	for (uint32_t i = 0;
	     i < value->text_words && text.size < sizeof(text.words); i++) {
		text.words[i] = value_at(ring, value->text + i);
		text.size += sizeof(uint64_t);
	}
	error = bound_expr_label_of_text(expr, &input, label->value.u, buffer,
					 LABEL_SIZE);
	*label = (struct label){.value = {.kind = VALUE_NONE},
				.text = error ? NULL : buffer};
	error_destroy(error);
}

/* Make the text of a label from the number in the record. A number that has no
 * text is shown by its digits. */
static void make_text(struct probe *probe, const struct fast_site *at,
		      const struct fast_part *part, const struct ring *ring,
		      uint32_t index, struct label *label)
{
	const struct attachment *attachment = part->attachment;
	const struct breakpoint *breakpoint = attachment->breakpoint;
	const struct fast_value *value = &at->values[part->labels + index];
	size_t number = BOUND_KEYS + breakpoint->keys.count + index;
	const struct module *module = attachment->module;
	const struct expr_input input = {
		.reader = {.bias = module ? module->bias : 0},
		.modules = space_expr_modules(ring->space)};
	const struct bound_expr *expr =
		number < attachment->bound.count
			? attachment->bound.data[number].expr
			: NULL;
	char *text = probe->hit_values.label_texts.data[index].bytes;

	if (!expr || bound_expr_is_number(expr))
		return;
	if (value->text_words) {
		take_text(ring, expr, value, label, text);
		return;
	}
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

		make_text(probe, at, part, ring, i, &label);
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

void recorded_hits_tell(struct probe *probe, const struct fast_site *at,
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
