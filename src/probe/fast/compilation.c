/*
 * compilation.c - compiling the expressions of a breakpoint into programs of
 * its site's trampoline
 *
 * Such a program is a list of steps that the trampoline executes at each hit
 * (fast_node.h). Either all expressions of a breakpoint are compiled or none: a
 * breakpoint with an expression that cannot be compiled stays an int3. The
 * reasons for that are constants, because they are kept in structures of any
 * lifetime.
 */
#include <string.h>

#include "fast_site.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/ring.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* Which expression of the breakpoint is being compiled. Messages name it. */
enum wanted { WANT_CONDITION, WANT_VALUE, WANT_KEY, WANT_LABEL };

static const char *refusal_of(enum wanted wanted, enum expr_refusal refusal)
{
#define CONDITION(name, text) [name] = ("its condition " text),
#define VALUE(name, text) [name] = ("its value " text),
#define KEY(name, text) [name] = ("its key " text),
#define LABEL(name, text) [name] = ("its by= " text),
	static const char *const texts[][EXPR_REFUSAL_COUNT] = {
		[WANT_CONDITION] = {EXPR_REFUSALS(CONDITION)},
		[WANT_VALUE] = {EXPR_REFUSALS(VALUE)},
		[WANT_KEY] = {EXPR_REFUSALS(KEY)},
		[WANT_LABEL] = {EXPR_REFUSALS(LABEL)},
	};

	return texts[wanted][refusal];
}

static const char *problem_of(enum wanted wanted)
{
	static const char *const texts[] = {
		[WANT_CONDITION] = "its condition has no value here",
		[WANT_VALUE] = "its value has no value here",
		[WANT_KEY] = "its key has no value here",
		[WANT_LABEL] = "its by= has no value here",
	};

	return texts[wanted];
}

static const char *changes_of(enum wanted wanted)
{
	static const char *const texts[] = {
		[WANT_CONDITION] =
			"its condition needs a register that has another value "
			"where there is room for a jump",
		[WANT_VALUE] = "its value needs a register that has another "
			       "value where there is room for a jump",
		[WANT_KEY] = "its key needs a register that has another value "
			     "where there is room for a jump",
		[WANT_LABEL] = "its by= needs a register that has another "
			       "value where there is room for a jump",
	};

	return texts[wanted];
}

#define RSP 4

/* If the breakpoint was moved, the trampoline executes the program at another
 * address than the attachment's own (transfer.c): change the program so that it
 * computes what it would compute at the attachment's own address. Returns false
 * if that is not possible. */
static bool is_seen_elsewhere(const struct attachment *attachment,
			      struct fast_program *program)
{
	const struct fast_program here = *program;

	if (!attachment->sp_below && !attachment->changed)
		return true;
	program->count = 0;
	for (size_t i = 0; i < here.count; i++) {
		struct fast_step step = here.steps[i];
		bool reads = step.operation == FAST_REGISTER ||
			     step.operation == FAST_FRAME;
		uint64_t below = (uint64_t)attachment->sp_below;

		if (reads && attachment->changed >> step.reg & 1)
			return false;
		if (step.operation == FAST_FRAME && step.reg == RSP)
			step.number += below;
		if (!fast_add(program, step))
			return false;
		if (step.operation == FAST_REGISTER && step.reg == RSP &&
		    (!fast_add(program,
			       (struct fast_step){.operation = FAST_CONSTANT,
						  .number = below}) ||
		     !fast_add(program,
			       (struct fast_step){.operation = FAST_ADD})))
			return false;
	}
	return fast_is_sound(program);
}

struct job {
	struct space *space;
	const struct attachment *attachment;
	struct trampoline_spec *spec;
	struct fast_site *fast;
};

/* Has the list of keys or labels a gap here, because a leg or a split is gone?
 * The indices of those behind it do not change, so the record has a value. */
static bool is_unused(enum wanted wanted, const struct bound *bound)
{
	return (wanted == WANT_KEY || wanted == WANT_LABEL) && !bound->expr &&
	       !bound->problem;
}

static const char *compile(const struct job *job, enum wanted wanted,
			   const struct bound *bound, struct fast_program *out,
			   struct fast_value *form)
{
	const struct module *module = job->attachment->module;
	const struct expr_input input = {
		.reader = {.bias = module ? module->bias : 0},
		.modules = space_expr_modules(job->space),
	};
	enum expr_refusal refusal;
	struct value value;

	if (is_unused(wanted, bound)) {
		out->count = 0;
		fast_add(out, (struct fast_step){.operation = FAST_CONSTANT});
		*form = (struct fast_value){.kind = VALUE_UNSIGNED};
		return NULL;
	}
	if (!bound->expr)
		return problem_of(wanted);
	refusal = bound_expr_compile(bound->expr, &input, out, &value);
	if (refusal != EXPR_COMPILED)
		return refusal_of(wanted, refusal);
	if (!is_seen_elsewhere(job->attachment, out))
		return changes_of(wanted);
	form->kind = (uint8_t)value.kind;
	form->is_address = value.is_address;
	form->is_caller = bound_expr_is_caller(bound->expr);
	return NULL;
}

