/*
 * leg_table.c - the legs, and what is known of their executions
 *
 * Invariant: the number of a leg is not used again until the command
 * `initialize tables` removes all legs, except after measure_take_back_leg().
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/threads/threads.h"
#include "measure_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "perftool/inside.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

static uint64_t pair(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

struct leg *find_leg(const struct measure *measure, uint32_t from, uint32_t to)
{
	return map_get(&measure->legs_by_nodes, pair(from, to));
}

/* Returns the index of leg `id`, or the number of legs if there is no such
 * leg. */
static size_t leg_index(const struct measure *measure, uint32_t id)
{
	size_t low;

	SEARCH_FIRST(low, measure->legs.count,
		     measure->legs.data[low]->public.id >= id);
	if (low < measure->legs.count &&
	    measure->legs.data[low]->public.id == id)
		return low;
	return measure->legs.count;
}

/* Returns the spec, in which members that do not apply are cleared. Legs
 * with keys match by order alone, and so do those that match by `last` or
 * `first`. */
static struct leg_spec normal_spec(const struct leg_spec *spec)
{
	struct leg_spec normal = *spec;

	if (spec->owner == OWNER_KEY || spec->match == MATCH_LAST ||
	    spec->match == MATCH_FIRST)
		normal.by_frame = false;
	normal.whole_frame &= normal.by_frame && spec->from_enters &&
			      spec->adapts && spec->owner == OWNER_THREAD &&
			      spec->match == MATCH_NESTED;
	return normal;
}

void leg_resume(struct measure *measure, struct leg *leg)
{
	vec_push(&find_node(measure, leg->public.spec.from)->starting, leg);
	vec_push(&find_node(measure, leg->public.spec.to)->ending, leg);
}

struct leg *enter_leg(struct measure *measure, const struct leg_spec *spec)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct leg *leg = xcalloc(1, sizeof(*leg));

	/* An hdr histogram has no parameters, so its creation cannot fail. */
	error_destroy(histogram_create(&hdr, true, &leg->public.record));
	leg->public.id = measure->next_leg++;
	leg->public.spec = normal_spec(spec);
	vec_push(&measure->legs, leg);
	map_set(&measure->legs_by_nodes, pair(spec->from, spec->to), leg);
	leg_resume(measure, leg);
	if (spec->owner == OWNER_LEG)
		measure->legs_owning++;
	return leg;
}

static struct error *need_live_node(const struct measure *measure, uint32_t id)
{
	const struct node *node = find_node(measure, id);

	if (!node)
		return error_create(ERROR_NOT_FOUND,
				    "there is no node %" PRIu32, id);
	if (node->public.deleted)
		return error_create(ERROR_NOT_FOUND,
				    "node %" PRIu32 " is deleted", id);
	return NULL;
}

struct error *measure_add_leg(struct measure *measure,
			      const struct leg_spec *spec, uint32_t *id,
			      bool *existed)
{
	struct leg *leg;

	TRY(need_live_node(measure, spec->from));
	TRY(need_live_node(measure, spec->to));
	leg = find_leg(measure, spec->from, spec->to);
	*existed = leg != NULL;
	if (!leg)
		leg = enter_leg(measure, spec);
	*id = leg->public.id;
	return NULL;
}

static void leave_nodes(struct measure *measure, const struct leg *leg)
{
	struct node *from = find_node(measure, leg->public.spec.from);
	struct node *to = find_node(measure, leg->public.spec.to);

	for (size_t i = from->starting.count; i-- > 0;)
		if (from->starting.data[i] == leg)
			vec_remove(&from->starting, i);
	for (size_t i = to->ending.count; i-- > 0;)
		if (to->ending.data[i] == leg)
			vec_remove(&to->ending, i);
}

void leg_stop(struct measure *measure, struct leg *leg)
{
	leave_nodes(measure, leg);
	discard_leg(measure, leg);
}

static void leg_destroy(struct measure *measure, struct leg *leg)
{
	forget_past(&leg->past);
	forget_shares(measure, leg);
	histogram_destroy(leg->public.record);
	histogram_destroy(leg->public.histogram);
	split_destroy(split_of(leg->public.split));
	clear_slowest(&leg->public.slowest);
	vec_free(&leg->public.slowest);
	map_deinit(&leg->processes);
	free(leg);
}

