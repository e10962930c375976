/*
 * cpu_times.h - the times of calls on a CPU in place of their elapsed times
 *
 * With these, all tables of calls can be made of either. doc/RULES.md, "Calls
 * and times of functions", has the rule.
 */
#ifndef PERFTOOL_PROFILE_CPU_TIMES_H
#define PERFTOOL_PROFILE_CPU_TIMES_H

#include "perftool/profile/call_arcs.h"

/* Take out of the times of all arcs what the threads have waited. The waits of
 * recursive calls, of which only those of the outermost ones are measured,
 * count in proportion. */
void cpu_times_take(struct call_arcs *arcs);

/* Make a copy of the arcs whose times are those on a CPU. `out` is empty
 * before; the caller calls call_arcs_deinit(). */
void cpu_times_copy(const struct call_arcs *arcs, struct call_arcs *out);

#endif
