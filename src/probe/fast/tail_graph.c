/*
 * tail_graph.c - which functions tail jumps lead to, from function to function
 */
#include "tail_graph.h"

#include "probe/arrival/arrival.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

uint64_t tail_function_of(const struct attachment *attachment)
{
	return attachment->module
		       ? attachment->function.address + attachment->module->bias
		       : 0;
}

unsigned tail_graph_reach(const struct tail_graph *graph, uint64_t function)
{
	size_t index = (uintptr_t)map_get(&graph->joined_of, function);

	return function && index ? graph->joined.data[index - 1].reach : 0;
}

bool tail_graph_is_followed(const struct tail_graph *graph, uint64_t function)
{
	size_t index = (uintptr_t)map_get(&graph->joined_of, function);

	return function && index && graph->joined.data[index - 1].is_followed;
}

/* The index of a function in the list; it is entered if it is new. */
static size_t enter_joined(struct tail_graph *graph, uint64_t function)
{
	size_t index = (uintptr_t)map_get(&graph->joined_of, function);

	if (index)
		return index - 1;
	vec_push(&graph->joined, (struct joined){.function = function});
	map_set(&graph->joined_of, function,
		(void *)(uintptr_t)graph->joined.count);
	return graph->joined.count - 1;
}

/* Returns true if the set was another one before. */
static bool add_reach(struct joined *joined, unsigned reach)
{
	unsigned before = joined->reach;

	joined->reach |= reach;
	return joined->reach != before;
}

void tail_graph_add_reach(struct tail_graph *graph, uint64_t function,
			  unsigned reach)
{
	size_t index;

	if (!function)
		return;
	index = enter_joined(graph, function);
	add_reach(&graph->joined.data[index], reach);
}

/* Note who waits for the end of the frames that the function of this jump
 * leaves. */
static void add_watchers(struct space *space, const struct attachment *jump)
{
	const struct counted_legs *legs = &space->fast.counted;
	const uint32_t *watchers;
	size_t count, others = 0;

	watchers = tails_watchers(space, jump, &count);
	for (size_t i = 0; i < count; i++)
		others += !counted_legs_are_calls(legs, watchers[i]);
	for (size_t i = 0; i < count; i++)
		vec_push(&space->fast.counted.tails.watchers,
			 (struct tail_watcher){
				 .function = tail_function_of(jump),
				 .breakpoint = watchers[i],
				 .is_only = others == 1,
				 .is_of_calls = counted_legs_are_calls(
					 legs, watchers[i])});
}

static void add_edges(struct space *space, const struct attachment *jump,
		      size_t from)
{
	struct tail_graph *graph = &space->fast.counted.tails;
	const uint64_t *targets;
	size_t count;

	targets = tails_targets(space, jump, &count);
	for (size_t i = 0; i < count; i++) {
		size_t to =
			enter_joined(graph, tails_function(space, targets[i]));

		graph->joined.data[to].is_led_to = true;
		vec_push(&graph->edges,
			 (struct tail_edge){.from = from, .to = to});
	}
}

/* Append a guess for each jump that leads to code that is no function. */
static void add_ways_to(struct tail_graph *graph, size_t to, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct tail_edge edge = graph->edges.data[i];

		if (graph->joined.data[edge.to].is_followed)
			continue;
		edge.to = to;
		edge.is_guess = true;
		vec_push(&graph->edges, edge);
	}
}

/*
 * Some jumps lead to code that is no function, and such code may jump on.
 * Functions that are followed although no known jump leads to them are where
 * such jumps may lead.
 */
void tail_graph_complete(struct tail_graph *graph)
{
	size_t count = graph->edges.count;

	for (size_t i = 0; i < graph->joined.count; i++)
		if (graph->joined.data[i].is_followed &&
		    !graph->joined.data[i].is_led_to)
			add_ways_to(graph, i, count);
}

/* Find the tail jumps at a site, and the functions that are followed. */
void tail_graph_see(struct space *space, const struct site *site)
{
	struct tail_graph *graph = &space->fast.counted.tails;

	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];
		size_t joined;

		if (!is_of_tails(at) || !tail_function_of(at))
			continue;
		joined = enter_joined(graph, tail_function_of(at));
		graph->joined.data[joined].is_followed =
			tails_follows(space, at);
		if (!is_jump(at->role))
			continue;
		add_watchers(space, at);
		add_edges(space, at, joined);
	}
}

void tail_graph_clear(struct tail_graph *graph)
{
	for (size_t i = 0; i < graph->joined.count; i++)
		graph->joined.data[i].reach = 0;
}

/* What is so of one end of each edge is so of the other end, as far as it is in
 * the set. */
static void spread(struct tail_graph *graph, unsigned set, bool is_back)
{
	struct joined *joined = graph->joined.data;
	bool is_changed;

	do {
		is_changed = false;
		for (size_t i = 0; i < graph->edges.count; i++) {
			const struct tail_edge *edge = &graph->edges.data[i];
			size_t from = is_back ? edge->to : edge->from;
			size_t to = is_back ? edge->from : edge->to;

			is_changed |= add_reach(&joined[to],
						joined[from].reach & set);
		}
	} while (is_changed);
}

void tail_graph_spread(struct tail_graph *graph)
{
	spread(graph, REACH_TOLD | REACH_COUNTED | REACH_CALLS, false);
}

void tail_graph_spread_back(struct tail_graph *graph)
{
	spread(graph, REACH_BLOCKED | REACH_QUIET, true);
}

/* Count the jumps that lead from each function and to it. */
static void count_jumps(struct tail_graph *graph)
{
	struct joined *joined = graph->joined.data;

	for (size_t i = 0; i < graph->joined.count; i++)
		joined[i].leaving = joined[i].coming = 0;
	for (size_t i = 0; i < graph->edges.count; i++) {
		joined[graph->edges.data[i].from].leaving++;
		joined[graph->edges.data[i].to].coming++;
	}
}

/* Mark the functions that may come back to themselves by tail jumps. These are
 * the ones that are left when all functions are removed, one after the other,
 * that jump to none of the others, or that none of the others jumps to.
 * (Functions that jump from one such ring to another are marked, too.) */
void tail_graph_find_rings(struct tail_graph *graph)
{
	struct joined *joined = graph->joined.data;
	const struct tail_edge_list *edges = &graph->edges;
	VEC(bool) removed = {0};
	bool is_changed;

	count_jumps(graph);
	for (size_t i = 0; i < edges->count; i++)
		vec_push(&removed, false);
	do {
		is_changed = false;
		for (size_t i = 0; i < edges->count; i++) {
			const struct tail_edge *edge = &edges->data[i];

			if (removed.data[i] || (joined[edge->to].leaving &&
						joined[edge->from].coming))
				continue;
			removed.data[i] = is_changed = true;
			joined[edge->from].leaving--;
			joined[edge->to].coming--;
		}
	} while (is_changed);
	for (size_t i = 0; i < edges->count; i++)
		if (!removed.data[i])
			add_reach(&joined[edges->data[i].from], REACH_RING);
	vec_free(&removed);
}

void tail_graph_copy(const struct tail_graph *from, struct tail_graph *to)
{
	map_copy(&from->joined_of, &to->joined_of);
	for (size_t i = 0; i < from->joined.count; i++)
		vec_push(&to->joined, from->joined.data[i]);
}

void tail_graph_deinit(struct tail_graph *graph)
{
	vec_free(&graph->joined);
	map_deinit(&graph->joined_of);
	vec_free(&graph->edges);
	vec_free(&graph->watchers);
}
