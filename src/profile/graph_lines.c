/*
 * graph_lines.c - the parents and children of each entry of a call graph
 */
#include <stdlib.h>

#include "graph_units.h"
#include "perftool/base/alloc.h"

/* The index of an entry that is not there. */
#define NO_ENTRY UINT32_MAX

/* For each procedure the arcs that begin or end there, as indices: those of
 * procedure i are from `first[i]` to `first[i + 1]`. */
struct incidence {
	size_t *first;
	uint32_t *arcs;
};

static void incidence_init(struct incidence *incidence,
			   const struct graph_work *work, bool of_parents)
{
	const size_t size = work->procedures->list.count + 1;
	const size_t count = work->arcs.list.count;
	CLEANUP(free_pointer)
	size_t *at = xcalloc(size + 1, sizeof(*at));

	incidence->first = xcalloc(size + 1, sizeof(*incidence->first));
	incidence->arcs = xcalloc(count + 1, sizeof(*incidence->arcs));
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < count; i++) {
			const struct graph_arc *arc = &work->arcs.list.data[i];
			uint32_t end = of_parents ? arc->child : arc->parent;

			if (end == NO_PROCEDURE)
				continue;
			if (pass == 0)
				incidence->first[end + 1]++;
			else
				incidence->arcs[at[end]++] = i;
		}
		for (size_t i = 0; i < size && pass == 0; i++) {
			incidence->first[i + 1] += incidence->first[i];
			at[i] = incidence->first[i];
		}
	}
}

static void incidence_deinit(struct incidence *incidence)
{
	free(incidence->first);
	free(incidence->arcs);
}

/* How far a line is from the entry, as gprof has it: calls with times are next
 * to it, then come calls inside a cycle, and recursion is last. */
static int distance(const struct graph_line *line, uint32_t self)
{
	if (line->kind != GRAPH_INNER_CALL)
		return 0;
	return line->entry == self ? 2 : 1;
}

/* The order of children. That of parents is the reverse. */
static int line_order(const void *a, const void *b, void *self)
{
	const struct graph_line *left = a, *right = b;
	const int64_t left_time = left->self + left->descendants;
	const int64_t right_time = right->self + right->descendants;
	const int by_distance = distance(left, *(const uint32_t *)self) -
				distance(right, *(const uint32_t *)self);

	if (by_distance)
		return by_distance;
	if (left_time != right_time)
		return left_time > right_time ? -1 : 1;
	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return (left->entry > right->entry) - (left->entry < right->entry);
}

static int parent_order(const void *a, const void *b, void *self)
{
	return line_order(b, a, self);
}

static void sort_lines(struct call_graph *graph, size_t first, bool are_parents,
		       uint32_t self)
{
	if (graph->lines.count > first)
		qsort_r(graph->lines.data + first, graph->lines.count - first,
			sizeof(*graph->lines.data),
			are_parents ? parent_order : line_order, &self);
}

static void add_arc_line(struct graph_work *work, const struct graph_arc *arc,
			 uint32_t other)
{
	struct graph_line line = {.kind = GRAPH_CALL, .count = arc->count};

	if (other == NO_PROCEDURE)
		line.kind = GRAPH_SPONTANEOUS;
	else
		line.entry = work->vertices[other].entry;
	if (is_inner(work, arc)) {
		line.kind = GRAPH_INNER_CALL;
	} else {
		line.self = arc->line_self;
		line.descendants = arc->line_descendants;
	}
	vec_push(&work->graph->lines, line);
}

/* Add the parents of one procedure. `outside`: only those of another unit. */
static void add_parents(struct graph_work *work,
			const struct incidence *callers, uint32_t procedure,
			bool outside)
{
	for (size_t i = callers->first[procedure];
	     i < callers->first[procedure + 1]; i++) {
		const struct graph_arc *arc =
			&work->arcs.list.data[callers->arcs[i]];

		if (!outside || !is_inner(work, arc))
			add_arc_line(work, arc, arc->parent);
	}
}

/* The unit and what it called took longer than the calls into it: some of these
 * have not ended, or are beyond the limit. */
static void add_open_line(struct graph_work *work,
			  const struct graph_entry *entry)
{
	const struct graph_unit *unit =
		&work->units[work->unit_of[entry->procedure]];
	struct graph_line line = {
		.kind = work->graph->beyond_limit ? GRAPH_BEYOND : GRAPH_OPEN};

	if (!unit->open)
		return;
	line.self = unit->self - unit->direct_self - unit->divided_self;
	line.descendants = unit->open - line.self;
	vec_push(&work->graph->lines, line);
}

/* The time of callees whose arcs are beyond the limit. */
static void add_beyond_line(struct graph_work *work,
			    const struct graph_entry *entry)
{
	const struct graph_unit *unit =
		&work->units[work->unit_of[entry->procedure]];
	struct graph_line line = {.kind = GRAPH_BEYOND,
				  .descendants =
					  entry->descendants - unit->outgoing};

	if (work->graph->beyond_limit && line.descendants > 0)
		vec_push(&work->graph->lines, line);
}

