/*
 * site_hits.c - making the hits of the breakpoints at a site that a thread has
 * reached
 *
 * As little as possible is read from the thread, and only when a breakpoint
 * needs it (snapshot.c).
 */
#include "site_hits.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/target_events.h"

#include <errno.h>

#include "cost.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "snapshot.h"
#include "tails.h"

static bool leaves(const struct attachment *attachment, uint64_t target)
{
	for (size_t i = 0; i < attachment->ranges.count; i++)
		if (target >= attachment->ranges.data[i].low &&
		    target < attachment->ranges.data[i].high &&
		    target != attachment->function.address +
				      attachment->module->bias)
			return false;
	return true;
}

struct error *find_target(struct snapshot *snapshot, const struct site *site,
			  const struct attachment *attachment, uint64_t *target)
{
	TRY(snapshot_regs(snapshot));
	if (!attachment->thunk)
		return arch_indirect_target(&site->insn, &snapshot->regs,
					    snapshot_memory, snapshot, target);
	arch_dwarf_register(attachment->thunk - 1u, &snapshot->regs, target);
	return NULL;
}

/* Is the return address of the attachment's frame in that range? */
static bool returns_to(struct snapshot *snapshot,
		       const struct attachment *attachment,
		       const struct range *range)
{
	uint64_t at = snapshot->sp + (uint64_t)attachment->cfa.offset, caller;

	return snapshot_memory(snapshot, at - sizeof(caller), &caller,
			       sizeof(caller)) &&
	       caller >= range->low && caller < range->high;
}

/* Are the registers such that the place counts: the result of a function that
 * takes a lock, or the argument of an allocation? */
static struct error *registers_fit(struct snapshot *snapshot,
				   const struct attachment *attachment,
				   bool *fit)
{
	unsigned result;

	TRY(snapshot_regs(snapshot));
	result = (unsigned)snapshot->regs.rax;
	switch (attachment->taken) {
	case TAKEN_ANY:
		*fit = true;
		break;
	case TAKEN_LOCK:
		*fit = result == 0 || result == EOWNERDEAD;
		break;
	case TAKEN_AGAIN:
		*fit = result == 0 || result == EOWNERDEAD ||
		       result == ETIMEDOUT;
		break;
	}
	if (attachment->needs_argument && !snapshot->regs.rdi)
		*fit = false;
	return NULL;
}

struct error *is_reached(struct snapshot *snapshot, const struct site *site,
			 const struct attachment *attachment, bool *reached)
{
	uint64_t target;

	*reached = true;
	for (size_t i = 0; *reached && i < attachment->unless_count; i++)
		*reached = !returns_to(snapshot, attachment,
				       &attachment->unless[i]);
	if (*reached && (attachment->taken || attachment->needs_argument))
		TRY(registers_fit(snapshot, attachment, reached));
	if (!*reached)
		return NULL;
	if (attachment->role == ROLE_JUMP_IF) {
		TRY(snapshot_regs(snapshot));
		*reached = arch_jump_taken(&site->insn, &snapshot->regs);
	} else if (attachment->role == ROLE_JUMP_INDIRECT) {
		TRY(find_target(snapshot, site, attachment, &target));
		*reached = leaves(attachment, target);
	} else if (attachment->role == ROLE_CALL_INDIRECT) {
		TRY(find_target(snapshot, site, attachment, &target));
		*reached = callee_is_at(space_of(snapshot->thread->process),
					attachment->breakpoint, target);
	}
	return NULL;
}

struct error *find_frame(struct snapshot *snapshot,
			 const struct attachment *attachment, struct hit *hit)
{
	uint64_t base = snapshot->sp;

	if (attachment->breakpoint->wants_stack) {
		hit->sp = snapshot->sp;
		hit->stack = stack_of(snapshot->thread, snapshot->sp);
	}
	if (!attachment->breakpoint->wants_frame || !attachment->has_cfa)
		return NULL;
	if (attachment->cfa.reg != 7) {
		TRY(snapshot_regs(snapshot));
		if (!arch_dwarf_register(attachment->cfa.reg, &snapshot->regs,
					 &base))
			return NULL;
	}
	hit->frame = base + (uint64_t)attachment->cfa.offset;
	hit->stack = stack_of(snapshot->thread, snapshot->sp);
	return NULL;
}

