/* call_graph.c - see perftool/profile/call_graph.h */
#include "perftool/profile/call_graph.h"

#include <stdlib.h>

#include "graph_units.h"
#include "perftool/base/alloc.h"
#include "procedure_order.h"

void call_graph_deinit(struct call_graph *graph)
{
	vec_free(&graph->entries);
	vec_free(&graph->lines);
}

/* The time of a unit's descendants. The calls into the unit and the calls out
 * of it both tell it. While calls into the unit are open, those out of it tell
 * more. If arcs out of it are beyond the limit, those into it do. */
static int64_t descendants_of(const struct graph_unit *unit)
{
	return unit->incoming + unit->open - unit->self;
}

static void enter_procedure(struct graph_work *work, uint32_t procedure)
{
	const struct graph_vertex *vertex = &work->vertices[procedure];
	const struct graph_unit *unit = &work->units[work->unit_of[procedure]];

	vec_push(&work->graph->entries,
		 (struct graph_entry){
			 .kind = GRAPH_PROCEDURE,
			 .procedure = procedure,
			 /* becomes the number of the cycle */
			 .cycle = unit->members > 1,
			 .is_counted = work->arcs.is_counted[procedure],
			 .called = vertex->called,
			 .recursive = vertex->recursive,
			 .unreturned = vertex->unreturned,
			 .self = vertex->self,
			 .descendants = unit->members > 1
						? vertex->outside
						: descendants_of(unit),
			 .elapsed = work->arcs.is_counted[procedure]
					    ? vertex->elapsed
					    : 0});
}

/* `procedure` is any member of the cycle. */
static void enter_cycle(struct graph_work *work, uint32_t procedure)
{
	const struct graph_unit *unit = &work->units[work->unit_of[procedure]];

	vec_push(&work->graph->entries,
		 (struct graph_entry){.kind = GRAPH_CYCLE,
				      .procedure = procedure,
				      .cycle = 1,
				      .is_counted = unit->is_counted,
				      .called = unit->called,
				      .recursive = unit->inner,
				      .unreturned = unit->unreturned,
				      .self = unit->self,
				      .descendants = descendants_of(unit)});
}

/* True once for each cycle: of the first member that asks. */
static bool is_first_of_cycle(struct graph_work *work, uint32_t procedure)
{
	struct graph_unit *unit = &work->units[work->unit_of[procedure]];
	const bool is_first = unit->members > 1 && !unit->is_entered;

	unit->is_entered = true;
	return is_first;
}

static void enter_entries(struct graph_work *work,
			  const struct call_graph_source *source)
{
	struct call_graph *graph = work->graph;

	for (uint32_t i = 0; i < work->procedures->list.count; i++) {
		if (!work->vertices[i].is_live)
			continue;
		enter_procedure(work, i);
		if (is_first_of_cycle(work, i))
			enter_cycle(work, i);
	}
	if (graph->beyond_limit)
		vec_push(&graph->entries,
			 (struct graph_entry){
				 .kind = GRAPH_OTHER,
				 .is_counted = true,
				 .called = source->arcs->other.count,
				 .self = source->arcs->other.self,
				 /* Which of these calls were inside
				  * others is not known. */
				 .elapsed = source->arcs->other.self});
	if (work->arcs.unknown)
		vec_push(&graph->entries,
			 (struct graph_entry){.kind = GRAPH_UNKNOWN,
					      .self = work->arcs.unknown});
	for (size_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *entry = &graph->entries.data[i];

		if (entry->kind == GRAPH_CYCLE)
			continue;
		graph->total += entry->self;
		graph->whole += entry->self > 0 ? entry->self : 0;
	}
}

/* The entry with most time is first, then a cycle before its members, then it
 * is the order of the names. */
static int entry_order(const void *a, const void *b, void *procedures)
{
	const struct graph_entry *left = a, *right = b;
	const int64_t left_time = graph_entry_time(left);
	const int64_t right_time = graph_entry_time(right);

	if (left_time != right_time)
		return left_time > right_time ? -1 : 1;
	if ((left->kind == GRAPH_CYCLE) != (right->kind == GRAPH_CYCLE))
		return left->kind == GRAPH_CYCLE ? -1 : 1;
	if (left->kind > GRAPH_CYCLE || right->kind > GRAPH_CYCLE)
		return (int)left->kind - (int)right->kind;
	return procedure_order(procedures, left->procedure, right->procedure);
}

/* Order the entries, number the cycles, and note where each entry is. */
static void order_entries(struct graph_work *work)
{
	struct call_graph *graph = work->graph;
	uint32_t cycles = 0;

	if (graph->entries.count)
		qsort_r(graph->entries.data, graph->entries.count,
			sizeof(*graph->entries.data), entry_order,
			(void *)work->procedures);
	for (uint32_t i = 0; i < graph->entries.count; i++) {
		struct graph_entry *entry = &graph->entries.data[i];

		if (entry->kind == GRAPH_CYCLE) {
			work->units[work->unit_of[entry->procedure]].entry = i;
			entry->cycle = ++cycles;
		} else if (entry->kind == GRAPH_PROCEDURE) {
			work->vertices[entry->procedure].entry = i;
		}
	}
	for (size_t i = 0; i < graph->entries.count; i++) {
		struct graph_entry *entry = &graph->entries.data[i];

		if (entry->kind == GRAPH_PROCEDURE && entry->cycle)
			entry->cycle =
				graph->entries
					.data[work->units
						      [work->unit_of
							       [entry->procedure]]
							      .entry]
					.cycle;
	}
}

void call_graph_make(const struct call_graph_source *source,
		     struct call_graph *graph)
{
	struct graph_work work = {.procedures = source->procedures,
				  .graph = graph};

	work.vertices = xcalloc(source->procedures->list.count + 1,
				sizeof(*work.vertices));
	graph_arcs_make(source, &work.arcs, graph);
	graph_units_compute(&work);
	enter_entries(&work, source);
	order_entries(&work);
	graph_lines_add(&work);
	graph_arcs_deinit(&work.arcs);
	free(work.vertices);
	free(work.unit_of);
	free(work.units);
}

/* A cycle has the number of one of its members, which is the same one in all
 * graphs of a source. */
static uint64_t entry_key(const struct graph_entry *entry)
{
	const bool has_procedure = entry->kind <= GRAPH_CYCLE;

	return (uint64_t)entry->kind << 32 |
	       (has_procedure ? entry->procedure : 0);
}

void call_graph_note_cpu(struct call_graph *graph,
			 const struct call_graph *on_cpu)
{
	struct map by_key = {0}; /* index plus 1 */

	for (size_t i = 0; i < on_cpu->entries.count; i++)
		map_set_number(&by_key, entry_key(&on_cpu->entries.data[i]),
			       i + 1);
	for (size_t i = 0; i < graph->entries.count; i++) {
		struct graph_entry *entry = &graph->entries.data[i];
		uint64_t number = map_get_number(&by_key, entry_key(entry));

		if (number)
			entry->cpu = graph_entry_time(
				&on_cpu->entries.data[number - 1]);
	}
	map_deinit(&by_key);
}
