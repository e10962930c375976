/*
 * leg_executions.c - recording the executions of a leg: their sums, and the
 * slowest of them with what lies in them
 */
#include <stdlib.h>

#include "measure/threads/threads.h"
#include "measure_state.h"
#include "perftool/base/alloc.h"
#include "perftool/inside.h"
#include "perftool/measure/measured_legs.h"

/* Does an execution of this duration belong among the `most` slowest
 * executions? It does if there is room for it, or if it is slower than one of
 * them. */
static bool is_among(const struct execution_list *slowest, size_t most,
		     int64_t duration)
{
	return slowest->count < most ||
	       duration > slowest->data[most - 1].duration;
}

static bool is_slow(const struct execution_list *slowest, int64_t duration)
{
	return is_among(slowest, LEG_SLOWEST, duration);
}

static void free_inside(struct execution *execution)
{
	if (execution->inside)
		vec_free(&execution->inside->entries);
	free(execution->inside);
	execution->inside = NULL;
}

static void give_up(struct execution *execution)
{
	free_inside(execution);
	origin_release(execution->origin);
	execution->origin = NULL;
}

void clear_slowest(struct execution_list *slowest)
{
	for (size_t i = 0; i < slowest->count; i++)
		give_up(&slowest->data[i]);
	vec_clear(slowest);
}

/* Only the `most` slowest executions keep what is inside them. */
static void limit_inside(struct execution_list *slowest, size_t most)
{
	for (size_t i = most; i < slowest->count; i++)
		free_inside(&slowest->data[i]);
}

static void keep_slow(struct execution_list *slowest,
		      const struct execution *execution)
{
	size_t at = slowest->count;

	if (at == LEG_SLOWEST)
		give_up(&slowest->data[--at]);
	else
		vec_push(slowest, *execution);
	for (; at > 0 && slowest->data[at - 1].duration < execution->duration;
	     at--)
		slowest->data[at] = slowest->data[at - 1];
	slowest->data[at] = *execution;
}

static void count_cpu(struct measure_leg *leg, const struct span *span)
{
	if (span->has_waiting) {
		leg->waiting += span->waiting;
	} else {
		leg->cpu_unknown++;
		leg->cpu_unknown_total += span->elapsed;
	}
}

static void count_duration(struct measure_leg *leg, const struct span *span)
{
	int64_t duration = span->elapsed;
	int64_t stopped = duration < 0 ? 0 : duration;
	double delta = (double)duration - leg->mean;

	leg->count++;
	leg->total += duration;
	leg->mean += delta / (double)(int64_t)leg->count;
	leg->m2 += delta * ((double)duration - leg->mean);
	if (span->interrupted) {
		leg->interrupted++;
		return;
	}
	if (leg->count - leg->interrupted == 1 || stopped < leg->min)
		leg->min = stopped;
	if (leg->count - leg->interrupted == 1 || stopped > leg->max)
		leg->max = stopped;
	histogram_add_signed(leg->record, duration);
	if (leg->histogram)
		histogram_add_signed(leg->histogram, duration);
}

/* Does the same as count_duration(), for the executions since the last interval
 * ended. */
static void count_recent(struct recent *recent, const struct span *span)
{
	int64_t duration = span->elapsed;
	double delta = (double)duration - recent->mean;

	recent->count++;
	recent->mean += delta / (double)(int64_t)recent->count;
	recent->m2 += delta * ((double)duration - recent->mean);
	if (!span->interrupted)
		range_add(&recent->range, duration < 0 ? 0 : duration);
}

/* Keeps the execution if it is among the slowest, and reports it to the
 * observer (a trace). */
static void tell_execution(struct measure *measure, struct leg *leg,
			   const struct hit *hit, const struct span *span,
			   const struct opening *opening, struct inside *inside)
{
	struct execution execution = {
		.leg = leg->public.id,
		.pid = hit->pid,
		.tid = hit->tid,
		.start = (uint64_t)opening->start->at,
		.duration = span->elapsed,
		.has_cpu = span->has_waiting,
		.cpu = span->elapsed - span->waiting,
		.interrupted = span->interrupted,
		.key = *opening->key,
		.value = hit->value,
		.row = opening->row,
		.inside = inside,
		.origin = opening->origin,
	};

	if (is_slow(&leg->public.slowest, span->elapsed)) {
		origin_ref(execution.origin);
		keep_slow(&leg->public.slowest, &execution);
		limit_inside(&leg->public.slowest, measure->inside);
		if (execution.origin && measure->keep)
			measure->keep(measure->keep_context, execution.origin);
	}
	if (measure->observe)
		measure->observe(measure->observe_context, &execution);
}