struct error *find_goroutine(struct snapshot *snapshot,
			     const struct attachment *attachment,
			     struct hit *hit)
{
	const struct go_runtime *go =
		goroutine_runtime(snapshot->probe, attachment);
	struct frame_reader reader = {.read = snapshot_memory,
				      .context = snapshot};
	struct goroutine goroutine;

	if (!go)
		return NULL;
	TRY(snapshot_regs(snapshot));
	reader.regs = &snapshot->regs;
	if (!goroutine_read(go, &reader, &goroutine))
		return NULL;
	hit->goroutine = goroutine.id;
	if (hit->frame)
		hit->depth = goroutine.stack_top - hit->frame;
	return NULL;
}

static void make_input(struct snapshot *snapshot,
		       const struct attachment *attachment,
		       struct scratch *scratch, struct expr_input *input)
{
	struct probe *probe = snapshot->probe;
	struct thread *thread = snapshot->thread;
	const struct user_regs_struct *regs = &snapshot->regs;

	if (attachment->address != regs->rip)
		regs = snapshot_regs_at(snapshot, attachment);
	scratch->used = 0;
	*input = (struct expr_input){
		.reader = {.read = snapshot_memory,
			   .context = snapshot,
			   .regs = regs,
			   .read_vectors = snapshot_vectors,
			   .scratch = scratch,
			   .bias = attachment->module ? attachment->module->bias
						      : 0},
		.pid = thread->process->pid,
		.tid = thread->tid,
		.modules = probe_expr_modules(thread->process),
		.node_count = probe->client.node_count,
		.context = probe->client.context};
}

static struct error *input_for(struct snapshot *snapshot,
			       const struct attachment *attachment,
			       const struct bound_expr *expr,
			       struct scratch *scratch,
			       struct expr_input *input)
{
	if (bound_expr_needs_registers(expr))
		TRY(snapshot_regs(snapshot));
	else
		snapshot_few_regs(snapshot);
	make_input(snapshot, attachment, scratch, input);
	return NULL;
}

static struct error *evaluate(struct snapshot *snapshot,
			      const struct attachment *attachment,
			      const struct bound_expr *expr,
			      struct value *value)
{
	struct expr_input input;
	struct scratch scratch;

	TRY(input_for(snapshot, attachment, expr, &scratch, &input));
	return bound_expr_evaluate(expr, &input, value);
}

/* Read the value of a label. If its expression is a number, only the number is
 * read here: the text of the label is made when the label is printed. */
static struct error *read_label(struct snapshot *snapshot,
				const struct attachment *attachment,
				const struct bound_expr *expr,
				struct label_text *text, struct label *label)
{
	struct expr_input input;
	struct scratch scratch;

	TRY(input_for(snapshot, attachment, expr, &scratch, &input));
	if (bound_expr_is_number(expr))
		return bound_expr_evaluate(expr, &input, &label->value);
	TRY(bound_expr_label(expr, &input, text->bytes, sizeof(text->bytes)));
	label->text = text->bytes;
	return NULL;
}

static void report_reason(struct probe *probe, struct breakpoint *breakpoint,
			  const char *reason)
{
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_ERROR,
					 .breakpoint = breakpoint,
					 .reason = reason});
}

/* Report that an expression could not be evaluated. An error that ends the
 * handling of the event (ERROR_GONE) is returned instead. */
static struct error *report(struct snapshot *snapshot,
			    const struct attachment *attachment,
			    struct error *error)
{
	if (!error || error_code(error) == ERROR_GONE)
		return error;
	report_reason(snapshot->probe, attachment->breakpoint,
		      error_message(error));
	error_destroy(error);
	return NULL;
}

