/*
 * probe_event.h - what the probe layer tells its caller (the session): one
 * stream of events
 *
 * Everything that is measured, or that must be known in order to measure, is an
 * event. The caller takes all of them from one function, in the order in which
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

#include "perftool/base/call_block.h"
#include "perftool/base/counted.h"
#include "perftool/base/hit.h"
#include "perftool/base/left_counts.h"

struct breakpoint;
struct process;

/* A thread, by its numbers and not by a pointer, because it may have ended when
 * the event is told. */
struct holder {
	uint32_t serial;
	pid_t pid, tid;
};

enum probe_event_kind {
	/* A thread has reached a breakpoint with its condition true. */
	PROBE_EVENT_HIT,
	/* Like PROBE_EVENT_HIT, for the only hit or the last hit of a record
	 * that a fast node has written. The break of this record did not stop
	 * its thread. It cost the thread `cost_before` of the hit before the
	 * time of the hit, and as much again after it. */
	PROBE_EVENT_FAST_HIT,
	/* A thread has entered a function whose calls are counted, or a frame
	 * of such functions has ended: probe_add_calls() in probe.h. */
	PROBE_EVENT_CALL,
	/* A thread that counts calls by itself has counted some. The caller may
	 * read its block now. */
	PROBE_EVENT_CALLS_COUNTED,
	/* A call has ended that took long, and that its thread has counted by
	 * itself. All context switches of the thread until then are told
	 * before. */
	PROBE_EVENT_CALL_TOLD,
	/* A condition, value, key or label could not be evaluated. */
	PROBE_EVENT_ERROR,
	/* A thread was stopped at a breakpoint whose condition was false. This
	 * is no hit. */
	PROBE_EVENT_PASSED,
	/* A thread was stopped at a place where the tool only follows frames
	 * and the user has no breakpoint: see measure_follow(). */
	PROBE_EVENT_FOLLOWED,
	/* A stop of a thread by the tool is over: see measure_hold(). If a
	 * breakpoint stops the program for the user, there is no such event,
	 * because that stop has no end yet. */
	PROBE_EVENT_HELD,
	/* What a thread has counted by itself of a leg since this was last
	 * told. */
	PROBE_EVENT_COUNTED,
	/* A thread tells of one execution of a leg, which it has matched by
	 * itself, because it took long. */
	PROBE_EVENT_TOLD,
	/* A thread has an open activation of a leg, which it has counted by
	 * itself until now. From now on its hits of the leg are told. The
	 * outermost activation is told first. */
	PROBE_EVENT_HANDED_OVER,
	/* Hits that a thread has counted by itself have cost it so much. All
	 * hits before a hit of the thread are told before that hit. */
	PROBE_EVENT_COUNTED_HITS,
	/* The same as overhead, which is told some time later; and the time
	 * since this was last told of all threads. */
	PROBE_EVENT_COUNTED_OVERHEAD,
	PROBE_EVENT_COUNTED_UNTIL,
	/* When the activations of a thread began that it has open by its own
	 * count. */
	PROBE_EVENT_OPEN_SINCE,
	/* A thread has waited for room in its ring (the memory in which it
	 * records its hits) before its next hit. */
	PROBE_EVENT_STALLED,
	/* The tool made everything that is measured stand still. This time
	 * counts for no thread. */
	PROBE_EVENT_STOOD,
	/* From now on the context switches of a thread are told. At this moment
	 * the thread is off its CPU. All its switches before a hit are told
	 * before that hit. */
	PROBE_EVENT_WATCHED,
	/* A thread has begun or ceased to execute on a CPU. */
	PROBE_EVENT_SWITCHED,
	/* Some context switches of a thread could not be told. */
	PROBE_EVENT_SWITCHES_LOST,
	/* Calibration has found the cost of a hit, and the spread of that
	 * cost. */
	PROBE_EVENT_CALIBRATED,
	/* Calibration has found for how much of an int3's cost the thread is on
	 * a CPU. */
	PROBE_EVENT_CPU_COST,
	/* The calibration at the start (which measures what a hit costs) is
	 * over, and the thread goes on with the program's code. */
	PROBE_EVENT_BEGAN,
	/* Libraries have come or gone. Breakpoints can be added now. */
	PROBE_EVENT_LIBRARIES,
	/* A process that is followed has been forked. */
	PROBE_EVENT_CHILD,
	/* A process that was followed has executed another program. */
	PROBE_EVENT_EXEC,
	/* The tool cannot measure a process any more, and is about to let it
	 * go: PROBE_EVENT_LEFT follows. */
	PROBE_EVENT_FAILED,
	/* The tool has let a process go, which goes on without the tool. */
	PROBE_EVENT_LEFT,
	/* A tool that died had a program count a leg by itself. */
	PROBE_EVENT_LEFT_COUNTS,
	/* There is one line of text for the user. */
	PROBE_EVENT_NOTE,
};

