/*
 * interval.c - implements perftool/interval.h
 *
 * Everything that counts remembers its state at the end of the last interval: a
 * node, a leg, the share of a process in a leg, a histogram, a row of a split,
 * and the summary. What is zeroed or replaced forgets this state, so that no
 * figure of an interval is below 0.
 */
#include "perftool/interval.h"
#include "perftool/measure/measured_legs.h"

#include <stdlib.h>

#include "measure_state.h"
#include "perftool/base/alloc.h"

void measure_count_intervals(struct measure *measure)
{
	measure->counts_intervals = true;
}

void forget_past(struct past *past)
{
	free(past->last);
	*past = (struct past){0};
}

static struct histogram *histogram_of(struct histogram *histogram)
{
	return histogram ? histogram_since_last(histogram) : NULL;
}

static struct measure_split *split_of_interval(struct measure_split *split)
{
	return split ? &split_since_last(split_of(split))->public : NULL;
}

static struct measure_node node_since_last(struct node *node)
{
	struct measure_node since = node->public;

	since.count -= node->last_count;
	since.errors -= node->last_errors;
	since.histogram = histogram_of(since.histogram);
	since.split = split_of_interval(since.split);
	node->last_count = node->public.count;
	node->last_errors = node->public.errors;
	return since;
}

/* Subtracts the counts and sums of the last interval's end from `since`, which
 * has those of now. */
static void subtract(struct measure_leg *since, const struct measure_leg *last)
{
	since->from_hits -= last->from_hits - last->open;
	since->to_hits -= last->to_hits;
	since->count -= last->count;
	since->ignored_from -= last->ignored_from;
	since->ignored_to -= last->ignored_to;
	since->unwound -= last->unwound;
	since->discarded -= last->discarded;
	since->self_first -= last->self_first;
	since->interrupted -= last->interrupted;
	since->total -= last->total;
	for (size_t i = 0; i < 1 << HIT_MECHANISMS; i++)
		since->by_mechanisms[i] -= last->by_mechanisms[i];
	since->inside -= last->inside;
	since->matched_by_threads -= last->matched_by_threads;
	since->added_up -= last->added_up;
	since->cpu_unknown -= last->cpu_unknown;
	since->cpu_unknown_total -= last->cpu_unknown_total;
	since->waiting -= last->waiting;
}

static void remember(const struct measure_leg *counts, struct past *past)
{
	if (!past->last)
		past->last = xmalloc(sizeof(*past->last));
	*past->last = *counts;
	past->last->record = past->last->histogram = NULL;
	past->last->split = NULL;
	past->last->slowest = (struct execution_list){0};
	past->recent = (struct recent){0};
}

struct measure_leg counts_since_last(const struct measure_leg *counts,
				     struct past *past)
{
	struct measure_leg since = *counts;

	if (past->last)
		subtract(&since, past->last);
	since.min = past->recent.range.min;
	since.max = past->recent.range.max;
	since.mean = past->recent.mean;
	since.m2 = past->recent.m2;
	since.record = histogram_since_last(since.record);
	since.histogram = histogram_of(since.histogram);
	since.split = split_of_interval(since.split);
	since.slowest = (struct execution_list){0};
	remember(counts, past);
	return since;
}

static uint64_t more(uint64_t now, uint64_t last)
{
	return now > last ? now - last : 0;
}

/* A hold is reported when it is over, and may be longer than what is left of
 * the interval. The excess counts in the next interval. */
static struct measure_summary summary_since_last(struct measure *measure,
						 uint64_t now)
{
	struct measure_summary *last = &measure->last, since;

	measure_get_summary(measure, now, &since);
	since.elapsed = more(since.elapsed, last->elapsed);
	since.overhead = more(since.overhead, last->overhead);
	since.added_overhead -= last->added_overhead;
	since.breaks -= last->breaks;
	since.passed -= last->passed;
	since.followed -= last->followed;
	since.followed_int3 -= last->followed_int3;
	if (since.overhead > since.elapsed)
		since.overhead = since.elapsed;
	last->elapsed += since.elapsed;
	last->overhead += since.overhead;
	last->added_overhead += since.added_overhead;
	last->breaks += since.breaks;
	last->passed += since.passed;
	last->followed += since.followed;
	last->followed_int3 += since.followed_int3;
	since.average_overhead = since.overhead_percent = 0;
	summary_finish(&since);
	return since;
}

void measure_since_last(struct measure *measure, uint64_t now,
			struct measure_interval *out)
{
	*out = (struct measure_interval){
		.summary = summary_since_last(measure, now)};
	for (size_t i = 0; i < measure->nodes.count; i++)
		vec_push(&out->nodes, node_since_last(measure->nodes.data[i]));
	for (size_t i = 0; i < measure->legs.count; i++) {
		struct leg *leg = measure->legs.data[i];

		vec_push(&out->legs,
			 counts_since_last(&leg->public, &leg->past));
		shares_since_last(leg, &out->shares);
	}
}

static void legs_deinit(struct measure_leg_list *legs)
{
	for (size_t i = 0; i < legs->count; i++) {
		struct measure_leg *leg = &legs->data[i];

		histogram_destroy(leg->record);
		histogram_destroy(leg->histogram);
		split_destroy(split_of(leg->split));
	}
	vec_free(legs);
}

void measure_interval_deinit(struct measure_interval *interval)
{
	for (size_t i = 0; i < interval->nodes.count; i++) {
		histogram_destroy(interval->nodes.data[i].histogram);
		split_destroy(split_of(interval->nodes.data[i].split));
	}
	legs_deinit(&interval->legs);
	legs_deinit(&interval->shares);
	vec_free(&interval->nodes);
}
