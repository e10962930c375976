/*
 * recorded_profiles.h - what the session records of call stacks: the Spy
 * (spy.c), the ticks of the profiler (ticks.c), those of `top` (top.c), and
 * those of `set detail auto` (adaptive_detail.c); and of source lines
 * (source_profile.c)
 *
 * recorder.c records stacks for each of them, stack_names.c gives the stacks
 * names, and spy_report.c makes the Spy's display. The functions that run/
 * calls are in session_state.h.
 */
#ifndef SESSION_RECORDED_PROFILES_H
#define SESSION_RECORDED_PROFILES_H

#include "adaptive_detail.h"
#include "lock_waits.h"
#include "recorder.h"
#include "source_profile.h"
#include "spy_state.h"
#include "tick_profile.h"
#include "top_profile.h"

struct recorded_profiles {
	struct spy spy;
	struct tick_profile ticks;
	struct top_profile top;
	struct adaptive_detail detail;
	struct source_profiles source;
	struct lock_waits locks;
	/* `print flat` and `print graph` have said what their columns mean. */
	bool flat_described, graph_described;
	/* what `print flat` has said of how ticks were taken, if no call graph
	 * was printed since */
	struct str ticks_told;
	/* A report has shown, or a file has: ticks; calls; source lines; waits
	 * for locks. A file has what the Spy has recorded. */
	bool ticks_seen, calls_seen, source_seen, spy_saved, contention_seen;
};

struct profile;
/* Calls `use` with the profile that `save profile` would write (in
 * profile_reports.c); its tables are those of the session. Returns false if
 * there is none. */
bool session_with_samples(struct session *session,
			  void (*use)(void *context,
				      const struct profile *profile),
			  void *context);

#endif