/* Is the condition always true? Then it is not compiled, and it causes no
 * errors that would have to be counted. */
static bool is_always_true(const struct bound *bound)
{
	struct value value = {.kind = VALUE_NONE};
	struct expr_input input = {0};

	if (!bound->expr || !bound_expr_is_constant(bound->expr))
		return false;
	error_destroy(bound_expr_evaluate(bound->expr, &input, &value));
	return value_is_true(value);
}

static const char *add_condition(const struct probe *probe,
				 const struct job *job)
{
	const struct bound *bound =
		&job->attachment->bound.data[BOUND_CONDITION];
	const struct breakpoint *breakpoint = job->attachment->breakpoint;
	struct fast_value unused;

	if (!condition_filters(probe, breakpoint) || is_always_true(bound))
		return NULL;
	return compile(job, WANT_CONDITION, bound,
		       &job->spec->parts[job->spec->part_count], &unused);
}

/* Add the value of an expression to the record. */
static const char *add_value(const struct job *job, enum wanted wanted,
			     const struct bound *bound)
{
	struct trampoline_spec *spec = job->spec;
	const char *refusal;

	if (spec->value_count == FAST_VALUES)
		return "it needs more values than the record of a hit can hold";
	refusal = compile(job, wanted, bound, &spec->values[spec->value_count],
			  &job->fast->values[spec->value_count]);
	if (refusal)
		return refusal;
	spec->value_count++;
	return NULL;
}

/* Add the values of one kind (keys or labels), which are adjacent in the
 * record. `*first` is the index of the first one. */
static const char *add_values(const struct job *job, enum wanted wanted,
			      const struct bound *bounds, size_t count,
			      uint8_t *first)
{
	const char *refusal = NULL;

	*first = (uint8_t)job->spec->value_count;
	for (size_t i = 0; !refusal && i < count; i++)
		refusal = add_value(job, wanted, &bounds[i]);
	return refusal;
}

_Static_assert(LABEL_SIZE <= RING_TEXT, "a record has all that a label shows");

/* The label is a text. Have the trampoline record as much of it as the label
 * shows. */
