/*
 * function_times.h - calls and times by function, of all threads and of each:
 * what `print functions` shows
 *
 * The source is the Amiga Profiler; doc/RULES.md, "Profiles", has the rules.
 */
#ifndef PERFTOOL_PROFILE_FUNCTION_TIMES_H
#define PERFTOOL_PROFILE_FUNCTION_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/vec.h"
#include "perftool/profile/call_arcs.h"

struct thread_times {
	uint32_t thread; /* as in struct call_arc */
	struct call_times times;
};

struct function_times {
	uint32_t procedure;
	/* `outermost` is the time with children, in which recursion counts
	 * once */
	struct call_times times;
	/* which of `threads` have called the function */
	size_t first_thread, thread_count;
};

/* All zero is empty. */
struct function_times_list {
	/* most time with children first, elapsed or on a CPU; then most time of
	 * its own, most calls, and by name */
	VEC(struct function_times) functions;
	VEC(struct thread_times) threads; /* in the same order */
	/* arcs beyond the limit, of whatever functions; `others` as in struct
	 * call_arcs */
	struct call_times other;
	size_t others;
	/* The time of all calls, elapsed and on a CPU, ns: the sum of the own
	 * times. One that is below 0, of which nothing is known, adds nothing.
	 */
	int64_t whole, whole_on_cpu;
};

/* The time with children, elapsed or on a CPU. */
static inline int64_t call_total(const struct call_times *times, bool on_cpu)
{
	return times->outermost - (on_cpu ? times->waiting : 0);
}

/* The own time, elapsed or on a CPU. */
static inline int64_t call_self(const struct call_times *times, bool on_cpu)
{
	return times->self - (on_cpu ? times->self_waiting : 0);
}

void function_times_deinit(struct function_times_list *list);

/* Add up the arcs. `by_cpu`: the order is that of the times on a CPU. `list` is
 * empty before. */
void function_times_make(const struct call_arcs *arcs,
			 const struct procedures *procedures, bool by_cpu,
			 struct function_times_list *list);

#endif
