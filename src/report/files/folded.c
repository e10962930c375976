/*
 * folded.c - stacks as lines of text, for the tools that draw flame graphs
 *
 * A line is THREAD;OUTERMOST;...;INNERMOST WEIGHT. Frames have no order but
 * that of the line, and only their names tell them apart.
 */
#include <inttypes.h>

#include "profile_names.h"
#include "profile_writers.h"
#include "report/figures/figures.h"
#include "stack_weights.h"

static void write_stack(const struct call_stacks *stacks,
			const struct call_stack *stack,
			const struct profile_names *names, struct str *out)
{
	if (stack->is_broken)
		str_append(out, ";" BROKEN_FRAME);
	for (size_t i = stack->depth; i-- > 0;) {
		str_append_char(out, ';');
		str_append(
			out,
			names->texts[call_stack_procedure(stacks, stack, i)]);
	}
}

void write_folded(const struct profile *profile, struct profile_sink *sink)
{
	const struct call_stacks *stacks = profile->stacks;
	struct stack_weights weights = {0};
	struct profile_names names;

	stack_weights_init(&weights, stacks, folded_name);
	profile_names_init(&names, &stacks->procedures, folded_name);
	for (size_t i = 0; i < weights.list.count && profile_sink_pass(sink);
	     i++) {
		const struct stack_weight *at = &weights.list.data[i];

		str_append(&sink->text, weights.names.data[at->name]);
		write_stack(stacks, &stacks->stacks.data[at->stack], &names,
			    &sink->text);
		str_printf(&sink->text, " %" PRIu64 "\n", at->weight);
	}
	profile_names_deinit(&names);
	stack_weights_deinit(&weights);
}
