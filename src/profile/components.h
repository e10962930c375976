/*
 * components.h - the strongly connected components of a directed graph: the
 * sets of vertices in which each leads to each other one
 *
 * Rule: R. Tarjan, "Depth-first search and linear graph algorithms", 1972. The
 * search keeps its own stack, so that a path of 100,000 vertices needs no
 * recursion.
 */
#ifndef PROFILE_COMPONENTS_H
#define PROFILE_COMPONENTS_H

#include <stddef.h>
#include <stdint.h>

struct edge {
	uint32_t from, to; /* vertices, less than their number */
};

/* Set `component[v]` of each vertex v to the number of its component, counted
 * from 0. Returns the number of components. */
size_t components_find(size_t vertices, const struct edge *edges, size_t count,
		       uint32_t *component);

#endif