void count_execution(const struct measure *measure, struct measure_leg *leg,
		     struct past *past, const struct span *span,
		     unsigned mechanisms)
{
	count_duration(leg, span);
	if (measure->counts_intervals)
		count_recent(&past->recent, span);
	count_cpu(leg, span);
	leg->inside += span->inside;
	leg->by_mechanisms[mechanisms]++;
}

/* Joins the mean and the sum of squares of two groups of durations. */
static void join_moments(double *mean, double *m2, uint64_t count,
			 const struct counted *more)
{
	double n = (double)count, k = (double)more->count;
	double delta = more->mean - *mean;

	*mean += delta * k / (n + k);
	*m2 += more->m2 + delta * delta * n * k / (n + k);
}

static void add_buckets(struct histogram *histogram,
			const struct counted *counted)
{
	for (size_t i = 0; i < counted->bucket_count; i++)
		histogram_add_many(histogram, counted->buckets[i].ns,
				   counted->buckets[i].count);
	histogram_add_to_sum(histogram, counted->total);
}

void count_executions(const struct measure *measure, struct measure_leg *leg,
		      struct past *past, const struct counted *counted,
		      bool has_cpu)
{
	struct recent *recent = &past->recent;
	bool is_first = leg->count == leg->interrupted;

	join_moments(&leg->mean, &leg->m2, leg->count, counted);
	leg->count += counted->count;
	leg->total += counted->total;
	if (is_first || counted->min < leg->min)
		leg->min = counted->min;
	if (is_first || counted->max > leg->max)
		leg->max = counted->max;
	add_buckets(leg->record, counted);
	if (leg->histogram)
		add_buckets(leg->histogram, counted);
	if (measure->counts_intervals) {
		join_moments(&recent->mean, &recent->m2, recent->count,
			     counted);
		recent->count += counted->count;
		range_add(&recent->range, counted->min);
		range_add(&recent->range, counted->max);
	}
	if (!has_cpu) {
		leg->cpu_unknown += counted->count;
		leg->cpu_unknown_total += counted->total;
	}
	leg->by_mechanisms[1U << HIT_FAST] += counted->count;
	leg->matched_by_threads += counted->count;
	leg->added_up += counted->count;
}

/* Logs the execution, for those that it lies in. If it is one of the slowest of
 * its leg, the result is to hold what lies in it; else the result is NULL. */
static struct inside *keep_inside(struct measure *measure, struct leg *leg,
				  struct thread *thread, const struct hit *hit,
				  const struct span *span,
				  const struct opening *opening)
{
	struct kept_inside kept = {.thread = thread,
				   .leg = leg->public.id,
				   .since = opening->since};

	/* (`start` is a moment of another thread, or of the past.) */
	if (opening->since == NOT_LOGGED)
		return NULL;
	log_execution(thread, leg, hit, opening->start, span->elapsed);
	if (!is_among(&leg->public.slowest, measure->inside, span->elapsed))
		return NULL;
	kept.inside = xcalloc(1, sizeof(*kept.inside));
	vec_push(&measure->kept, kept);
	return kept.inside;
}

void fill_kept(struct measure *measure)
{
	for (size_t i = 0; i < measure->kept.count; i++) {
		const struct kept_inside *at = &measure->kept.data[i];

		log_read(measure, at->thread, at->leg, at->since, at->inside);
	}
	vec_clear(&measure->kept);
}

void measure_set_inside(struct measure *measure, size_t most)
{
	measure->inside = most < LEG_SLOWEST ? most : LEG_SLOWEST;
	for (size_t i = 0; i < measure->legs.count; i++)
		limit_inside(&measure->legs.data[i]->public.slowest, most);
}

void record_execution(struct measure *measure, struct leg *leg,
		      struct thread *thread, const struct hit *hit,
		      const struct span *span, const struct opening *opening)
{
	unsigned mechanisms =
		1U << opening->start->mechanism | 1U << hit->mechanism;
	struct inside *inside = NULL;

	if (leg->only != thread->process)
		share_execution(measure, leg, thread->process, span,
				mechanisms);
	count_execution(measure, &leg->public, &leg->past, span, mechanisms);
	if (opening->row)
		split_count_duration(split_of(leg->public.split), opening->row,
				     span->elapsed, span->interrupted);
	if (measure->inside)
		inside = keep_inside(measure, leg, thread, hit, span, opening);
	if (measure->observe || is_slow(&leg->public.slowest, span->elapsed))
		tell_execution(measure, leg, hit, span, opening, inside);
}
