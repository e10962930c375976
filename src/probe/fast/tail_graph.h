/*
 * tail_graph.h - which functions tail jumps lead to, from function to function,
 * and what follows from that for the legs that threads count: tail_graph.c
 */
#ifndef PROBE_TAIL_GRAPH_H
#define PROBE_TAIL_GRAPH_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"

struct attachment;
struct site;
struct space;

enum tail_reach {
	/* A frame may end in the function for which the tool itself waits. */
	REACH_TOLD = 2,
	/* A frame may end in the function for which a thread waits that counts
	 * by itself. */
	REACH_COUNTED = 4,
	/* A place in the function, or in one that it may jump to, does not do
	 * what REACH_COUNTED needs. */
	REACH_BLOCKED = 8,
	/* Something in the function, or in one that it may jump to, is not
	 * recorded. */
	REACH_QUIET = 32,
	/* A frame may come back to the function by tail jumps: the function is
	 * then entered more than once in a frame. Functions between two such
	 * functions have it, too. */
	REACH_RING = 16,
	/* A frame may end in the function for which a breakpoint of a profile
	 * of calls waits, and threads count calls by themselves. */
	REACH_CALLS = 64,
};

/* A function that tail jumps leave or may lead to. */
struct joined {
	uint64_t function; /* its run-time address */
	unsigned reach;    /* a set of enum tail_reach */
	bool is_followed;  /* as in tails.h */
	bool is_led_to;    /* by a known jump */
	/* how many of the jumps lead from it, and to it; for find_rings() */
	size_t leaving, coming;
};
VEC_STRUCT(joined_list, struct joined);

/* A tail jump, from function to function: indices of `joined`. */
struct tail_edge {
	size_t from, to;
	bool is_guess; /* no known jump leads this way, but one might */
};
VEC_STRUCT(tail_edge_list, struct tail_edge);

/* A breakpoint that waits for the end of the frames that tail jumps of a
 * function leave. */
struct tail_watcher {
	uint64_t function;
	uint32_t breakpoint;
	bool is_only;     /* No other breakpoint of the user waits for that. */
	bool is_of_calls; /* it is one of a profile of calls */
};
VEC_STRUCT(tail_watcher_list, struct tail_watcher);

/* The tail jumps of a space. */
struct tail_graph {
	struct joined_list joined;
	struct map joined_of; /* run-time address of a function -> index, + 1 */
	/* These are known during an update. */
	struct tail_edge_list edges;
	struct tail_watcher_list watchers;
};

/* The run-time address of the function of an attachment; 0: there is none. */
uint64_t tail_function_of(const struct attachment *attachment);
/* What is known of a function: a set of enum tail_reach. */
unsigned tail_graph_reach(const struct tail_graph *graph, uint64_t function);
/* Is the function one of those that tail jumps may lead to? */
bool tail_graph_is_followed(const struct tail_graph *graph, uint64_t function);
void tail_graph_add_reach(struct tail_graph *graph, uint64_t function,
			  unsigned reach);
/* Enter the tail jumps at a site, and the functions that are followed. When all
 * sites were entered, tail_graph_complete() is called. */
void tail_graph_see(struct space *space, const struct site *site);
void tail_graph_complete(struct tail_graph *graph);
/* Forget what is known of all functions. */
void tail_graph_clear(struct tail_graph *graph);
/* Where frames leave a function that has REACH_TOLD, REACH_COUNTED or
 * REACH_CALLS, they may end in the functions to which its jumps lead. */
void tail_graph_spread(struct tail_graph *graph);
/* What a function has of REACH_BLOCKED and REACH_QUIET, the functions that may
 * jump to it have, too. */
void tail_graph_spread_back(struct tail_graph *graph);
/* Add REACH_RING to the functions that may come back to themselves. */
void tail_graph_find_rings(struct tail_graph *graph);
/* Copy what is known of functions. */
void tail_graph_copy(const struct tail_graph *from, struct tail_graph *to);
void tail_graph_deinit(struct tail_graph *graph);

#endif
