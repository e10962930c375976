/* call_bounds.c - see perftool/profile/call_bounds.h */
#include "perftool/profile/call_bounds.h"

#include <stdlib.h>

#include "components.h"
#include "perftool/base/alloc.h"

static enum hit_mechanism mechanism_of(const struct map *by_int3,
				       uint32_t procedure)
{
	return by_int3 && map_get_number(by_int3, (uint64_t)procedure + 1)
		       ? HIT_INT3
		       : HIT_FAST;
}

static void add_own(const struct call_arcs *arcs, const struct map *by_int3,
		    const struct call_costs *costs, struct call_bound *bounds)
{
	for (size_t i = 0; i < arcs->list.count; i++) {
		const struct call_arc *arc = &arcs->list.data[i];
		const double calls = (double)arc->times.count;
		const enum hit_mechanism mechanism =
			mechanism_of(by_int3, arc->callee);
		/* a hit at the entry, and one at the end */
		const double inside =
			calls * 2 * costs->cost[mechanism] * costs->uncertain;

		bounds[arc->callee].self.bound +=
			calls * costs->spread[mechanism];
		if (arc->caller == NO_PROCEDURE || arc->by_site)
			continue;
		bounds[arc->caller].self.bound += inside;
		bounds[arc->caller].self.inside += inside;
	}
}

/* What the hits inside a component of the call graph may be off by. A component
 * is a cycle, or a procedure that is in none. */
struct component {
	double calls;  /* from outside */
	double inside; /* of all its members and their descendants, ns */
};

/* The graph of the calls, as components. */
struct component_graph {
	uint32_t *component; /* of each procedure */
	struct component *components;
	size_t count;
	/* indices of the arcs, ordered by the component of the caller: those of
	 * component c are from `first[c]` to `first[c + 1]`. */
	size_t *first, *arcs;
};

static bool is_between(const struct component_graph *graph,
		       const struct call_arc *arc)
{
	return arc->caller == NO_PROCEDURE ||
	       graph->component[arc->caller] != graph->component[arc->callee];
}

static void find_components(struct component_graph *graph,
			    const struct call_arcs *arcs, size_t procedures)
{
	CLEANUP(free_pointer)
	struct edge *edges = xcalloc(arcs->list.count + 1, sizeof(*edges));
	size_t count = 0;

	for (size_t i = 0; i < arcs->list.count; i++) {
		const struct call_arc *arc = &arcs->list.data[i];

		if (arc->caller != NO_PROCEDURE)
			edges[count++] = (struct edge){.from = arc->caller,
						       .to = arc->callee};
	}
	graph->component = xcalloc(procedures + 1, sizeof(*graph->component));
	graph->count =
		components_find(procedures, edges, count, graph->component);
	graph->components =
		xcalloc(graph->count + 1, sizeof(*graph->components));
}

/* Order the arcs between components by the component of the caller. */
static void order_arcs(struct component_graph *graph,
		       const struct call_arcs *arcs)
{
	CLEANUP(free_pointer)
	size_t *at = xcalloc(graph->count + 1, sizeof(*at));

	graph->first = xcalloc(graph->count + 1, sizeof(*graph->first));
	graph->arcs = xcalloc(arcs->list.count + 1, sizeof(*graph->arcs));
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < arcs->list.count; i++) {
			const struct call_arc *arc = &arcs->list.data[i];
			uint32_t from;

			if (arc->caller == NO_PROCEDURE ||
			    !is_between(graph, arc))
				continue;
			from = graph->component[arc->caller];
			if (pass == 0)
				graph->first[from + 1]++;
			else
				graph->arcs[at[from]++] = i;
		}
		for (size_t i = 0; i < graph->count && pass == 0; i++) {
			graph->first[i + 1] += graph->first[i];
			at[i] = graph->first[i];
		}
	}
}

static void component_graph_deinit(struct component_graph *graph)
{
	free(graph->component);
	free(graph->components);
	free(graph->first);
	free(graph->arcs);
}

/* What the hits inside the calls of an arc between components may be off by:
 * the callee's part, by the number of the calls. */
static double inside_of(const struct component_graph *graph,
			const struct call_arc *arc)
{
	const struct component *callee =
		&graph->components[graph->component[arc->callee]];

	return callee->calls > 0 ? callee->inside * (double)arc->times.count /
					   callee->calls
				 : 0;
}

/* Find how much of the hits of all descendants is in the times of a procedure.
 * The search for components has numbered the callees of a component before the
 * component itself. */
static void add_below(const struct call_arcs *arcs, size_t count,
		      struct call_bound *bounds)
{
	struct component_graph graph = {0};

	find_components(&graph, arcs, count);
	order_arcs(&graph, arcs);
	for (size_t i = 0; i < count; i++) {
		bounds[i].outside = bounds[i].self;
		graph.components[graph.component[i]].inside +=
			bounds[i].self.inside;
	}
	for (size_t i = 0; i < arcs->list.count; i++) {
		const struct call_arc *arc = &arcs->list.data[i];

		if (is_between(&graph, arc))
			graph.components[graph.component[arc->callee]].calls +=
				(double)arc->times.count;
	}
	for (size_t i = 0; i < graph.count; i++)
		for (size_t j = graph.first[i]; j < graph.first[i + 1]; j++) {
			const struct call_arc *arc =
				&arcs->list.data[graph.arcs[j]];
			const double inside = inside_of(&graph, arc);

			bounds[arc->caller].outside.inside += inside;
			bounds[arc->caller].outside.bound += inside;
			graph.components[i].inside += inside;
		}
	for (size_t i = 0; i < count; i++) {
		const double inside =
			graph.components[graph.component[i]].inside;

		bounds[i].total = (struct time_error){
			.bound = bounds[i].self.bound + inside -
				 bounds[i].self.inside,
			.inside = inside};
	}
	component_graph_deinit(&graph);
}

void call_bounds_make(const struct call_arcs *arcs, const struct map *by_int3,
		      const struct call_costs *costs, size_t count,
		      struct call_bound *bounds)
{
	for (size_t i = 0; i < count; i++)
		bounds[i] = (struct call_bound){0};
	add_own(arcs, by_int3, costs, bounds);
	add_below(arcs, count, bounds);
}

static struct time_error share_of(struct time_error error, double part)
{
	return (struct time_error){.bound = error.bound * part,
				   .inside = error.inside * part};
}

struct call_bound call_bound_share(const struct call_bound *bound, double part)
{
	return (struct call_bound){.self = share_of(bound->self, part),
				   .total = share_of(bound->total, part),
				   .outside = share_of(bound->outside, part)};
}
