/*
 * account_history.c - the account of a thread at moments of the past
 *
 * A thread that counts by itself (measure_counted()) tells of a long execution
 * when it ends. What the execution took is the difference between the account
 * of the thread at its end and at its beginning. So the account is noted
 * whenever something in it changes but by hits of the thread: when the thread
 * gets a CPU, when the tool resumes it, and when the clock starts.
 *
 * Invariant: the entries of a history are in the order of their times. The
 * layer forgets an entry when no open execution began before the next entry
 * (measure_open_since()).
 */
#include <stdlib.h>

#include "perftool/measure/thread_counts.h"
#include "threads.h"

/* Histories that are shorter are not worth being looked through. */
#define SHORT_HISTORY 64
/* A thread that counts by itself is reported to have open executions, or none,
 * far more often than once in this time, ns. */
#define LONG_TIME 10000000000u

/* Forget the history of a thread that does not count by itself: of this thread
 * no execution will be told of that began before the last entry. */
static void forget_useless(struct thread *thread, uint64_t time)
{
	if (thread->history.count < SHORT_HISTORY || thread->counts_itself ||
	    time < thread->history.data[0].time + LONG_TIME)
		return;
	thread->history.data[0] =
		thread->history.data[thread->history.count - 1];
	thread->history.count = 1;
}

void note_moment(struct measure *measure, struct thread *thread, uint64_t time)
{
	struct past_moment moment = {
		.time = time,
		.at = stopwatch_at(&measure->watch, time),
		.held = thread->held,
		.stops = thread->stops,
		.epoch = thread->cpu.is_off ? 0 : thread->cpu.epoch,
		.waited = thread->cpu.waited,
	};
	struct past_moment *last;

	if (!measure->keeps_histories || thread->goroutine)
		return;
	last = thread->history.count
		       ? &thread->history.data[thread->history.count - 1]
		       : NULL;
	/* The tool learns of the end of a stop after it has learned of the
	 * context switch that ended it. The thread did nothing in between. */
	if (last && last->time >= time) {
		moment.time = last->time;
		moment.at = last->at;
		*last = moment;
		return;
	}
	forget_useless(thread, time);
	vec_push(&thread->history, moment);
}

void note_start(struct measure *measure, uint64_t now)
{
	struct thread *thread;
	size_t cursor = 0;

	if (!measure->keeps_histories)
		return;
	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		note_moment(measure, thread, now);
}

/* Returns the index of the last entry that is not later than the time, plus 1;
 * 0 if there is none. */
static size_t find_entry(const struct thread *thread, uint64_t time)
{
	size_t low = 0, high = thread->history.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (thread->history.data[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct past_moment past_moment(const struct measure *measure,
			       const struct thread *thread, uint64_t time)
{
	size_t index = find_entry(thread, time);
	struct past_moment moment;

	if (!index)
		return (struct past_moment){
			.time = time,
			.at = stopwatch_at(&measure->watch, time)};
	moment = thread->history.data[index - 1];
	/* From the entry on, the clock has not been stopped before `time`,
	 * unless it stands still now. */
	if (index == thread->history.count)
		moment.at = stopwatch_at(&measure->watch, time);
	else
		moment.at += (int64_t)(time - moment.time);
	moment.time = time;
	return moment;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void measure_open_since(struct measure *measure, uint32_t serial,
			uint64_t *times, size_t count)
{
	struct thread *thread = find_thread(measure, serial);
	size_t kept = 0, last = SIZE_MAX;

	if (!thread)
		return;
	thread->counts_itself = true;
	if (thread->history.count < SHORT_HISTORY)
		return;
	if (count)
		qsort(times, count, sizeof(*times), compare);
	for (size_t i = 0; i < count; i++) {
		size_t index = find_entry(thread, times[i]);

		if (!index || index - 1 == last)
			continue;
		last = index - 1;
		thread->history.data[kept++] = thread->history.data[last];
	}
	/* An execution may have begun since the times were read. */
	if (last != thread->history.count - 1)
		thread->history.data[kept++] =
			thread->history.data[thread->history.count - 1];
	thread->history.count = kept;
}
