/*
 * profiling.h of the folder - the profile of calls: the functions that the user
 * named, and what each thread has counted
 *
 * The folder uses the folders run, requests and names. What run control tells
 * it is declared in session/profile_events.h.
 */
#ifndef SESSION_PROFILING_H
#define SESSION_PROFILING_H

#include "perftool/profile/call_activations.h"
#include "perftool/session/calls.h"
#include "session/profile_events.h"
#include "session/session_state.h"

/* Functions with smaller numbers are counted. */
#define MOST_CALLED (UINT32_C(1) << 20)

struct call_site {
	uint32_t module;
	uint64_t address;
};

/* A thread's or a goroutine's calls. */
struct call_counter {
	struct call_activations activations;
	size_t bytes; /* of the block, which is mapped memory */
	/* index into `threads` of struct call_profile */
	uint32_t thread;
	pid_t pid, tid;
	uint32_t serial; /* of the thread */
	/* For each arc of the block, the module number and the address in its
	 * file of the call site. */
	VEC(struct call_site) sites;
	/* The account of the thread at its last hit. */
	bool has_hit;
	uint32_t epoch;
	double waited;
	int64_t own; /* ns */
	/* Of a thread: the goroutine that has made its last hit, or NULL. Of a
	 * goroutine: what the tool has taken of it, ns. */
	struct call_counter *runs;
	double taken;
	uint64_t goroutine; /* of a goroutine: its number */
};

/* The breakpoints of one pattern. */
struct called_pattern {
	char *text;
	struct breakpoint *entries, *ends;
};

struct call_profile {
	bool is_on;
	bool is_for_arcs; /* `profile calls` was given */
	VEC(struct called_pattern) patterns;
	size_t limit; /* `profile arcs N` */

	/* An account of each thread's time, without tables: it runs while the
	 * program runs and calls are counted. */
	struct measure *account;

	struct map by_thread;    /* serial -> struct call_counter */
	struct map by_goroutine; /* pid and number -> struct call_counter */
	/* counters of goroutines that have nothing open, for other ones of the
	 * same process */
	VEC(struct call_counter *) idle;
	VEC(struct session_call_thread) threads;
	/* What ended threads have counted. The callers and callees are numbers
	 * of probe_called(). */
	struct call_arcs ended;
	/* of the time between hits of a thread: for how long it is known
	 * whether the thread was on a CPU, and for how long not; ns */
	double known, unknown;
};

/* call_counters.c: counter_create() makes the counter of a thread or, if the
 * hit has a goroutine, of that goroutine. */
struct call_counter *counter_create(struct call_profile *profile,
				    const struct hit *hit);
void counter_destroy(struct call_counter *counter);
/* Adds to `out` what a counter has counted of calls that have ended. */
void counter_read(const struct call_counter *counter, struct call_arcs *out);
/* The same, as if everything that is open had ended at `time` by a return. */
void counter_read_open(const struct call_counter *counter, uint64_t time,
		       struct call_arcs *out);
/* Determines where the call sites of new arcs are. The process must still have
 * its memory. */
void counter_note_sites(struct session *session, struct call_counter *counter);

/* call_events.c: sets what the tool has taken of the thread of a counter until
 * `time` of the tool's clock, and returns the thread's own time then. */
uint64_t counter_until(struct session *session, struct call_counter *counter,
		       uint64_t time);
/* Everything that is open ends without a return. */
void end_open_calls(struct session *session, uint64_t time);

/* What is open counts from `time` on, and all counts become 0. */
void restart_counters(struct session *session, uint64_t time);

/* call_reading.c: appends how many calls are in no arc, because of the limit of
 * arcs. */
void describe_full(struct session *session, struct str *out);

#endif
