/*
 * graph_arcs.c - see graph_arcs.h
 *
 * A stack with ticks is treated as calls that took as long as the ticks stand
 * for: each of its frames is a call of its procedure by that of the next frame.
 * So one computation serves calls and ticks.
 */
#include "graph_arcs.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"

void graph_arcs_deinit(struct graph_arcs *arcs)
{
	vec_free(&arcs->list);
	map_deinit(&arcs->by_pair);
	free(arcs->is_counted);
}

static struct graph_arc *enter_arc(struct graph_arcs *arcs, uint32_t parent,
				   uint32_t child)
{
	const uint64_t key = (uint64_t)parent << 32 | child;
	uint64_t number = map_get_number(&arcs->by_pair, key);

	if (!number) {
		vec_push(&arcs->list,
			 (struct graph_arc){.parent = parent, .child = child});
		number = arcs->list.count;
		map_set_number(&arcs->by_pair, key, number);
	}
	return &arcs->list.data[number - 1];
}

static bool is_nothing(const struct call_times *times)
{
	return !times->count && !times->elapsed && !times->self;
}

/* No call of the caller was measured. It was on the thread's stack for as long
 * as the calls that it made, and nothing is known of its own time. */
static void add_unmeasured(const struct call_arc *call, struct graph_arcs *arcs)
{
	enter_arc(arcs, NO_PROCEDURE, call->caller)->elapsed +=
		call->times.elapsed;
}

static void add_calls(const struct call_arcs *calls, struct graph_arcs *arcs,
		      struct call_graph *graph)
{
	for (size_t i = 0; i < calls->list.count; i++) {
		const struct call_arc *call = &calls->list.data[i];
		struct graph_arc *arc;

		if (is_nothing(&call->times))
			continue;
		arc = enter_arc(arcs, call->caller, call->callee);
		arc->count += call->times.count;
		arc->unreturned += call->times.unreturned;
		arc->elapsed += call->times.elapsed;
		arc->self += call->times.self;
		graph->calls += call->times.count;
		graph->is_counted = arcs->is_counted[call->callee] = true;
		if (call->by_site)
			add_unmeasured(call, arcs);
		else if (call->caller != NO_PROCEDURE)
			arcs->is_counted[call->caller] = true;
	}
	graph->calls += calls->other.count;
	graph->beyond_limit = calls->others;
	graph->is_counted |= calls->others != 0;
}

static bool is_any_counted(const struct graph_arcs *arcs,
			   const struct call_stacks *stacks,
			   const struct call_stack *stack)
{
	for (size_t i = 0; i < stack->depth; i++) {
		if (arcs->is_counted[call_stack_procedure(stacks, stack, i)])
			return true;
	}
	return false;
}

/* Add a stack with ticks of `time` ns in all. */
static void add_stack(const struct call_stacks *stacks,
		      const struct call_stack *stack, int64_t time,
		      struct graph_arcs *arcs)
{
	const size_t innermost = call_stack_innermost(stacks, stack);
	uint32_t parent = NO_PROCEDURE;

	for (size_t i = stack->depth; i-- > innermost;) {
		uint32_t child = call_stack_procedure(stacks, stack, i);
		struct graph_arc *arc = enter_arc(arcs, parent, child);

		arc->elapsed += time;
		if (i == innermost)
			arc->self += time;
		parent = child;
	}
	if (parent == NO_PROCEDURE)
		arcs->unknown += time;
}

static void add_ticks(const struct call_graph_source *source,
		      struct graph_arcs *arcs, struct call_graph *graph)
{
	const struct call_stacks *stacks = source->stacks;
	CLEANUP(free_pointer)
	uint64_t *ticks = xcalloc(stacks->stacks.count + 1, sizeof(*ticks));

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];

		if (sample->reason == SAMPLE_TICK)
			ticks[sample->stack] += sample->weight;
	}
	for (uint32_t i = 0; i < stacks->stacks.count; i++) {
		const struct call_stack *stack = &stacks->stacks.data[i];
		size_t innermost = call_stack_innermost(stacks, stack);

		if (!ticks[i])
			continue;
		graph->ticks += ticks[i];
		if (!is_any_counted(arcs, stacks, stack)) {
			add_stack(stacks, stack,
				  (int64_t)(ticks[i] * source->tick), arcs);
			continue;
		}
		graph->ticks_below += ticks[i];
		if (!arcs->is_counted[call_stack_procedure(stacks, stack,
							   innermost)])
			graph->ticks_uncounted += ticks[i];
	}
}

void graph_arcs_make(const struct call_graph_source *source,
		     struct graph_arcs *arcs, struct call_graph *graph)
{
	arcs->is_counted = xcalloc(source->procedures->list.count + 1,
				   sizeof(*arcs->is_counted));
	if (source->arcs)
		add_calls(source->arcs, arcs, graph);
	if (source->stacks)
		add_ticks(source, arcs, graph);
}
