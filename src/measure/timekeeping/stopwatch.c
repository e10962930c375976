/* stopwatch.c - implements stopwatch.h */
#include "stopwatch.h"

#include <string.h>

void stopwatch_start(struct stopwatch *watch, uint64_t now)
{
	int64_t measured;

	if (watch->running)
		return;
	measured = stopwatch_at(watch, UINT64_MAX);
	memmove(watch->runs + 1, watch->runs,
		(STOPWATCH_RUNS - 1) * sizeof(*watch->runs));
	watch->runs[0] = (struct run){now, UINT64_MAX, measured};
	watch->running = true;
}

static void end_run(struct stopwatch *watch, uint64_t now)
{
	struct run *run = &watch->runs[0];

	run->end = now > run->start ? now : run->start;
	watch->running = false;
}

void stopwatch_stop(struct stopwatch *watch, uint64_t now)
{
	if (!watch->running)
		return;
	end_run(watch, now);
	memmove(watch->stops + 1, watch->stops,
		(STOPWATCH_RUNS - 1) * sizeof(*watch->stops));
	watch->stops[0] = stopwatch_at(watch, UINT64_MAX);
	if (watch->stop_count < STOPWATCH_RUNS)
		watch->stop_count++;
}

void stopwatch_skip(struct stopwatch *watch, uint64_t from, uint64_t to)
{
	if (!watch->running)
		return;
	end_run(watch, from);
	stopwatch_start(watch, to);
}

bool stopwatch_stopped_between(const struct stopwatch *watch, int64_t from,
			       int64_t to)
{
	for (size_t i = 0; i < watch->stop_count && watch->stops[i] >= from;
	     i++)
		if (watch->stops[i] <= to)
			return true;
	return false;
}

bool stopwatch_stood(const struct stopwatch *watch, uint64_t time)
{
	size_t i = 1;

	while (i < STOPWATCH_RUNS && time <= watch->runs[i].start)
		i++;
	return i == STOPWATCH_RUNS || time > watch->runs[i].end;
}

int64_t stopwatch_before(const struct stopwatch *watch, uint64_t time)
{
	size_t i = 1;

	while (i < STOPWATCH_RUNS && time < watch->runs[i].start)
		i++;
	/* A time before all runs that are kept counts as the beginning of the
	 * oldest run. */
	return i < STOPWATCH_RUNS ? run_at(&watch->runs[i], time)
				  : watch->runs[i - 1].measured;
}
