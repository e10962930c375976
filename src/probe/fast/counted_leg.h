/*
 * counted_leg.h - the legs whose hits the threads of a space count by
 * themselves: counted_leg.c
 */
#ifndef PROBE_COUNTED_LEG_H
#define PROBE_COUNTED_LEG_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/probe.h"

struct attachment;
struct site;
struct space;

struct counted_leg {
	uint32_t leg, from, to; /* as in struct countable, like the next four */
	bool by_order, keeps_first;
	bool from_ends, to_begins;
	/* the run-time address of its function; 0: not known, or the leg
	 * matches by order and may have places in several functions */
	uint64_t function;
	bool is_refused; /* it cannot be counted after all */
	/* The entry of its function calls `enter_again` of the counting
	 * code. */
	bool is_entered_again;
};
VEC_STRUCT(counted_leg_list, struct counted_leg);

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
	size_t joined; /* the function: an index of `joined` */
	uint32_t breakpoint;
	bool is_only; /* No other breakpoint waits for that. */
};
VEC_STRUCT(tail_watcher_list, struct tail_watcher);

/* The legs that the threads of a space count. */
struct counted_legs {
	struct counted_leg_list list;
	struct map of_from; /* number of a breakpoint -> index in the list, + 1:
			       the leg that begins there */
	struct map of_to;   /* the same for the leg that ends there */
	struct map of_leg;  /* the same for the number of the leg, + 1 */
	struct map of_function; /* the same for the run-time address */
	struct joined_list joined;
	struct map joined_of; /* run-time address of a function -> index, + 1 */
	/* the tail jumps of the space as they are during an update */
	struct tail_edge_list edges;
	struct tail_watcher_list watchers;
};

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
};

/* What is known about tail jumps to the attachment's function. */
unsigned counted_legs_reach(const struct counted_legs *legs,
			    const struct attachment *attachment);

/* Decide which legs the threads of the space are to count, as far as can be
 * told before the sites are updated. `before` are the legs that they count now.
 */
void counted_legs_plan(const struct probe *probe, struct space *space,
		       const struct counted_legs *before);
/* The sites were updated. Refuse the legs that have a site which does not
 * count. Returns true if a leg was refused, so that the sites must be updated
 * once more. */
bool counted_legs_check(struct space *space);
/* Has the tool just learned where a tail jump leads, and must the sites be
 * updated before a thread takes the jump? That is so if threads count by
 * themselves the function that is left, or the one that the jump leads to. */
bool counted_legs_are_left(struct space *space, const struct site *site);
/* The leg that the function of a tail jump has, if threads count it; else
 * NULL. */
const struct counted_leg *counted_leg_left(const struct space *space,
					   const struct attachment *jump);
/* May frames come back to the function of the leg by tail jumps? */
bool counted_leg_is_in_ring(const struct counted_legs *legs,
			    const struct counted_leg *leg);
/* The leg to whose function the tail jump brings frames back, if the jump leads
 * to no other function and threads count the leg; else NULL. */
const struct counted_leg *counted_leg_come_to(struct space *space,
					      const struct attachment *jump);
/* The leg that begins at the breakpoint, or that ends there, if it is to be
 * counted; else NULL. */
const struct counted_leg *counted_leg_from(const struct counted_legs *legs,
					   const struct breakpoint *breakpoint);
const struct counted_leg *counted_leg_to(const struct counted_legs *legs,
					 const struct breakpoint *breakpoint);
const struct counted_leg *counted_leg_find(const struct counted_legs *legs,
					   uint32_t leg);
void counted_legs_copy(const struct counted_legs *from,
		       struct counted_legs *to);
void counted_legs_deinit(struct counted_legs *legs);

#endif
