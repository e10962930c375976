/*
 * ticks.h - the ticks of the profiler of a session
 *
 * The profiler is that of SPIN (University of Washington): while it is on, the
 * clock ticks, and each tick is charged to the procedure that runs. doc/
 * RULES.md, "Profiles", has the rules.
 */
#ifndef PERFTOOL_SESSION_TICKS_H
#define PERFTOOL_SESSION_TICKS_H

#include "perftool/profile/call_stacks.h"
#include "perftool/session.h"

/* Turn the ticks on, without forgetting earlier ones, and append what is
 * recorded from now on; or turn them off. Both do nothing if that is so
 * already. */
struct error *session_ticks_on(struct session *session, struct str *out);
struct error *session_ticks_off(struct session *session);
bool session_ticks_are_on(const struct session *session);
/* Were they on since the ticks were last flushed? */
bool session_ticks_were_on(const struct session *session);
/* Forget all ticks. */
struct error *session_ticks_flush(struct session *session);
/* Set how many ticks a second there are. Fails while they are on. */
struct error *session_ticks_rate(struct session *session, double hz);

struct ticks_facts {
	double rate;      /* ticks a second of each thread's time on CPUs */
	uint64_t elapsed; /* ns of measured time */
	uint64_t ticks;   /* that were taken */
	uint64_t in_tool; /* ticks at breakpoints, in code of the tool */
	uint64_t missed, lost;   /* that fell due and were not taken; lost */
	uint64_t stacks, broken; /* the part of them that has no outer end */
	/* The kernel takes the ticks. Else the tool stops the threads, and
	 * `why` says why. */
	bool by_kernel;
	const char *why;
};
void session_ticks_facts(const struct session *session,
			 struct ticks_facts *out);
/* The ticks with their names. The caller calls call_stacks_deinit(). */
void session_ticks_stacks(struct session *session, struct call_stacks *out);

#endif