struct probe_event {
	enum probe_event_kind kind;
	union {
		/* HIT, FAST_HIT: `hit->node` is the number of the breakpoint,
		 * and `is_conditional` says whether it has a condition.
		 * ERROR: the reason, and no hit.
		 * CALL: the hit, whose value is the return address if it is an
		 * entry, and the number of the function that was entered.
		 * If there is a `block`, the hit is to be made in this block,
		 * in which the thread counts its other hits by itself; the time
		 * of the hit is then that of the time-stamp counter, and there
		 * is no breakpoint. */
		struct {
			struct breakpoint *breakpoint;
			bool is_conditional;
			bool is_entry;
			/* No call was entered or left: frames up to that of
			 * the hit have gone. */
			bool is_unwind;
			/* The thread ends its process: whatever it has open
			 * ends. */
			bool is_process_end;
			/* A tail jump of another function that waits for the
			 * end of its frame, or of the same one, has led to the
			 * entry. */
			bool is_by_jump;
			/* With a `block`: this is no end but a tail jump, to
			 * `function`, as in struct call_hit of
			 * call_activations.h. */
			bool is_jump;
			uint32_t function;
			struct call_block *block;
			/* The caller sets it if all hits of the thread are to
			 * be made by the tool for now, because activations of
			 * the stack of signal handlers are open. */
			bool *has_others;
			union {
				struct hit *hit;
				const char *reason;
			};
		};
		struct { /* PASSED, FOLLOWED: and whether it was an int3 */
			pid_t pid, tid;
			bool at_int3;
		};
		/* HELD: `from` is the arrival of the thread, `to` the time when
		 * it went on; `before` and `after` are what the break cost
		 * besides, according to the calibration. STALLED, STOOD: `from`
		 * and `to`; STOOD has no holder. WATCHED, SWITCHED: the time
		 * `from`; SWITCHED: is the thread `on` its CPU or off?
		 * SWITCHES_LOST: the holder. */
		struct {
			const struct holder *holder;
			uint64_t from, to;
			double before, after; /* ns */
			bool on;
		};
		/* COUNTED: the figures. TOLD, HANDED_OVER: the leg, when the
		 * execution began and (TOLD) when it ended, and what hits at
		 * jumps have cost the thread since the beginning, ns. TOLD:
		 * `shares_to` as in struct counted.
		 * HANDED_OVER: the frame (CFA). COUNTED_HITS,
		 * COUNTED_OVERHEAD: the cost `taken`; OVERHEAD: how many of the
		 * hits were at places where the tool only follows frames,
		 * `count`. OPEN_SINCE: `count` times. CALLS_COUNTED: the block
		 * `calls`, whose `taken` is to be taken for `taken_units`; its
		 * times are those of the time-stamp counter. `is_last`: the
		 * block is about to vanish. The thread has then ended, or its
		 * memory has. CALL_TOLD: the block, when the call `began` and
		 * `ended`, the number of its `arc`, and whether no other call
		 * of the function was open. */
		struct {
			const struct holder *counter;
			uint32_t leg;
			const struct counted *counted;
			uint64_t began, ended;
			double taken;
			bool shares_to;
			uint64_t frame;
			uint64_t *times;
			size_t count;
			struct call_block *calls;
			uint64_t taken_units;
			bool is_last;
			uint32_t arc;
			bool is_outermost;
		};
		struct { /* CALIBRATED; CPU_COST: the cost, ns */
			enum hit_mechanism mechanism;
			double cost, spread;
		};
		struct { /* CHILD, EXEC, FAILED, LEFT */
			struct process *process;
			struct process *parent; /* of a child */
			const char *why;        /* FAILED */
		};
		const struct left_counts *left_counts; /* LEFT_COUNTS */
		const char *text;                      /* NOTE */
	};
};

#endif