static void report_problem(struct snapshot *snapshot,
			   const struct attachment *attachment,
			   const struct bound *bound)
{
	if (bound->problem)
		report_reason(snapshot->probe, attachment->breakpoint,
			      error_message(bound->problem));
}

static void pass(const struct snapshot *snapshot, struct breakpoint *breakpoint)
{
	breakpoint->misses++;
	emit(snapshot->probe,
	     (struct probe_event){.kind = PROBE_EVENT_PASSED,
				  .pid = snapshot->thread->process->pid,
				  .tid = snapshot->thread->tid});
}

static struct error *test_condition(struct snapshot *snapshot,
				    const struct attachment *attachment,
				    bool *counts)
{
	const struct bound *bound = &attachment->bound.data[BOUND_CONDITION];
	struct value value = {.kind = VALUE_NONE};

	*counts = true;
	if (!condition_filters(snapshot->probe, attachment->breakpoint) ||
	    attachment->breakpoint->is_always)
		return NULL;
	*counts = false;
	report_problem(snapshot, attachment, bound);
	if (!bound->expr)
		return NULL;
	TRY(report(snapshot, attachment,
		   evaluate(snapshot, attachment, bound->expr, &value)));
	*counts = value_is_true(value);
	if (!*counts && value.kind != VALUE_NONE)
		pass(snapshot, attachment->breakpoint);
	return NULL;
}

static struct error *read_value(struct snapshot *snapshot,
				const struct attachment *attachment,
				size_t index, struct value *value)
{
	const struct bound *bound = &attachment->bound.data[index];

	report_problem(snapshot, attachment, bound);
	if (!bound->expr)
		return NULL;
	return report(snapshot, attachment,
		      evaluate(snapshot, attachment, bound->expr, value));
}

static struct error *read_keys(struct snapshot *snapshot,
			       const struct attachment *attachment,
			       struct hit *hit)
{
	struct probe *probe = snapshot->probe;
	size_t count = attachment->breakpoint->keys.count;

	vec_clear(&probe->hit_values.keys);
	for (size_t i = 0; i < count; i++) {
		struct value key = {.kind = VALUE_NONE};

		TRY(read_value(snapshot, attachment, BOUND_KEYS + i, &key));
		vec_push(&probe->hit_values.keys, key);
	}
	hit->keys = probe->hit_values.keys.data;
	hit->key_count = (uint32_t)count;
	return NULL;
}

static struct error *read_labels(struct snapshot *snapshot,
				 const struct attachment *attachment,
				 struct hit *hit)
{
	const struct breakpoint *breakpoint = attachment->breakpoint;
	const struct bound *bound =
		attachment->bound.data + BOUND_KEYS + breakpoint->keys.count;
	struct probe *probe = snapshot->probe;
	size_t count = breakpoint->labels.count;

	/* The labels point to these texts, so the list must not be reallocated
	 * afterwards. */
	while (probe->hit_values.label_texts.count < count)
		vec_push(&probe->hit_values.label_texts,
			 (struct label_text){{0}});
	vec_clear(&probe->hit_values.labels);
	for (size_t i = 0; i < count; i++) {
		struct label label = {.value = {.kind = VALUE_NONE}};

		report_problem(snapshot, attachment, &bound[i]);
		if (bound[i].expr)
			TRY(report(
				snapshot, attachment,
				read_label(
					snapshot, attachment, bound[i].expr,
					&probe->hit_values.label_texts.data[i],
					&label)));
		vec_push(&probe->hit_values.labels, label);
	}
	hit->labels = probe->hit_values.labels.data;
	hit->label_count = (uint32_t)count;
	return NULL;
}

/* Tell a hit of a breakpoint of probe_add_calls(). */
static struct error *tell_call_here(struct snapshot *snapshot,
				    const struct attachment *attachment,
				    struct hit *hit)
{
	struct probe *probe = snapshot->probe;
	struct breakpoint *breakpoint = attachment->breakpoint;
	uint64_t caller = 0;

