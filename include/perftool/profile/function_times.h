/*
 * function_times.h - calls and times by function, of all threads and of each:
 * what `print functions` shows
 *
 * The source is the Amiga Profiler; doc/RULES.md, "Profiles", has the rules.
 */
#ifndef PERFTOOL_PROFILE_FUNCTION_TIMES_H
#define PERFTOOL_PROFILE_FUNCTION_TIMES_H

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
	/* most time with children first; then most time of its own, most calls,
	 * and by name */
	VEC(struct function_times) functions;
	VEC(struct thread_times) threads; /* in the same order */
	/* arcs beyond the limit, of whatever functions; `others` as in struct
	 * call_arcs */
	struct call_times other;
	size_t others;
};

void function_times_deinit(struct function_times_list *list);

/* Add up the arcs. `list` is empty before. */
void function_times_make(const struct call_arcs *arcs,
			 const struct procedures *procedures,
			 struct function_times_list *list);

#endif
