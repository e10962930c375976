/*
 * inside.h - what else a thread recorded during one of its slowest executions
 *
 * While measure_set_inside() asks for it, each thread has a log of what it has
 * recorded lately: executions of legs, and hits of nodes that belong to no leg.
 * When an execution ends and is among the slowest of its leg, what the log has
 * from its beginning on is kept with it. A log that is full drops the shortest
 * of its older entries. An execution keeps the INSIDE_MOST longest entries.
 *
 * Rule: doc/RULES.md, "Inside the slowest executions".
 */
#ifndef PERFTOOL_INSIDE_H
#define PERFTOOL_INSIDE_H

#include "perftool/measure.h"

#define INSIDE_MOST 200

struct inside_entry {
	/* An execution of leg `id`; or a hit of node `id`, which belongs to no
	 * leg. */
	bool is_hit;
	uint32_t id;
	/* From the beginning of the execution to that of the entry, in ns, of
	 * the thread's own time. It is below 0 if the entry began before. */
	int64_t offset;
	int64_t duration; /* ns, as in struct execution; 0 of a hit */
	/* how many other entries of the list the entry lies in */
	uint32_t depth;
	struct value value; /* of the node, or of the leg's node *to* */
};

struct inside {
	/* In the order in which they began; of those that began together, the
	 * outer one first. */
	VEC(struct inside_entry) entries;
	uint64_t dropped; /* how many more there were */
};

/* From now on the `most` slowest executions of each leg keep what is inside
 * them, at most LEG_SLOWEST. Executions that are not among so many any more
 * forget it. 0: nothing is kept any more, and threads may count by themselves
 * again. While `most` is not 0, measure_is_countable() is false. */
void measure_set_inside(struct measure *measure, size_t most);

#endif
