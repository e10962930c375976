/*
 * stopwatch.h - the clock of the measurements, which can be paused
 *
 * Measured time is the wall clock less the pauses. It stands still while the
 * monitor is off or the program is stopped, and it never starts again from 0.
 * The caller asks about hits and breaks after they have happened. The stopwatch
 * therefore keeps its last runs (a run lasts from a start of the clock to the
 * next pause), and a moment within a pause has the measured time at which the
 * pause began.
 *
 * Rule: doc/RULES.md, "Time".
 */
#ifndef PERFTOOL_MEASURE_STOPWATCH_H
#define PERFTOOL_MEASURE_STOPWATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Between a hit and the report of the hit the clock may have been stopped once,
 * perhaps twice. A moment that is older than all runs kept here counts as the
 * beginning of the oldest run. */
#define STOPWATCH_RUNS 16

struct run {
	/* On the wall clock, ns. `end` is UINT64_MAX while the clock runs. */
	uint64_t start, end;
	int64_t measured; /* the measured time at `start`, ns */
};

/* The value zero is a stopwatch that never ran. */
struct stopwatch {
	struct run runs[STOPWATCH_RUNS]; /* the newest run first */
	/*
	 * The measured times at which the clock was stopped, the newest first.
	 * The clock may have been stopped more often than there is room for.
	 * This does no harm: an execution that spans a forgotten stop also
	 * spans the oldest stop that is kept here.
	 */
	int64_t stops[STOPWATCH_RUNS];
	size_t stop_count;
	bool running;
};

void stopwatch_start(struct stopwatch *watch, uint64_t now);
void stopwatch_stop(struct stopwatch *watch, uint64_t now);

/* The wall clock's time from `from` to `to` does not count, although the
 * clock runs. This is no stop, because the tool held the program for work
 * of its own. */
void stopwatch_skip(struct stopwatch *watch, uint64_t from, uint64_t to);

/* Does the same as stopwatch_stopped_within(), for the case that there was a
 * stop at or after `from`. */
bool stopwatch_stopped_between(const struct stopwatch *watch, int64_t from,
			       int64_t to);

/* Was the clock stopped between two moments of measured time, or at one of
 * them? An event that happened while the clock stood still has the moment of
 * the stop, so it counts as touching the stop. */
static inline bool stopwatch_stopped_within(const struct stopwatch *watch,
					    int64_t from, int64_t to)
{
	if (!watch->stop_count || from > watch->stops[0])
		return false;
	return stopwatch_stopped_between(watch, from, to);
}

/* Returns the measured time at `time`, which is not before the start of this
 * run. After the end of the run the measured time stands still. */
static inline int64_t run_at(const struct run *run, uint64_t time)
{
	if (time > run->end)
		time = run->end;
	return run->measured + (int64_t)(time - run->start);
}

/* Does the same as stopwatch_at(), for a time before the last run began. */
int64_t stopwatch_before(const struct stopwatch *watch, uint64_t time);

/* Returns the measured time, in ns, at `time` of the wall clock. */
static inline int64_t stopwatch_at(const struct stopwatch *watch, uint64_t time)
{
	if (time < watch->runs[0].start)
		return stopwatch_before(watch, time);
	return run_at(&watch->runs[0], time);
}

/* Does the same as stopwatch_stands(), for a time at or before the beginning of
 * the last run. */
bool stopwatch_stood(const struct stopwatch *watch, uint64_t time);

/* Does the clock stand still at `time` of the wall clock? The answer is yes for
 * the very moment at which the clock goes on. So the answer for this moment is
 * the same whether the caller asks before or after the clock has gone on. */
static inline bool stopwatch_stands(const struct stopwatch *watch,
				    uint64_t time)
{
	if (time <= watch->runs[0].start)
		return stopwatch_stood(watch, time);
	return time > watch->runs[0].end;
}

#endif
