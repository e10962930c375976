/*
 * thread.c - each thread's account with the tool
 *
 * A thread's own time at a hit is the measured time of its arrival, less what
 * its earlier breaks took: the time it was held, and the calibrated costs that
 * the tool cannot see. The difference of two such moments is the time of a leg.
 */
#include <math.h>
#include <stdlib.h>

#include "internal.h"
#include "perftool/base/alloc.h"

struct thread *find_thread(struct measure *measure, uint32_t serial)
{
	/* hits of one thread come in bursts */
	if (!measure->recent || measure->recent->serial != serial)
		measure->recent = map_get(&measure->threads, serial);
	return measure->recent;
}

struct thread *enter_thread(struct measure *measure, const struct hit *hit)
{
	struct thread *thread = find_thread(measure, hit->thread);

	if (thread)
		return thread;
	thread = xcalloc(1, sizeof(*thread));
	thread->serial = hit->thread;
	thread->pid = hit->pid;
	map_set(&measure->threads, thread->serial, thread);
	measure->recent = thread;
	return thread;
}

struct moment thread_moment(const struct measure *measure,
			    const struct thread *thread, const struct hit *hit)
{
	int64_t at = stopwatch_at(&measure->watch, hit->time);

	return (struct moment){
		.at = at,
		.own = at - thread->held,
		.cost = thread->cost + hit->cost_before,
		.before = hit->cost_before,
		.mechanism = hit->mechanism,
	};
}

int64_t moment_difference(const struct measure *measure,
			  const struct moment *from, const struct moment *to)
{
	if (!measure->compensation)
		return to->at - from->at;
	return to->own - from->own - (int64_t)llrint(to->cost - from->cost);
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
	if (resumption && !--resumption->references)
		free(resumption);
}

static void account(struct thread *thread, int64_t from, int64_t to,
		    double before, double after)
{
	thread->held += to - from;
	thread->cost += before + after;
	if (!thread->resumption)
		return;
	thread->resumption->known = true;
	thread->resumption->at = to;
	thread->resumption->after = after;
	resumption_release(thread->resumption);
	thread->resumption = NULL;
}

bool is_tracked(const struct measure *measure, int32_t pid, int32_t tid)
{
	return (!measure->pid || measure->pid == pid) &&
	       (!measure->tid || measure->tid == tid);
}

static void hold(struct measure *measure, uint32_t thread, int32_t pid,
		 int32_t tid, uint64_t arrival, uint64_t resume, double before,
		 double after, bool is_break)
{
	int64_t from = stopwatch_at(&measure->watch, arrival);
	int64_t to = stopwatch_at(&measure->watch, resume);
	struct thread *state = find_thread(measure, thread);

	if (!measure->monitor || !is_tracked(measure, pid, tid))
		return;
	if (to < from)
		to = from;
	overhead_add(&measure->overhead, (double)from - before,
		     (double)to + after, is_break);
	if (state)
		account(state, from, to, before, after);
}

void measure_break(struct measure *measure, uint32_t thread, int32_t pid,
		   int32_t tid, uint64_t arrival, uint64_t resume,
		   double before, double after)
{
	hold(measure, thread, pid, tid, arrival, resume, before, after, true);
}

void measure_hold(struct measure *measure, uint32_t thread, int32_t pid,
		  int32_t tid, uint64_t arrival, uint64_t resume, double before,
		  double after)
{
	hold(measure, thread, pid, tid, arrival, resume, before, after, false);
}

static void thread_destroy(struct measure *measure, struct thread *thread)
{
	discard_thread(measure, thread);
	if (thread->resumption) {
		/* it died held: what its keys hold started when it arrived */
		thread->resumption->known = true;
		thread->resumption->at = thread->last.at;
		resumption_release(thread->resumption);
	}
	if (measure->recent == thread)
		measure->recent = NULL;
	vec_free(&thread->begun);
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
	discard_process_keys(measure, pid);
}

void clear_threads(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		thread_destroy(measure, thread);
	map_deinit(&measure->threads);
}
