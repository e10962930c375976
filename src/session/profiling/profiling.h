/*
 * profiling.h - what the session records of call stacks: the Spy (spy.c) and
 * the ticks of the profiler (ticks.c)
 *
 * recorder.c records stacks for each of them, stack_names.c gives the stacks
 * names, and spy_report.c makes the Spy's display. The public functions are in
 * perftool/session/spy.h and perftool/session/ticks.h. This folder uses run/,
 * requests/ and names/; the functions that run/ calls are in session_state.h.
 */
#ifndef SESSION_PROFILING_H
#define SESSION_PROFILING_H

#include "module_numbers.h"
#include "recorder.h"
#include "spy_state.h"
#include "tick_profile.h"
#include "top_profile.h"

struct profiling {
	struct module_numbers modules;
	struct spy spy;
	struct tick_profile ticks;
	struct top_profile top;
};

#endif