struct leg *leg_of_id(const struct measure *measure, uint32_t id)
{
	size_t index = leg_index(measure, id);

	return index < measure->legs.count ? measure->legs.data[index] : NULL;
}

static struct error *need_leg(const struct measure *measure, uint32_t id,
			      struct leg **out)
{
	size_t index = leg_index(measure, id);

	if (index == measure->legs.count)
		return error_create(ERROR_NOT_FOUND, "there is no leg %" PRIu32,
				    id);
	*out = measure->legs.data[index];
	return NULL;
}

static void remove_leg(struct measure *measure, size_t index)
{
	struct leg *leg = measure->legs.data[index];

	leg_stop(measure, leg);
	vec_remove(&measure->legs, index);
	map_remove(&measure->legs_by_nodes,
		   pair(leg->public.spec.from, leg->public.spec.to));
	if (leg->public.spec.owner == OWNER_LEG)
		measure->legs_owning--;
	leg_destroy(measure, leg);
}

struct error *measure_delete_leg(struct measure *measure, uint32_t id)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	remove_leg(measure, leg_index(measure, id));
	return NULL;
}

void measure_take_back_leg(struct measure *measure)
{
	size_t last = measure->legs.count - 1;

	measure->next_leg = measure->legs.data[last]->public.id;
	remove_leg(measure, last);
}

void clear_legs(struct measure *measure)
{
	for (size_t i = 0; i < measure->legs.count; i++)
		leg_destroy(measure, measure->legs.data[i]);
	vec_free(&measure->legs);
	map_deinit(&measure->legs_by_nodes);
	measure->legs_owning = 0;
	measure->next_leg = 0;
}

const struct measure_leg *measure_leg(const struct measure *measure,
				      uint32_t id)
{
	return measure_leg_at(measure, leg_index(measure, id));
}

const struct measure_leg *measure_leg_between(const struct measure *measure,
					      uint32_t from, uint32_t to)
{
	const struct leg *leg = find_leg(measure, from, to);

	return leg ? &leg->public : NULL;
}

const struct measure_leg *measure_leg_at(const struct measure *measure,
					 size_t index)
{
	return index < measure->legs.count ? &measure->legs.data[index]->public
					   : NULL;
}

struct error *measure_leg_add_histogram(struct measure *measure, uint32_t id,
					const struct histogram_spec *spec)
{
	struct histogram *histogram = NULL;
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	TRY(histogram_create(spec, true, &histogram));
	histogram_destroy(leg->public.histogram);
	leg->public.histogram = histogram;
	return NULL;
}

bool measure_leg_claim_histogram(struct measure *measure, uint32_t id)
{
	const struct measure_leg *leg = measure_leg(measure, id);

	return leg && leg->histogram && histogram_claim(leg->histogram);
}

struct error *measure_leg_delete_histogram(struct measure *measure, uint32_t id)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	if (!leg->public.histogram)
		return error_create(ERROR_NOT_FOUND,
				    "leg %" PRIu32 " has no histogram", id);
	histogram_destroy(leg->public.histogram);
	leg->public.histogram = NULL;
	return NULL;
}

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

/* ---- splits --------------------------------------------------------- */

/* The rows of the split are freed, so no execution may point to one of them. */
static void forget_split(struct leg *leg)
{
	for (size_t i = 0; i < leg->public.slowest.count; i++)
		leg->public.slowest.data[i].row = NULL;
	split_destroy(split_of(leg->public.split));
	leg->public.split = NULL;
}

struct error *measure_split_leg(struct measure *measure, uint32_t id,
				const struct split_spec *spec)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	forget_split(leg);
	leg->public.split =
		&split_create(spec, ++measure->next_split, true)->public;
	return NULL;
}

static struct error *need_split(const struct leg *leg)
{
	if (leg->public.split)
		return NULL;
	return error_create(ERROR_NOT_FOUND, "leg %" PRIu32 " is not split",
			    leg->public.id);
}

struct error *measure_unsplit_leg(struct measure *measure, uint32_t id)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	TRY(need_split(leg));
	forget_split(leg);
	return NULL;
}

struct error *measure_view_leg(struct measure *measure, uint32_t id,
			       const struct split_view *view)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	TRY(need_split(leg));
	split_set_view(split_of(leg->public.split), view);
	return NULL;
}

