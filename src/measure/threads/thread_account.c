/*
 * thread_account.c - the account of each thread: how much of its time the tool
 * has taken
 *
 * A thread's own time at a hit is the measured time of its arrival, less what
 * its earlier breaks took: the time for which the tool held the thread, and the
 * calibrated costs that the tool cannot see. The time of a leg is the
 * difference of the own times at its two hits.
 *
 * Rule: doc/RULES.md, "Overhead".
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/thread_counts.h"
#include "threads.h"

struct thread *look_up_thread(struct measure *measure, uint32_t serial)
{
	measure->recent = map_get(&measure->threads, serial);
	return measure->recent;
}

struct thread *create_thread(struct measure *measure, uint32_t serial,
			     int32_t pid)
{
	struct thread *thread = xcalloc(1, sizeof(*thread));

	thread->serial = serial;
	thread->pid = pid;
	thread->process = enter_process(measure, pid);
	map_set(&measure->threads, thread->serial, thread);
	measure->recent = thread;
	return thread;
}

struct resumption *thread_resumption(struct thread *thread)
{
	if (!thread->resumption) {
		thread->resumption = xcalloc(1, sizeof(*thread->resumption));
		thread->resumption->references = 1;
	}
	thread->resumption->references++;
	return thread->resumption;
}

void resumption_release(struct resumption *resumption)
{
	if (!--resumption->references)
		free(resumption);
}

void thread_resume(struct thread *thread, int64_t at, double after)
{
	thread->resumption->known = true;
	thread->resumption->at = at;
	thread->resumption->after = after;
	resumption_release(thread->resumption);
	thread->resumption = NULL;
}

void measure_hold(struct measure *measure, uint32_t thread, int32_t pid,
		  int32_t tid, uint64_t arrival, uint64_t resume, double before,
		  double after)
{
	struct thread *state;
	int64_t from, to;

	if (!counts(measure, pid, tid))
		return;
	from = stopwatch_at(&measure->watch, arrival);
	to = stopwatch_at(&measure->watch, resume);
	if (stopwatch_stands(&measure->watch, arrival))
		before = 0;
	if (stopwatch_stands(&measure->watch, resume))
		after = 0;
	state = find_thread(measure, thread);
	thread_held(measure, state, from, to < from ? from : to, before, after,
		    resume > arrival);
	if (state && resume > arrival)
		note_moment(measure, state, resume);
}

void measure_stall(struct measure *measure, uint32_t thread, int32_t pid,
		   int32_t tid, uint64_t from, uint64_t to)
{
	struct thread *state;

	measure_hold(measure, thread, pid, tid, from, to, 0, 0);
	state = counts(measure, pid, tid) ? find_thread(measure, thread) : NULL;
	if (state)
		state->stalled += stopwatch_at(&measure->watch, to) -
				  stopwatch_at(&measure->watch, from);
}

bool measure_arrive(struct measure *measure, const struct hit *hit,
		    struct measure_arrival *out)
{
	struct hit at = *hit;
	struct moment moment;

	if (!counts(measure, hit->pid, hit->tid))
		return false;
	/* As in take_hit(). */
	if (stopwatch_stands(&measure->watch, hit->time))
		at.cost_before = 0;
	moment = thread_moment(measure, enter_thread(measure, &at), &at,
			       stopwatch_at(&measure->watch, at.time));
	*out = (struct measure_arrival){
		.at = moment.at,
		.own = measure->compensation ? moment.own : moment.at,
		.cost = measure->compensation ? moment.cost : 0,
		.epoch = moment.epoch,
		.waited = moment.waited};
	return true;
}

void thread_destroy(struct measure *measure, struct thread *thread)
{
	discard_thread(measure, thread);
	if (thread->resumption) {
		/* The thread ended while the tool held it. If the thread began
		 * an activation that another thread will end, the time of this
		 * activation would begin when the tool lets the ended thread go
		 * on. As this never happens, the time begins when the ended
		 * thread reached the site. */
		thread->resumption->known = true;
		thread->resumption->at = thread->now.at;
		resumption_release(thread->resumption);
	}
	measure->ended_spread += thread->spread;
	if (measure->recent == thread)
		measure->recent = NULL;
	if (thread->goroutine)
		forget_goroutine(measure, thread);
	vec_free(&thread->open);
	vec_free(&thread->begun);
	vec_free(&thread->history);
	vec_free(&thread->counted_open);
	vec_free(&thread->log);
	free(thread);
}

void measure_thread_gone(struct measure *measure, uint32_t thread)
{
	struct thread *state = map_remove(&measure->threads, thread);

	if (state)
		thread_destroy(measure, state);
}

void measure_process_gone(struct measure *measure, int32_t pid)
{
	struct thread *thread;
	size_t cursor = 0;
	uint64_t serial;

	while ((thread = map_next(&measure->threads, &cursor, &serial))) {
		if (thread->pid != pid)
			continue;
		map_remove(&measure->threads, serial);
		thread_destroy(measure, thread);
	}
	forget_goroutines_of(measure, pid);
	discard_process_keys(measure, pid);
	forget_process(measure, pid);
}

void forget_threads(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL))) {
		discard_thread(measure, thread);
		if (thread->resumption)
			resumption_release(thread->resumption);
		vec_free(&thread->open);
		vec_free(&thread->begun);
		vec_free(&thread->history);
		vec_free(&thread->counted_open);
		vec_free(&thread->log);
		*thread = (struct thread){.serial = thread->serial,
					  .pid = thread->pid,
					  .process = thread->process,
					  .goroutine = thread->goroutine,
					  .cpu = thread->cpu};
	}
}

void clear_threads(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		thread_destroy(measure, thread);
	map_deinit(&measure->threads);
	clear_goroutines(measure);
}
