/*
 * hits.c - what a thread that has reached a site means to the breakpoints there
 *
 * Little is read of the thread, and when it is first needed: one register for a
 * frame, all of them only for an expression.
 */
#include "internal.h"

/* What one break needs to know of its thread, read when first needed. */
struct reading {
	struct probe *probe;
	struct thread *thread;
	struct user_regs_struct regs;
	bool has_regs;
};

static struct error *need_regs(struct reading *reading)
{
	if (reading->has_regs)
		return NULL;
	TRY(target_get_regs(reading->thread, &reading->regs));
	/* the int3 was executed, the instruction it stands for was not */
	reading->regs.rip--;
	reading->has_regs = true;
	return NULL;
}

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

/* Is this really an exit, this time? */
static struct error *is_reached(struct reading *reading,
				const struct site *site,
				const struct attachment *attachment,
				bool *reached)
{
	uint64_t target;

	*reached = true;
	if (attachment->role == ROLE_JUMP_IF) {
		TRY(need_regs(reading));
		*reached = arch_jump_taken(&site->insn, &reading->regs);
	} else if (attachment->role == ROLE_JUMP_INDIRECT) {
		TRY(need_regs(reading));
		TRY(arch_indirect_target(&site->insn, &reading->regs,
					 target_read_callback,
					 reading->thread->process, &target));
		*reached = leaves(attachment, target);
	}
	return NULL;
}

static struct error *find_frame(struct reading *reading,
				const struct attachment *attachment,
				struct hit *hit)
{
	uint64_t sp, base;

	if (!attachment->breakpoint->wants_frame || !attachment->has_cfa)
		return NULL;
	if (attachment->cfa.reg == 7 && !reading->has_regs) {
		TRY(target_get_reg(reading->thread,
				   offsetof(struct user_regs_struct, rsp),
				   &sp));
		base = sp;
	} else {
		TRY(need_regs(reading));
		sp = reading->regs.rsp;
		if (!arch_dwarf_register(attachment->cfa.reg, &reading->regs,
					 &base))
			return NULL;
	}
	hit->frame = base + (uint64_t)attachment->cfa.offset;
	hit->stack = stack_of(reading->thread, sp);
	return NULL;
}

static void make_input(struct reading *reading,
		       const struct attachment *attachment,
		       struct scratch *scratch, struct expr_input *input)
{
	struct probe *probe = reading->probe;
	struct thread *thread = reading->thread;

	scratch->used = 0;
	*input = (struct expr_input){
		.reader = {.read = target_thread_read,
			   .context = thread,
			   .regs = &reading->regs,
			   .read_vectors = target_thread_vectors,
			   .scratch = scratch,
			   .bias = attachment->module ? attachment->module->bias
						      : 0},
		.pid = thread->process->pid,
		.tid = thread->tid,
		.node_count = probe->ops.node_count,
		.context = probe->ops.context};
}

static struct error *evaluate(struct reading *reading,
			      const struct attachment *attachment,
			      const struct bound_expr *expr,
			      struct value *value)
{
	struct expr_input input;
	struct scratch scratch;

	if (!bound_expr_is_constant(expr))
		TRY(need_regs(reading));
	make_input(reading, attachment, &scratch, &input);
	return bound_expr_evaluate(expr, &input, value);
}

/* Report what could not be evaluated; true: it is that, not a real failure. */
static bool is_evaluation(struct reading *reading,
			  const struct attachment *attachment,
			  struct error *error)
{
	struct probe_ops *ops = &reading->probe->ops;

	if (!error || error_code(error) == ERROR_GONE)
		return false;
	ops->error(ops->context, attachment->breakpoint, error_message(error));
	error_destroy(error);
	return true;
}

static struct error *test_condition(struct reading *reading,
				    const struct attachment *attachment,
				    bool *counts)
{
	struct probe_ops *ops = &reading->probe->ops;
	struct value value;
	struct error *error;

	*counts = true;
	if (!reading->probe->filtering || !attachment->breakpoint->condition)
		return NULL;
	if (attachment->problem) {
		ops->error(ops->context, attachment->breakpoint,
			   attachment->problem);
		*counts = false;
		return NULL;
	}
	error = evaluate(reading, attachment, attachment->condition, &value);
	if (error) {
		*counts = false;
		return is_evaluation(reading, attachment, error) ? NULL : error;
	}
	*counts = value_is_true(value);
	return NULL;
}

static struct error *read_values(struct reading *reading,
				 const struct attachment *attachment,
				 struct hit *hit)
{
	struct probe *probe = reading->probe;
	struct error *error;

	if (attachment->value) {
		error = evaluate(reading, attachment, attachment->value,
				 &hit->value);
		if (error && !is_evaluation(reading, attachment, error))
			return error;
	}
	vec_clear(&probe->keys);
	for (size_t i = 0; i < attachment->keys.count; i++) {
		struct value key = {.kind = VALUE_NONE};

		error = attachment->keys.data[i]
				? evaluate(reading, attachment,
					   attachment->keys.data[i], &key)
				: NULL;
		if (error && !is_evaluation(reading, attachment, error))
			return error;
		vec_push(&probe->keys, key);
	}
	hit->keys = probe->keys.data;
	hit->key_count = (uint32_t)attachment->keys.count;
	return NULL;
}

/* One breakpoint at the site. *stop: it wants the program stopped. */
static struct error *reach(struct reading *reading, const struct site *site,
			   struct attachment *attachment,
			   const struct event *event, bool *stop)
{
	struct probe *probe = reading->probe;
	struct breakpoint *breakpoint = attachment->breakpoint;
	struct hit hit = {.thread = reading->thread->serial,
			  .pid = reading->thread->process->pid,
			  .tid = reading->thread->tid,
			  .time = event->time,
			  .cost_before = probe->calibration.cost / 2};
	bool counts;

	if (!breakpoint->enabled)
		return NULL;
	TRY(is_reached(reading, site, attachment, &counts));
	if (!counts)
		return NULL;
	TRY(test_condition(reading, attachment, &counts));
	if (!counts)
		return NULL;
	TRY(find_frame(reading, attachment, &hit));
	TRY(read_values(reading, attachment, &hit));
	breakpoint->hits++;
	*stop = probe->ops.hit(probe->ops.context, breakpoint, &hit);
	return NULL;
}

struct error *make_hits(struct probe *probe, const struct event *event,
			const struct site *site, struct probe_outcome *outcome)
{
	struct reading reading = {.probe = probe, .thread = event->thread};

	placement_hit(probe, event->process);
	for (size_t i = 0; i < site->attachments.count; i++) {
		struct attachment *at = site->attachments.data[i];
		bool stop = false;

		TRY(reach(&reading, site, at, event, &stop));
		if (stop && !outcome->breakpoint)
			outcome->breakpoint = at->breakpoint;
	}
	return NULL;
}
