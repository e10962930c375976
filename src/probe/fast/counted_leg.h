/*
 * counted_leg.h - the legs whose hits the threads of a space count by
 * themselves: counted_leg.c
 */
#ifndef PROBE_COUNTED_LEG_H
#define PROBE_COUNTED_LEG_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/probe.h"

struct site;
struct space;

struct counted_leg {
	uint32_t leg, from, to; /* as in struct countable */
	/* of the sites of its two breakpoints: how many there are, and how many
	 * of them count */
	size_t sites, counting;
	bool is_refused; /* it cannot be counted after all */
};
VEC_STRUCT(counted_leg_list, struct counted_leg);

/* The legs that the threads of a space count. */
struct counted_legs {
	struct counted_leg_list list;
	struct map of_breakpoint; /* number -> index in the list, + 1 */
};

/* Decide which legs the threads of the space are to count, as far as the
 * breakpoints tell. `before` are the legs that they count now. */
void counted_legs_plan(const struct probe *probe,
		       const struct counted_legs *before,
		       struct counted_legs *out);
/* The sites were updated. Refuse the legs that have a site which does not
 * count. Returns true if a leg was refused, so that the sites must be updated
 * once more. */
bool counted_legs_check(struct space *space);
/* Is the site at a tail jump that leaves a function whose leg is counted now?
 * The frame then ends in another function, so the leg cannot be counted any
 * more. All threads must stop for an update before one of them jumps. */
bool counted_legs_are_left(const struct space *space, const struct site *site);
/* The leg that the breakpoint is a part of, if it is to be counted; else
 * NULL. */
const struct counted_leg *counted_leg_of(const struct counted_legs *legs,
					 const struct breakpoint *breakpoint);
const struct counted_leg *counted_leg_find(const struct counted_legs *legs,
					   uint32_t leg);
void counted_legs_copy(const struct counted_legs *from,
		       struct counted_legs *to);
void counted_legs_deinit(struct counted_legs *legs);

#endif
