/*
 * probe_event.h - what the probe layer tells its owner: one stream of events
 *
 * Everything that is measured, or that must be known in order to measure, is an
 * event. The owner takes all of them from one function, in the order in which
 * they have happened in each thread, and dispatches on the kind. Events come
 * one at a time: the keys and labels of a hit are overwritten by the next hit.
 *
 * What an event points to is valid until the function returns. Times are ns of
 * the tool's clock (perftool/base/clock.h).
 */
#ifndef PERFTOOL_PROBE_EVENT_H
#define PERFTOOL_PROBE_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/hit.h"

struct breakpoint;
struct process;

/* A thread, by value: it may have ended when the event is told. */
struct holder {
	uint32_t serial;
	pid_t pid, tid;
};

enum probe_event_kind {
	/* A thread has reached a breakpoint with its condition true. */
	PROBE_EVENT_HIT,
	/* The same of a fast node's record, if it is the only hit of the record
	 * or the last one. The break that belongs to it took no time but the
	 * hit's `cost_before`, before it and once more after it. */
	PROBE_EVENT_FAST_HIT,
	/* A condition, value, key or label could not be evaluated. */
	PROBE_EVENT_ERROR,
	/* A condition was false at a stop of a thread, which is no hit. */
	PROBE_EVENT_PASSED,
	/* A thread was at a place of no breakpoint: see measure_follow(). */
	PROBE_EVENT_FOLLOWED,
	/* A stop of a thread is over: see measure_hold(). There is no such
	 * event for a stop that stops the program, for it has no end yet. */
	PROBE_EVENT_HELD,
	/* A thread has waited for room in its ring before its next hit. */
	PROBE_EVENT_STALLED,
	/* All that is measured stood still for the tool's sake. That time is
	 * nobody's. */
	PROBE_EVENT_STOOD,
	/* Context switches of a thread are told from now on. The thread is off
	 * its CPU. All its switches before a hit are told before that hit. */
	PROBE_EVENT_WATCHED,
	/* A thread has come to a CPU, or has left it. */
	PROBE_EVENT_SWITCHED,
	/* Some switches of a thread could not be told. */
	PROBE_EVENT_SWITCHES_LOST,
	/* Calibration has found what a hit costs, and how far that varies. */
	PROBE_EVENT_CALIBRATED,
	/* Calibration has found for how long of an int3's cost its thread is on
	 * a CPU. */
	PROBE_EVENT_CPU_COST,
	/* Calibration at the start is over; the program's code comes next. */
	PROBE_EVENT_BEGAN,
	/* Libraries have come or gone. Breakpoints can be added now. */
	PROBE_EVENT_LIBRARIES,
	/* A process that is followed has been forked. */
	PROBE_EVENT_CHILD,
	/* A process that was followed has executed another program. */
	PROBE_EVENT_EXEC,
	/* A process is not followed any more; it goes on without the tool. */
	PROBE_EVENT_LEFT,
	/* One line for the user. */
	PROBE_EVENT_NOTE,
};

struct probe_event {
	enum probe_event_kind kind;
	union {
		/* HIT, FAST_HIT: `hit->node` is for the owner to fill in.
		 * ERROR: the reason, and no hit. */
		struct {
			struct breakpoint *breakpoint;
			union {
				struct hit *hit;
				const char *reason;
			};
		};
		struct { /* PASSED, FOLLOWED */
			pid_t pid, tid;
		};
		/* HELD: from the arrival to the resume, with what calibration
		 * says of the time before and after that. STALLED, STOOD:
		 * `from` and `to`; STOOD has no holder. WATCHED, SWITCHED: at
		 * `from`; SWITCHED: `on` its CPU or off. SWITCHES_LOST: the
		 * holder. */
		struct {
			const struct holder *holder;
			uint64_t from, to;
			double before, after; /* ns */
			bool on;
		};
		struct { /* CALIBRATED; CPU_COST: the cost, ns */
			enum hit_mechanism mechanism;
			double cost, spread;
		};
		struct { /* CHILD, EXEC, LEFT */
			struct process *process;
			struct process *parent; /* of a child */
		};
		const char *text; /* NOTE */
	};
};

#endif
