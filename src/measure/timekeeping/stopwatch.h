/*
 * stopwatch.h - the clock of the measurements, which can be paused
 *
 * Measured time is the wall clock less the pauses: it stands still while the
 * monitor is off or the program is stopped, and never starts anew. Hits and
 * breaks are told of after the fact, so the last runs are kept, and a moment
 * that lies in a pause is clamped to the pause's begin.
 */
#ifndef PERFTOOL_MEASURE_STOPWATCH_H
#define PERFTOOL_MEASURE_STOPWATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A report is late by one stop, perhaps two; what is older is clamped. */
#define STOPWATCH_RUNS 16

struct run {
	uint64_t start, end; /* wall clock, ns; end: UINT64_MAX while running */
	int64_t measured;    /* measured time at `start` */
};

/* Zero is a stopwatch that never ran. */
struct stopwatch {
	struct run runs[STOPWATCH_RUNS]; /* the last ones, the newest first */
	/* Where in measured time it was stopped, the newest first. The clock
	 * may have been stopped more often than is kept here: an execution
	 * that spans the forgotten stops spans the oldest one here, too. */
	int64_t stops[STOPWATCH_RUNS];
	size_t stop_count;
	bool running;
};

void stopwatch_start(struct stopwatch *watch, uint64_t now);
void stopwatch_stop(struct stopwatch *watch, uint64_t now);

/* The wall clock's time `from` .. `to` does not count, while the clock runs.
 * This is no stop: the tool held the program for work of its own. */
void stopwatch_skip(struct stopwatch *watch, uint64_t from, uint64_t to);

/* stopwatch_stopped_within(), when there was a stop since `from`. */
bool stopwatch_stopped_between(const struct stopwatch *watch, int64_t from,
			       int64_t to);

/* Was the clock stopped between two moments of measured time? What happened
 * while it stood still has the moment of the stop. */
static inline bool stopwatch_stopped_within(const struct stopwatch *watch,
					    int64_t from, int64_t to)
{
	if (!watch->stop_count || from > watch->stops[0])
		return false;
	return stopwatch_stopped_between(watch, from, to);
}

/* The measured time at a `time` that is not before this run; it stands still
 * after it. */
static inline int64_t run_at(const struct run *run, uint64_t time)
{
	if (time > run->end)
		time = run->end;
	return run->measured + (int64_t)(time - run->start);
}

/* stopwatch_at(), for what was before the last run began. */
int64_t stopwatch_before(const struct stopwatch *watch, uint64_t time);

/* The measured time at the wall clock's `time`, ns. */
static inline int64_t stopwatch_at(const struct stopwatch *watch, uint64_t time)
{
	if (time < watch->runs[0].start)
		return stopwatch_before(watch, time);
	return run_at(&watch->runs[0], time);
}

/* stopwatch_stands(), for what was before the last run began. */
bool stopwatch_stood(const struct stopwatch *watch, uint64_t time);

/* Does it stand still at the wall clock's `time`? As it does at the moment at
 * which it goes on, so that the answer is the same before and after that. */
static inline bool stopwatch_stands(const struct stopwatch *watch,
				    uint64_t time)
{
	if (time <= watch->runs[0].start)
		return stopwatch_stood(watch, time);
	return time > watch->runs[0].end;
}

#endif
