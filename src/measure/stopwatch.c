/* stopwatch.c - see stopwatch.h */
#include "stopwatch.h"

void stopwatch_start(struct stopwatch *watch, uint64_t now)
{
	int64_t measured;

	if (watch->running)
		return;
	measured = stopwatch_at(watch, UINT64_MAX);
	watch->newest = watch->count++ % STOPWATCH_RUNS;
	watch->runs[watch->newest] = (struct run){now, UINT64_MAX, measured};
	watch->running = true;
}

void stopwatch_stop(struct stopwatch *watch, uint64_t now)
{
	struct run *run;

	if (!watch->running)
		return;
	run = &watch->runs[watch->newest];
	run->end = now > run->start ? now : run->start;
	watch->running = false;
}

int64_t stopwatch_before(const struct stopwatch *watch, uint64_t time)
{
	uint64_t kept =
		watch->count < STOPWATCH_RUNS ? watch->count : STOPWATCH_RUNS;
	int64_t oldest = 0;

	for (uint64_t i = 1; i <= kept; i++) {
		const struct run *run =
			&watch->runs[(watch->count - i) % STOPWATCH_RUNS];

		if (time >= run->start) {
			uint64_t until = time < run->end ? time : run->end;

			return run->measured + (int64_t)(until - run->start);
		}
		oldest = run->measured;
	}
	return oldest;
}
