/*
 * call_bounds.h - how far the measured times of calls may be off
 *
 * The tool takes the cost of its own hits out of the times. What it takes is a
 * calibrated cost for each hit, which varies. doc/RULES.md, "Calls and times of
 * functions", has the rule.
 */
#ifndef PERFTOOL_PROFILE_CALL_BOUNDS_H
#define PERFTOOL_PROFILE_CALL_BOUNDS_H

#include <stddef.h>

#include "perftool/base/hit.h"
#include "perftool/base/map.h"
#include "perftool/profile/call_arcs.h"

/* What the calibrations have found of a hit, ns. All zero: nothing was taken
 * out of the times. */
struct call_costs {
	double cost[HIT_MECHANISMS], spread[HIT_MECHANISMS];
	/* by which part of itself the cost of hits inside a call may be off */
	double uncertain;
};

/* How far a time may be off, ns. */
struct time_error {
	double bound;
	/* the part of `bound` that is due to the hits during the time */
	double inside;
};

/* How far the times of all calls of a procedure may be off: the own time, that
 * with its children, and that with those of its children that are in no cycle
 * with it. (The last two are equal if the procedure is in no cycle.) */
struct call_bound {
	struct time_error self, total, outside;
};

/* Compute the bounds of `count` procedures. `by_int3` has the procedures (plus
 * 1) whose calls reach an int3; NULL: none. Which hits are in the calls of a
 * child, and not in those of its other parents, is not known: they are divided
 * by the number of calls. A cycle is one child: the hits inside all its members
 * are in the time of each of them, children included. */
void call_bounds_make(const struct call_arcs *arcs, const struct map *by_int3,
		      const struct call_costs *costs, size_t count,
		      struct call_bound *bounds);

/* The same of a part of the calls. */
struct call_bound call_bound_share(const struct call_bound *bound, double part);

#endif
