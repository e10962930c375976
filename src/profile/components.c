/* components.c - see components.h */
#include "components.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/vec.h"

/* A vertex on the path that the search has followed. */
struct step {
	uint32_t vertex;
	size_t next; /* index of the edge that is followed next */
};

struct search {
	/* The targets of the edges, ordered by their origins: those of vertex v
	 * are from `first[v]` to `first[v + 1]`. */
	uint32_t *targets;
	size_t *first;
	/* when the vertex was reached, counted from 1; 0: it was not */
	uint32_t *reached;
	/* the earliest vertex of the open ones that the vertex leads to */
	uint32_t *lowest;
	uint32_t *component;
	uint32_t time, components;
	VEC(struct step) path;
	VEC(uint32_t) open; /* reached, and not in a component yet */
};

#define NO_COMPONENT UINT32_MAX

static void order_edges(struct search *search, size_t vertices,
			const struct edge *edges, size_t count)
{
	CLEANUP(free_pointer)
	size_t *at = xcalloc(vertices + 1, sizeof(*at));

	search->first = xcalloc(vertices + 1, sizeof(*search->first));
	search->targets = xcalloc(count + 1, sizeof(*search->targets));
	for (size_t i = 0; i < count; i++)
		search->first[edges[i].from + 1]++;
	for (size_t i = 0; i < vertices; i++)
		search->first[i + 1] += search->first[i];
	for (size_t i = 0; i < vertices; i++)
		at[i] = search->first[i];
	for (size_t i = 0; i < count; i++)
		search->targets[at[edges[i].from]++] = edges[i].to;
}

static void reach(struct search *search, uint32_t vertex)
{
	search->reached[vertex] = search->lowest[vertex] = ++search->time;
	vec_push(&search->open, vertex);
	vec_push(&search->path, (struct step){.vertex = vertex,
					      .next = search->first[vertex]});
}

static void lower(uint32_t *lowest, uint32_t other)
{
	if (other < *lowest)
		*lowest = other;
}

/* All edges of the last vertex of the path have been followed. */
static void leave(struct search *search)
{
	const uint32_t vertex =
		search->path.data[search->path.count - 1].vertex;
	uint32_t member;

	search->path.count--;
	if (search->path.count)
		lower(&search->lowest[search->path.data[search->path.count - 1]
					      .vertex],
		      search->lowest[vertex]);
	if (search->lowest[vertex] != search->reached[vertex])
		return;
	do {
		member = search->open.data[--search->open.count];
		search->component[member] = search->components;
	} while (member != vertex);
	search->components++;
}

static void search_from(struct search *search, uint32_t start)
{
	reach(search, start);
	while (search->path.count) {
		struct step *step = &search->path.data[search->path.count - 1];
		uint32_t vertex = step->vertex, target;

		if (step->next == search->first[vertex + 1]) {
			leave(search);
			continue;
		}
		target = search->targets[step->next++];
		if (!search->reached[target])
			reach(search, target);
		else if (search->component[target] == NO_COMPONENT)
			lower(&search->lowest[vertex], search->reached[target]);
	}
}

size_t components_find(size_t vertices, const struct edge *edges, size_t count,
		       uint32_t *component)
{
	struct search search = {.component = component};

	search.reached = xcalloc(vertices + 1, sizeof(*search.reached));
	search.lowest = xcalloc(vertices + 1, sizeof(*search.lowest));
	order_edges(&search, vertices, edges, count);
	for (size_t i = 0; i < vertices; i++)
		component[i] = NO_COMPONENT;
	for (size_t i = 0; i < vertices; i++) {
		if (!search.reached[i])
			search_from(&search, (uint32_t)i);
	}
	free(search.targets);
	free(search.first);
	free(search.reached);
	free(search.lowest);
	vec_free(&search.path);
	vec_free(&search.open);
	return search.components;
}
