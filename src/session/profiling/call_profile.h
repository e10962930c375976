/*
 * call_profile.h - the profile of calls: the functions that the user
 * named, and what each thread has counted
 *
 * The folder uses the folders run, requests and names. What run control tells
 * it is declared in session/profile_events.h.
 */
#ifndef SESSION_CALL_PROFILE_H
#define SESSION_CALL_PROFILE_H

#include "perftool/profile/call_activations.h"
#include "perftool/profile/call_bounds.h"
#include "perftool/session/calls.h"
#include "session/profile_events.h"
#include "session/session_state.h"

/* Functions with smaller numbers are counted. */
#define MOST_CALLED (UINT32_C(1) << 20)

struct noted_site {
	uint32_t module;
	uint64_t address;
};

struct waited_until {
	uint64_t time; /* ns of the tool's clock */
	double waited; /* ns */
};

struct waited_call {
	uint64_t began;
	double waited; /* ns */
};

/* A thread's or a goroutine's calls. */
struct call_counter {
	struct call_activations activations;
	size_t bytes; /* of the block, which is mapped memory */
	/* The block is that of the thread, which counts by itself: what ticks
	 * of its times are, ns; and `taken` of the block when it was last told.
	 * 0: the block is the tool's own. */
	double tick;
	uint64_t taken_units;
	/* When its thread has ended, which the tool has not dealt with yet; or
	 * since when the program stood still before that. 0: it has not ended.
	 */
	uint64_t ended_at;
	bool ended_by_exec;
	uint64_t gone_at; /* the same, when the tool has noted the end */
	/* index into `threads` of struct call_profile */
	uint32_t thread;
	pid_t pid, tid;
	uint32_t serial; /* of the thread */
	/* For each arc of the block, the module number and the address in its
	 * file of the call site. */
	VEC(struct noted_site) sites;
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
	/* Of a thread: the stack on which its signal handlers run, as far as
	 * one was seen; 0: none was. */
	uint64_t signal_low, signal_high;
	/* Of a thread that counts by itself: how long it had been off its CPU
	 * whenever it got on it again; and the calls that have ended, took
	 * long, and were off the CPU meanwhile, unless another one of these
	 * has ended around them since. */
	VEC(struct waited_until) switches;
	uint64_t off_since; /* and since when it has been off it; 0: it is on */
	double waited_before; /* in earlier epochs, ns */
	VEC(struct waited_call) told;
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
	/* where frames are unwound; NULL while there is no pattern */
	struct breakpoint *unwinds;
	size_t limit; /* `profile arcs N` */

	/* An account of each thread's time, without tables: it runs while the
	 * program runs and calls are counted. */
	struct measure *account;
	uint64_t stands_since; /* when the program stopped; 0: it runs */

	/* The user knows that a file was built anew. */
	bool told_of_builds;
	struct map by_thread;    /* serial -> struct call_counter */
	struct map by_goroutine; /* pid and number -> struct call_counter */
	/* counters of goroutines that have nothing open, for other ones of the
	 * same process */
	VEC(struct call_counter *) idle;
	/* Of return addresses on stacks that are not a thread's own, combined
	 * with the pid: does the frame belong to a signal handler? 1: no,
	 * 2: yes. */
	struct map returns;
	VEC(struct session_call_thread) threads;
	/* What ended threads have counted. The callers and callees are numbers
	 * of probe_called(). */
	struct call_arcs ended;
	/* The indices of the threads that have ended and have arcs of their
	 * own; of that for which all others are added up, plus 1 (0: there are
	 * none); and those that nobody uses any more. */
	VEC(uint32_t) ended_threads;
	uint32_t others;
	VEC(uint32_t) unused;
	uint64_t added_up; /* how many threads `others` stands for */
	/* more are added up when `ended` has this number of arcs */
	size_t most_ended_arcs;
	/* of the time between hits of a thread: for how long it is known
	 * whether the thread was on a CPU, and for how long not; ns */
	double known, unknown;
};

/* call_counters.c: counter_create() makes the counter of a thread or, if the
 * hit has a goroutine, of that goroutine. `shared`: the block of the thread,
 * which counts by itself, or NULL. */
struct call_counter *counter_create(struct call_profile *profile,
				    const struct hit *hit,
				    struct call_block *shared);