static void add_text(const struct job *job, const struct bound *bound,
		     size_t index)
{
	size_t size = bound_expr_text_size(bound->expr);

	if (size > LABEL_SIZE)
		size = LABEL_SIZE;
	job->spec->text_words[index] =
		(uint8_t)((size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

/* Can the text of each label be made from what is in the record? The text is
 * made when the hit is reported. `first` is the index of the first label's
 * value. */
static const char *check_labels(const struct job *job,
				const struct bound *bounds, size_t count,
				size_t first)
{
	for (size_t i = 0; i < count; i++) {
		const struct bound_expr *expr = bounds[i].expr;

		if (!expr || bound_expr_is_number(expr) ||
		    bound_expr_label_is_of_value(expr))
			continue;
		if (!bound_expr_text_size(expr))
			return refusal_of(WANT_LABEL, EXPR_TEXT);
		add_text(job, &bounds[i], first + i);
	}
	return NULL;
}

/* Have the trampoline of an indirect jump also record the target of the jump.
 * If the target is none of those that the tool knows, the thread traps and asks
 * the tool. */
static const char *compile_target(const struct job *job,
				  const struct site *site)
{
	const struct attachment *attachment = job->attachment;
	struct trampoline_spec *spec = job->spec;
	const uint64_t *targets;
	size_t count;

	if (site->insn.kind != INSN_JUMP_INDIRECT ||
	    tails_looks_each_time(job->space, attachment))
		return "perftool has to look where its jump leads";
	targets = tails_targets(job->space, attachment, &count);
	if (count > FAST_KNOWN)
		return "its jump leads to too many functions";
	if (spec->value_count == FAST_VALUES)
		return "it needs more values than the record of a hit can hold";
	spec->asks = true;
	spec->known_count = count;
	for (size_t i = 0; i < count; i++)
		spec->known[i] = targets[i];
	job->fast->values[spec->value_count].kind = VALUE_UNSIGNED;
	spec->target_value = ++spec->value_count;
	return NULL;
}

/* Make the program that reads the return address of the attachment's frame. */
static void caller_program(const struct attachment *attachment,
			   struct fast_program *program)
{
	program->count = 0;
	fast_add(program,
		 (struct fast_step){.operation = FAST_FRAME,
				    .reg = fast_register(attachment->cfa.reg),
				    .number = (uint64_t)attachment->cfa.offset -
					      sizeof(uint64_t)});
}

/* Add the part of the tool's own breakpoint, which follows frames (tails.h). It
 * records the return address of the frame. */
static const char *compile_tail(const struct job *job, const struct site *site,
				struct fast_part *part)
{
	const struct attachment *attachment = job->attachment;
	struct trampoline_spec *spec = job->spec;
	struct fast_program *program = &spec->values[spec->value_count];
	const char *refusal = NULL;

	if (tails_is_untaken(job->space, attachment))
		return "perftool looks where its jump leads when the jump is "
		       "first taken";
	if (spec->value_count == FAST_VALUES)
		return "it needs more values than the record of a hit can hold";
	if (!fast_add_way(site, attachment, &spec->parts[spec->part_count]))
		return "the test whether it is an exit is too long";
	caller_program(attachment, program);
	job->fast->values[spec->value_count].kind = VALUE_UNSIGNED;
	part->value = (uint8_t)spec->value_count++;
	job->fast->of_tails |= UINT32_C(1) << spec->part_count;
	if (attachment->role == ROLE_JUMP_INDIRECT)
		refusal = compile_target(job, site);
	spec->part_count++;
	return refusal;
}

/* Add a value that belongs to no expression. `*number` is its index in the
 * record. */
static const char *add_program(const struct job *job,
			       const struct fast_program *program,
			       uint8_t *number)
{
	struct trampoline_spec *spec = job->spec;

	if (spec->value_count == FAST_VALUES)
		return "it needs more values than the record of a hit can hold";
	*number = (uint8_t)spec->value_count;
	job->fast->values[spec->value_count] =
		(struct fast_value){.kind = VALUE_UNSIGNED};
	spec->values[spec->value_count++] = *program;
	return NULL;
}

/* Record the return address of a function that is entered, for a breakpoint of
 * probe_add_calls(). */
static const char *add_caller(const struct job *job, struct fast_part *part)
{
	struct fast_program program;

	caller_program(job->attachment, &program);
	return add_program(job, &program, &part->value);
}

/* Record which goroutine makes the hit, and where the stack of that goroutine
 * ends. */
static const char *add_goroutine(const struct probe *probe,
				 const struct job *job, struct fast_part *part)
{
	const struct attachment *attachment = job->attachment;
	const struct go_runtime *go = goroutine_runtime(probe, attachment);
	const char *refusal;
	struct fast_program program;

	if (!go)
		return NULL;
	if (!debugfile_go_has_begun(module_file(attachment->module),
				    attachment->address -
					    attachment->module->bias))
		return "the Go runtime may not have begun there";
	goroutine_id_program(go, &program);
	refusal = add_program(job, &program, &part->goroutine);
	if (refusal || !attachment->breakpoint->wants_frame)
		return refusal;
	goroutine_stack_program(go, &program);
	return add_program(job, &program, &part->stack_top);
}

const char *fast_compile(const struct probe *probe, struct space *space,
			 const struct site *site, struct attachment *attachment,
			 struct trampoline_spec *spec, struct fast_site *fast)
{
	const struct job job = {space, attachment, spec, fast};
	const struct bound *bounds = attachment->bound.data;
	const struct breakpoint *breakpoint = attachment->breakpoint;
	struct fast_part *part = &fast->parts[spec->part_count];
	size_t keys = breakpoint->keys.count, labels = breakpoint->labels.count;
	const struct bound *label = bounds + BOUND_KEYS + keys;
	const struct bound *value = &bounds[BOUND_VALUE];
	const char *refusal;

	*part = (struct fast_part){.attachment = attachment,
				   .value = FAST_NO_VALUE,
				   .goroutine = FAST_NO_VALUE,
				   .stack_top = FAST_NO_VALUE,
				   .key_count = (uint8_t)keys,
				   .label_count = (uint8_t)labels};
	if (attachment->has_cfa &&
	    attachment->changed >> fast_register(attachment->cfa.reg) & 1)
		return "its frame is not known where there is room for a jump";
	if (is_of_tails(attachment)) {
		refusal = compile_tail(&job, site, part);
		return refusal ? refusal : add_goroutine(probe, &job, part);
	}
	if (attachment->role == ROLE_UNWIND)
		return "the stack pointer is that of another frame there";
	if (attachment->role == ROLE_PROCESS_END)
		return "the process ends there";
	if (attachment->role == ROLE_CALL_INDIRECT)
		return "perftool has to look where its call leads";
	if (attachment->changed &&
	    (attachment->taken || attachment->needs_argument))
		return "a register that tells whether it counts has another "
		       "value where there is room for a jump";
	refusal = add_condition(probe, &job);
	part->has_condition = spec->parts[spec->part_count].count != 0;
	if (!refusal &&
	    !fast_add_way(site, attachment, &spec->parts[spec->part_count]))
		refusal = "the test whether it is an exit is too long";
	if (!refusal && breakpoint->is_of_calls &&
	    attachment->role == ROLE_ENTRY)
		refusal = add_caller(&job, part);
	if (!refusal && (value->expr || value->problem)) {
		part->value = (uint8_t)spec->value_count;
		refusal = add_value(&job, WANT_VALUE, value);
	}
	if (!refusal)
		refusal = add_values(&job, WANT_KEY, bounds + BOUND_KEYS, keys,
				     &part->keys);
	if (!refusal)
		refusal = add_values(&job, WANT_LABEL, label, labels,
				     &part->labels);
	if (!refusal)
		refusal = check_labels(&job, label, labels, part->labels);
	if (!refusal)
		refusal = add_goroutine(probe, &job, part);
	if (refusal)
		return refusal;
	spec->part_count++;
	return NULL;
}
