/*
 * thread_activity.h - what a thread did at ticks that are in the past, by the
 * kernel's log of its context switches
 *
 * The tool may come late to a tick, and several ticks have fallen due then. The
 * stack that it finds is also that of an earlier tick if the thread has not run
 * on since: it is in the same wait, or still without a CPU. A thread that was
 * preempted is still where it ran last, so the ticks of that time have no
 * better stack either.
 */
#ifndef SAMPLE_THREAD_ACTIVITY_H
#define SAMPLE_THREAD_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/switches.h"

enum activity {
	ACTIVITY_UNKNOWN, /* nothing was logged yet, or records are missing */
	ACTIVITY_RUNS,
	ACTIVITY_PREEMPTED,
	ACTIVITY_WAITS,
};
#define ACTIVITIES (ACTIVITY_WAITS + 1)

/* Ticks that fell due at `first` and after each `period`, ns of any clock. The
 * tool sees to the last one now, so it is in none of the numbers below. */
struct due_ticks {
	uint64_t first, period, count;
	uint64_t seen; /* those that the log was read for, the last one too */
	/* ticks of the present activity, and of the time on a CPU that
	 * the present preemption has ended */
	uint64_t present, ran;
	/* and those of earlier activities, whose stacks nobody knows */
	uint64_t over[ACTIVITIES];
	enum activity last; /* what the thread did at the last one */
};

/* The thread did `*activity` until this record, whose time is on the clock of
 * the ticks. */
void due_ticks_switch(struct due_ticks *ticks, enum activity *activity,
		      const struct switch_record *record);
/* There are no more records: the rest of the ticks is of the present. */
void due_ticks_end(struct due_ticks *ticks, enum activity activity);

#endif