/* The parents of a cycle: those of all its members, each once. */
static void add_cycle_parents(struct graph_work *work,
			      const struct incidence *callers,
			      const uint32_t *members, size_t count)
{
	struct call_graph *graph = work->graph;
	const size_t first = graph->lines.count;
	struct map by_entry = {0};
	size_t kept = first;

	for (size_t i = 0; i < count; i++)
		add_parents(work, callers, members[i], true);
	for (size_t i = first; i < graph->lines.count; i++) {
		const struct graph_line *line = &graph->lines.data[i];
		uint64_t key = line->kind == GRAPH_SPONTANEOUS ? NO_ENTRY
							       : line->entry;
		uint64_t at = map_get_number(&by_entry, key);

		if (at) {
			struct graph_line *sum = &graph->lines.data[at - 1];

			sum->count += line->count;
			sum->self += line->self;
			sum->descendants += line->descendants;
			continue;
		}
		graph->lines.data[kept++] = *line;
		map_set_number(&by_entry, key, kept);
	}
	graph->lines.count = kept;
	map_deinit(&by_entry);
}

/* The members of all units: those of unit i are from `first[i]` on. */
struct membership {
	size_t *first;
	uint32_t *members;
};

static void membership_init(struct membership *membership,
			    const struct graph_work *work)
{
	CLEANUP(free_pointer)
	size_t *at = xcalloc(work->unit_count + 1, sizeof(*at));
	const size_t procedures = work->procedures->list.count;

	membership->first =
		xcalloc(work->unit_count + 1, sizeof(*membership->first));
	membership->members =
		xcalloc(procedures + 1, sizeof(*membership->members));
	for (size_t i = 0; i < work->unit_count; i++) {
		membership->first[i + 1] =
			membership->first[i] + work->units[i].members;
		at[i] = membership->first[i];
	}
	for (uint32_t i = 0; i < procedures; i++) {
		if (work->vertices[i].is_live)
			membership->members[at[work->unit_of[i]]++] = i;
	}
}

static void membership_deinit(struct membership *membership)
{
	free(membership->first);
	free(membership->members);
}

struct neighbours {
	struct incidence callers, callees;
	struct membership membership;
};

static void add_cycle_lines(struct graph_work *work,
			    const struct neighbours *neighbours, uint32_t self)
{
	struct call_graph *graph = work->graph;
	struct graph_entry *entry = &graph->entries.data[self];
	const uint32_t number = work->unit_of[entry->procedure];
	const uint32_t *members = neighbours->membership.members +
				  neighbours->membership.first[number];
	const size_t count = work->units[number].members;
	size_t middle;

	add_cycle_parents(work, &neighbours->callers, members, count);
	add_open_line(work, entry);
	sort_lines(graph, entry->first_line, true, self);
	middle = graph->lines.count;
	for (size_t i = 0; i < count; i++) {
		uint32_t other = work->vertices[members[i]].entry;
		const struct graph_entry *member = &graph->entries.data[other];

		vec_push(&graph->lines,
			 (struct graph_line){.kind = GRAPH_MEMBER,
					     .entry = other,
					     .count = member->called,
					     .self = member->self,
					     .descendants =
						     member->descendants});
	}
	add_beyond_line(work, entry);
	sort_lines(graph, middle, false, self);
	entry->parents = middle - entry->first_line;
	entry->children = graph->lines.count - middle;
}

static void add_procedure_lines(struct graph_work *work,
				const struct neighbours *neighbours,
				uint32_t self)
{
	struct call_graph *graph = work->graph;
	struct graph_entry *entry = &graph->entries.data[self];
	const uint32_t procedure = entry->procedure;
	size_t middle;

	add_parents(work, &neighbours->callers, procedure, false);
	if (!entry->cycle)
		add_open_line(work, entry);
	sort_lines(graph, entry->first_line, true, self);
	middle = graph->lines.count;
	for (size_t i = neighbours->callees.first[procedure];
	     i < neighbours->callees.first[procedure + 1]; i++) {
		const struct graph_arc *arc =
			&work->arcs.list.data[neighbours->callees.arcs[i]];

		add_arc_line(work, arc, arc->child);
	}
	if (!entry->cycle)
		add_beyond_line(work, entry);
	sort_lines(graph, middle, false, self);
	entry->parents = middle - entry->first_line;
	entry->children = graph->lines.count - middle;
}

void graph_lines_add(struct graph_work *work)
{
	struct call_graph *graph = work->graph;
	struct neighbours neighbours = {0};

	incidence_init(&neighbours.callers, work, true);
	incidence_init(&neighbours.callees, work, false);
	membership_init(&neighbours.membership, work);
	for (uint32_t i = 0; i < graph->entries.count; i++) {
		struct graph_entry *entry = &graph->entries.data[i];

		entry->first_line = graph->lines.count;
		if (entry->kind == GRAPH_CYCLE)
			add_cycle_lines(work, &neighbours, i);
		else if (entry->kind == GRAPH_PROCEDURE)
			add_procedure_lines(work, &neighbours, i);
	}
	incidence_deinit(&neighbours.callers);
	incidence_deinit(&neighbours.callees);
	membership_deinit(&neighbours.membership);
}