	breakpoint->hits++;
	if (!hit->frame)
		return NULL;
	if (attachment->role == ROLE_ENTRY)
		snapshot_memory(snapshot, hit->frame - sizeof(caller), &caller,
				sizeof(caller));
	hit->value = value_unsigned(caller);
	if (calls_take_hit(probe, snapshot->thread, attachment, hit, caller))
		return NULL;
	tell_call(probe, breakpoint, attachment,
		  attachment->role == ROLE_ENTRY &&
			  tails_led_to(probe, attachment, hit, caller),
		  hit);
	return NULL;
}

/* Make the hit of one breakpoint at the site, if its place is reached and its
 * condition is true. `*stop` is set if the hit stops the program. */
static struct error *reach(struct snapshot *snapshot, const struct site *site,
			   struct attachment *attachment,
			   const struct event *event, bool *stop)
{
	struct probe *probe = snapshot->probe;
	struct breakpoint *breakpoint = attachment->breakpoint;
	struct stop_in_hand hold =
		stop_of(probe, snapshot->thread, event->time);
	struct hit hit = {
		.thread = snapshot->thread->serial,
		.pid = snapshot->thread->process->pid,
		.tid = snapshot->thread->tid,
		.time = hold.arrival,
		.place = attachment->address -
			 (attachment->module ? attachment->module->bias : 0),
		.cost_before = hold.cost.before,
		.is_off_known = hold.is_off_known};
	bool counts;

	if (!breakpoint->enabled)
		return NULL;
	TRY(is_reached(snapshot, site, attachment, &counts));
	if (!counts)
		return NULL;
	TRY(test_condition(snapshot, attachment, &counts));
	if (!counts)
		return NULL;
	TRY(find_frame(snapshot, attachment, &hit));
	if (!attachment->is_not_go) {
		TRY(find_goroutine(snapshot, attachment, &hit));
		attachment->is_not_go = is_known_not_go(attachment);
	}
	if (breakpoint->is_of_calls)
		return tell_call_here(snapshot, attachment, &hit);
	if (attachment->role == ROLE_ENTRY && hit.frame &&
	    probe->tails.frames.owners.count)
		hit.back = tails_is_back(probe, attachment, &hit);
	TRY(read_value(snapshot, attachment, BOUND_VALUE, &hit.value));
	TRY(read_keys(snapshot, attachment, &hit));
	TRY(read_labels(snapshot, attachment, &hit));
	if (counts_take_hit(probe, snapshot->thread, breakpoint, &hit))
		return NULL;
	places_count(attachment, 1);
	*stop = tell_hit(probe, breakpoint, &hit);
	return NULL;
}

struct error *count_watch(struct probe *probe, const struct event *event,
			  struct attachment *attachment,
			  struct probe_outcome *outcome)
{
	struct snapshot snapshot;
	bool stop = false;

	snapshot_begin(&snapshot, probe, event);
	/* The hit is where the thread is. */
	attachment->address = snapshot.pc;
	TRY(reach(&snapshot, NULL, attachment, event, &stop));
	if (stop && !outcome->breakpoint)
		outcome->breakpoint = attachment->breakpoint;
	snapshot_end(&snapshot);
	return NULL;
}

struct error *count_hits(struct probe *probe, const struct event *event,
			 struct site *site, struct probe_outcome *outcome)
{
	bool is_of_node = false, follows = follows_tails(site);
	struct snapshot snapshot;

	snapshot_begin(&snapshot, probe, event);
	if (follows)
		TRY(tails_arrive(&snapshot, site, event));
	for (size_t i = 0; i < site->attachments.count; i++) {
		struct attachment *at = site->attachments.data[i];
		bool stop = false;

		if (is_of_tails(at))
			continue;
		is_of_node = true;
		TRY(reach(&snapshot, site, at, event, &stop));
		if (stop && !outcome->breakpoint)
			outcome->breakpoint = at->breakpoint;
	}
	if (follows)
		TRY(tails_depart(&snapshot, site, event, outcome));
	snapshot_end(&snapshot);
	if (!is_of_node)
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_FOLLOWED,
						 .pid = event->process->pid,
						 .tid = event->thread->tid,
						 .at_int3 = true});
	return NULL;
}