/* ---- executions ----------------------------------------------------- */

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

uint64_t measure_leg_lost(const struct measure_leg *leg)
{
	/* Each hit of a leg n->n opens an activation. The last hit does so,
	 * too, and no hit follows that could end it. */
	return leg->spec.from == leg->spec.to ? 0 : leg->discarded;
}

static bool has_tables(const struct node *node)
{
	return node->public.histogram || node->public.split;
}

static bool is_by_order(const struct leg *leg)
{
	const struct leg_spec *spec = &leg->public.spec;

	return spec->owner == OWNER_THREAD &&
	       (spec->match == MATCH_LAST || spec->match == MATCH_FIRST);
}

/* Can a thread match the leg by itself? `from` and `to` are its nodes. A leg by
 * order may begin where another one ends. */
static bool is_matched_by_threads(const struct leg *leg,
				  const struct node *from,
				  const struct node *to)
{
	const struct leg_spec *spec = &leg->public.spec;

	if (is_by_order(leg))
		return !from->ending.count ||
		       (from->ending.count == 1 &&
			is_by_order(from->ending.data[0]));
	return spec->owner == OWNER_THREAD && spec->match == MATCH_NESTED &&
	       spec->whole_frame && spec->from != spec->to &&
	       !from->ending.count && !to->starting.count;
}

/* Could threads count all hits of the leg by themselves, as far as the leg and
 * its nodes are concerned? */
static bool is_countable(const struct measure *measure, const struct leg *leg)
{
	const struct leg_spec *spec = &leg->public.spec;
	const struct histogram *histogram = leg->public.histogram;
	const struct node *from = find_node(measure, spec->from);
	const struct node *to = find_node(measure, spec->to);

	return is_matched_by_threads(leg, from, to) && !leg->public.split &&
	       (!histogram ||
		histogram_spec(histogram)->class == HISTOGRAM_HDR) &&
	       from->starting.count == 1 && to->ending.count == 1 &&
	       !has_tables(from) && !has_tables(to);
}

/* Returns how many activations of the leg threads have open by their own
 * count. */
static uint64_t counted_open(const struct measure *measure, uint32_t leg)
{
	const struct thread *thread;
	uint64_t open = 0;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		if (leg < thread->counted_open.count)
			open += (uint64_t)thread->counted_open.data[leg];
	return open;
}

bool measure_is_countable(const struct measure *measure, uint32_t id,
			  struct measure_countable *out)
{
	const struct node *node = find_node(measure, id);
	const struct leg *leg;

	if (!node || node->public.deleted || measure->observe ||
	    measure->inside || measure->track != TRACK_ALL ||
	    measure->add_successor || !measure->compensation ||
	    !measure->monitor || !node->starting.count)
		return false;
	leg = node->starting.data[0];
	if (!is_countable(measure, leg))
		return false;
	*out = (struct measure_countable){
		.leg = leg->public.id,
		.from = leg->public.spec.from,
		.to = leg->public.spec.to,
		.is_open = leg->public.open !=
			   counted_open(measure, leg->public.id),
		.by_order = is_by_order(leg),
		.keeps_first = leg->public.spec.match == MATCH_FIRST,
		.from_ends = node->ending.count,
		.to_begins = find_node(measure, leg->public.spec.to)
				     ->starting.count};
	return true;
}

bool measure_leg_is_marked(const struct measure_leg *leg)
{
	return leg->ignored_from || leg->ignored_to > leg->self_first ||
	       leg->unwound || measure_leg_lost(leg) || leg->interrupted;
}

double measure_leg_stddev(const struct measure_leg *leg)
{
	if (leg->count < 2)
		return 0;
	return sqrt(leg->m2 / (double)(leg->count - 1));
}

bool measure_leg_quantile(const struct measure_leg *leg, double q,
			  double *result)
{
	return histogram_quantile_within(leg->record, leg->min, leg->max, q,
					 result);
}

struct measure_cpu measure_leg_cpu(const struct measure_leg *leg)
{
	return (struct measure_cpu){
		.count = leg->count - leg->cpu_unknown,
		.cpu = leg->total - leg->cpu_unknown_total - leg->waiting,
		.waiting = leg->waiting,
	};
}