void counter_destroy(struct call_counter *counter);
/* The thread or the goroutine of a counter has ended: keeps what it has
 * counted, and destroys the counter. */
void counter_retire(struct call_profile *profile, struct call_counter *counter);
/* If many threads have ended, adds up those with the least time. */
void add_up_ended(struct call_profile *profile);
/* Forgets what ended threads have counted. */
void forget_ended(struct call_profile *profile);
/* Adds to `out` what a counter has counted of calls that have ended. */
void counter_read(const struct call_counter *counter, struct call_arcs *out);
/* The same, as if everything that is open ended `now`, at this time of the
 * tool's clock, by a return. */
void counter_read_open(struct session *session,
		       const struct call_counter *counter, uint64_t now,
		       struct call_arcs *out);
/* Determines where the call sites of new arcs are. The process must still have
 * its memory. */
void counter_note_sites(struct session *session, struct call_counter *counter);

/* call_events.c: which stack is the hit on? */
enum call_hit_stack call_stack_of(struct session *session,
				  struct call_counter *counter,
				  const struct probe_event *event);

/* signal_stack.c: is the hit, which is not on the thread's own stack, on the
 * stack of signal handlers? */
bool is_on_signal_stack(struct session *session, struct call_counter *counter,
			const struct hit *hit, bool is_entry);

/* thread_calls.c: a hit that is to be made in the block of its thread; the
 * thread has counted others. */
void call_in_block(struct session *session, const struct probe_event *event);
void calls_counted(struct session *session, const struct probe_event *event);
/* A thread that counts by itself tells of a call that took long. */
void call_told(struct session *session, const struct probe_event *event);
/* A thread has begun or ceased to execute on a CPU. */
void note_switch(struct call_profile *profile, uint32_t thread, uint64_t time,
		 bool on);
/* The context switches of a thread are known from now on. */
void note_watched(struct call_profile *profile, uint32_t thread);
/* The thread of a counter, whose block is the thread's, has ended. */
void note_thread_end(struct call_profile *profile, struct call_counter *counter,
		     uint64_t time);
/* Adds to the arcs of a block how long the thread of the counter was off its
 * CPU during the calls that are open at `time` of the tool's clock. The block
 * may be a copy. */
void add_open_waiting(struct session *session,
		      const struct call_counter *counter,
		      struct call_block *block, uint64_t time);
/* The block of the counter is the thread's. The thread stands still, or has
 * ended at `time` of the tool's clock: what is open ends without a return; or
 * it counts anew from `time` on. */
void end_in_block(struct session *session, struct call_counter *counter,
		  uint64_t time);
void restart_in_block(struct session *session, struct call_counter *counter,
		      uint64_t time);

/* call_events.c: sets what the tool has taken of the thread of a counter until
 * `time` of the tool's clock, and returns the thread's own time then. */
uint64_t counter_until(struct session *session, struct call_counter *counter,
		       uint64_t time);
/* The time of the tool's clock until which open calls have lasted: now, or when
 * the program stopped, if it stands still for the user. */
uint64_t open_calls_until(const struct session *session);
/* Until when the open calls of a counter have lasted, at the latest now. */
uint64_t counter_end(const struct session *session,
		     const struct call_counter *counter);
/* The same in the unit of the times of its calls; `time` is that of the tool's
 * clock. No call ends before it has begun. */
uint64_t counter_end_units(const struct call_counter *counter, uint64_t units);
/* Everything that is open ends without a return. */
void end_open_calls(struct session *session, uint64_t time);

/* What is open counts from `time` on, and all counts become 0. */
void restart_counters(struct session *session, uint64_t time);

/* call_reading.c: what the calibrations of a measurement have found of hits.
 * All zero but `uncertain`: nothing is taken out. */
void read_hit_costs(const struct session *session,
		    const struct measure *measure, struct call_costs *out);
/* Tells the user how many calls are in no arc, because of the
 * limit of arcs. */
void note_full(struct session *session);

/* call_profile.c: do places of the profile stop the thread at each hit? */
bool call_profile_stops_threads(const struct session *session);
/* Lists the patterns whose places do not. */
void call_profile_unstopping(const struct session *session,
			     struct string_list *out);

#endif
