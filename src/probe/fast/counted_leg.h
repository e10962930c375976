/*
 * counted_leg.h - the legs whose hits the threads of a space count by
 * themselves: counted_leg.c
 */
#ifndef PROBE_COUNTED_LEG_H
#define PROBE_COUNTED_LEG_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/probe.h"
#include "tail_graph.h"

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

/* The legs that the threads of a space count. */
struct counted_legs {
	struct counted_leg_list list;
	struct map of_from; /* number of a breakpoint -> index in the list, + 1:
			       the leg that begins there */
	struct map of_to;   /* the same for the leg that ends there */
	struct map of_leg;  /* the same for the number of the leg, + 1 */
	struct map of_function; /* the same for the run-time address */
	/* run-time address of a function of a profile of calls -> its number,
	 * + 1 */
	struct map called;
	/* the numbers of the breakpoints of the profile at ends of frames */
	struct map of_calls;
	struct tail_graph tails;
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
/* The same for a jump of which is known that it leads to `target` now, a
 * run-time address. */
const struct counted_leg *counted_leg_led_to(struct space *space,
					     uint64_t target);
/* The number of the function of a profile of calls to which a tail jump to
 * `target`, a run-time address, leads. CALL_NO_FUNCTION: it leads to another
 * function. CALL_ANY_FUNCTION: that is not known. */
uint32_t counted_legs_called(struct space *space, uint64_t target);
/* Is this the number of a breakpoint at the ends of frames of a profile of
 * calls, and do threads count its hits by themselves? */
bool counted_legs_are_calls(const struct counted_legs *legs,
			    uint32_t breakpoint);
/* The threads of the space do not count calls by themselves after all. */
void counted_legs_leave_calls(struct space *space);
/* Does a breakpoint of a profile of calls wait for the end of frames that may
 * end in the attachment's function? */
bool counted_legs_follow_calls(const struct counted_legs *legs,
			       const struct attachment *attachment);
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
