/*
 * hit_counting.c - a hit, in the order of the spec of measurement
 *
 * It is counted at its node, closes legs, and opens others. Which *from*
 * belongs to which *to* is the table "Matching from with to" of the spec.
 * Invariant, kept by every function here, for each leg that is tracked:
 *
 *	from hits = count + ignored_from + unwound + discarded + open
 *	to hits   = count + ignored_to
 */
#include "measure/threads/threads.h"
#include "measure_state.h"

/* Take the activation that `link` points to out of its list. */
static struct activation *unlink_activation(struct activation **link)
{
	struct activation *activation = *link;

	*link = activation->below;
	return activation;
}

static void ignore_from(struct measure *measure, struct activation **link)
{
	struct activation *activation = unlink_activation(link);

	activation->leg->public.ignored_from++;
	activation_release(measure, activation);
}

static void unwind(struct measure *measure, struct activation **link)
{
	struct activation *activation = unlink_activation(link);

	activation->leg->public.unwound++;
	activation_release(measure, activation);
}

static void discard(struct measure *measure, struct activation **link)
{
	struct activation *activation = unlink_activation(link);

	activation->leg->public.discarded++;
	activation_release(measure, activation);
}

static bool on_same_stack(const struct activation *activation,
			  const struct hit *hit)
{
	return hit->stack && activation->stack == hit->stack;
}

/* This one and all below it: none of them is the hit's, or gone. */
static bool are_all_shallower(const struct activation *activation,
			      const struct hit *hit)
{
	return activation->ordered && activation->frame > hit->frame;
}

/*
 * Frames that cannot be there any more as this hit is reached: deeper ones of
 * the same stack; and, where *from* is the function's entry, one of the very
 * same CFA, on whatever stack it was.
 */
static void drop_gone_below(struct measure *measure, struct activation **link,
			    const struct hit *hit, bool enters)
{
	while (*link) {
		struct activation *activation = *link;
		bool same_stack = on_same_stack(activation, hit);
		bool same_frame = activation->frame == hit->frame;

		if (are_all_shallower(activation, hit))
			break;
		if (!activation->frame)
			link = &activation->below;
		else if (same_stack && (activation->frame < hit->frame ||
					(enters && same_frame)))
			unwind(measure, link);
		else if (enters && same_frame)
			discard(measure, link);
		else
			link = &activation->below;
	}
}

static void drop_gone_frames(struct measure *measure, struct activation **link,
			     const struct hit *hit, bool enters)
{
	if (*link && !are_all_shallower(*link, hit))
		drop_gone_below(measure, link, hit, enters);
}

/* The innermost activation of the hit's frame; those of none match any. */
static struct activation **find_frame(struct activation **link,
				      const struct hit *hit)
{
	while (*link) {
		struct activation *activation = *link;

		if (!activation->frame || activation->frame == hit->frame)
			return link;
		if (are_all_shallower(activation, hit))
			return NULL;
		link = &activation->below;
	}
	return NULL;
}

/* Has the function come back to the frame of the innermost activation, by a
 * tail jump? Then nothing has gone. */
static bool is_back(const struct activation *top, const struct hit *hit)
{
	return hit->back && top && top->frame == hit->frame;
}

static void push(struct measure *measure, const struct holding *holding,
		 struct leg *leg, struct thread *thread, const struct hit *hit)
{
	struct activation *activation = activation_create(measure, leg);
	struct activation *below = *holding->top;

	activation->below = below;
	activation->leg = leg;
	/* made anew: to copy what has just been written takes longer */
	activation->from = thread_moment(measure, thread, hit, thread->now.at);
	activation->row = row_at_from(leg, hit);
	activation->split =
		activation->row ? split_of(leg->public.split)->serial : 0;
	activation->frame = hit->frame;
	activation->stack = hit->stack;
	activation->sp = hit->sp;
	activation->depth = 0;
	activation->back = is_back(below, hit) ? below->back + 1 : 0;
	activation->thread = thread->serial;
	activation->ordered =
		hit->frame &&
		(!below || (below->ordered && below->frame >= hit->frame));
	if (leg->public.spec.owner == OWNER_KEY) {
		activation->key = holding->key;
	} else {
		activation->key = (struct value){.kind = VALUE_NONE};
		if (thread->goroutine)
			activation->key = value_unsigned(thread->goroutine);
	}
	activation->resumption =
		holding->map ? thread_resumption(thread) : NULL;
	*holding->top = activation;
}

/*
 * A *from* by another thread than the leg's owner: with `last` and `nested`
 * it becomes the owner, and what the other one had open is ignored. True: with
 * `first` and `outermost` the open one is kept, and this *from* is ignored.
 */
static bool change_owner(struct measure *measure, struct leg *leg,
			 const struct holding *holding)
{
	if (leg->public.spec.match == MATCH_FIRST ||
	    leg->public.spec.match == MATCH_OUTERMOST) {
		leg->public.ignored_from++;
		return true;
	}
	while (*holding->top)
		ignore_from(measure, holding->top);
	return false;
}

static bool is_foreign(const struct leg *leg, const struct holding *holding,
		       const struct thread *thread)
{
	return leg->public.spec.owner == OWNER_LEG && *holding->top &&
	       (*holding->top)->thread != thread->serial;
}

/* Two places that are further apart than this are on different stacks, if they
 * are not on their thread's own. */
#define ONE_STACK 32768

/* Which is which of several stacks, order does not tell. */
static void tell_if_mixed(const struct measure *measure, const struct leg *leg,
			  const struct activation *open, const struct hit *hit)
{
	const struct leg_spec *spec = &leg->public.spec;
	bool is_near = hit->sp - open->sp + ONE_STACK <= 2 * ONE_STACK;

	if (spec->owner != OWNER_THREAD ||
	    (spec->by_frame && spec->match == MATCH_NESTED) || !open->sp ||
	    (open->stack == hit->stack && (hit->stack || is_near)))
		return;
	measure->mixed(measure->mixed_context, &leg->public, hit->tid);
}

static void match_from(struct measure *measure, struct leg *leg,
		       struct thread *thread, const struct hit *hit)
{
	const struct leg_spec *spec = &leg->public.spec;
	struct holding holding;

	leg->public.from_hits++;
	if (!holding_find(leg, thread, hit, true, &holding)) {
		leg->public.ignored_from++;
		return;
	}
	if (is_foreign(leg, &holding, thread) &&
	    change_owner(measure, leg, &holding))
		return;
	if (hit->sp && *holding.top && measure->mixed)
		tell_if_mixed(measure, leg, *holding.top, hit);
	if (spec->by_frame && hit->frame && !is_back(*holding.top, hit))
		drop_gone_frames(measure, holding.top, hit,
				 spec->from_enters && !hit->back);
	switch (spec->match) {
	case MATCH_LAST:
		while (*holding.top)
			ignore_from(measure, holding.top);
		break;
	case MATCH_NESTED:
		if (!is_back(*holding.top, hit) ||
		    (*holding.top)->back + 1 < HIT_MOST_BACK)
			break;
		leg->public.ignored_from++;
		return;
	case MATCH_FIRST:
	case MATCH_OUTERMOST:
		if (!*holding.top)
			break;
		(*holding.top)->depth++;
		leg->public.ignored_from++;
		return;
	}
	push(measure, &holding, leg, thread, hit);
	holding_store(&holding);
}

/*
 * The time of the leg that ends now. Within a thread its own time counts. From
 * one thread to another it is the wall clock, from the moment the one was let
 * go until the other reached the place; if both were held, no time at all.
 */
static struct span duration(const struct measure *measure,
			    const struct activation *activation,
			    const struct thread *thread)
{
	const struct resumption *resumption = activation->resumption;
	struct span span = {0};

	if (!measure->compensation || activation->thread == thread->serial)
		return moment_span(measure, &activation->from, &thread->now);
	span.interrupted = stopwatch_stopped_within(
		&measure->watch, activation->from.at, thread->now.at);
	if (resumption && resumption->known)
		span.elapsed = thread->now.at - resumption->at -
			       nearest(thread->now.before + resumption->after);
	return span;
}

static void close_activation(struct measure *measure, struct activation **link,
			     const struct thread *thread, const struct hit *hit)
{
	struct activation *activation = unlink_activation(link);
	struct measure_row *row = row_at_to(activation->leg, hit);
	struct span span = duration(measure, activation, thread);

	if (!row)
		row = row_begun(activation->leg, activation->split,
				activation->row);
	record_execution(measure, activation->leg, thread, hit,
			 &activation->from, &span, &activation->key, row);
	activation_release(measure, activation);
}

/* The activation that an outermost leg's *to* closes, or NULL. */
static struct activation **find_outermost(const struct leg *leg,
					  const struct holding *holding,
					  const struct hit *hit)
{
	struct activation *top = *holding->top;
	bool by_frame = leg->public.spec.by_frame && hit->frame && top->frame;

	if (by_frame ? top->frame == hit->frame : !top->depth)
		return holding->top;
	if (top->depth)
		top->depth--;
	return NULL;
}

/* What this *to* closes, or NULL: it is ignored. */
static struct activation **find_match(struct measure *measure, struct leg *leg,
				      const struct holding *holding,
				      const struct thread *thread,
				      const struct hit *hit)
{
	const struct leg_spec *spec = &leg->public.spec;
	const struct activation *top = *holding->top;
	bool by_frame = spec->by_frame && hit->frame;

	if (!top) {
		/* the first hit of a leg n->n has nothing it could end */
		if (spec->from == spec->to)
			leg->public.self_first++;
		return NULL;
	}
	if (is_foreign(leg, holding, thread))
		return NULL;
	if (by_frame) {
		/* the usual: it is the innermost one, and nothing is gone */
		if (top->ordered && top->frame == hit->frame)
			return holding->top;
		drop_gone_frames(measure, holding->top, hit, false);
		if (!*holding->top)
			return NULL;
	}
	if (spec->match == MATCH_OUTERMOST)
		return find_outermost(leg, holding, hit);
	return by_frame ? find_frame(holding->top, hit) : holding->top;
}

static void match_to(struct measure *measure, struct leg *leg,
		     struct thread *thread, const struct hit *hit)
{
	struct activation **link;
	struct holding holding;

	leg->public.to_hits++;
	if (!holding_find(leg, thread, hit, false, &holding)) {
		leg->public.ignored_to++;
		return;
	}
	link = find_match(measure, leg, &holding, thread, hit);
	if (link)
		close_activation(measure, link, thread, hit);
	else
		leg->public.ignored_to++;
	holding_store(&holding);
}

/* ---- a hit ---------------------------------------------------------- */

/* As track_all(), of a hit that a goroutine makes: each leg knows whether that
 * or its thread is the owner. */
static void track_goroutine(struct measure *measure, const struct node *node,
			    struct thread *thread, struct thread *goroutine,
			    struct thread *follows, const struct hit *hit)
{
	struct hit inner = goroutine_hit(hit);

	for (size_t i = 0; i < node->ending.count; i++) {
		struct leg *leg = node->ending.data[i];
		bool is_its = is_of_goroutine(leg);

		match_to(measure, leg, is_its ? goroutine : thread,
			 is_its ? &inner : hit);
	}
	if (measure->add_successor)
		enter_successor(measure, follows, hit);
	for (size_t i = 0; i < node->starting.count; i++) {
		struct leg *leg = node->starting.data[i];
		bool is_its = is_of_goroutine(leg);

		match_from(measure, leg, is_its ? goroutine : thread,
			   is_its ? &inner : hit);
	}
}

static void track_all(struct measure *measure, const struct node *node,
		      struct thread *thread, const struct hit *hit)
{
	for (size_t i = 0; i < node->ending.count; i++)
		match_to(measure, node->ending.data[i], thread, hit);
	/* after those that end here: it has no activation to close, and
	 * before those that start here: a leg n->n opens its next one
	 */
	if (measure->add_successor)
		enter_successor(measure, thread, hit);
	for (size_t i = 0; i < node->starting.count; i++)
		match_from(measure, node->starting.data[i], thread, hit);
}

static void track(struct measure *measure, const struct node *node,
		  struct thread *thread, const struct hit *hit)
{
	if (measure->track == TRACK_ALL)
		track_all(measure, node, thread, hit);
	else
		track_successor(measure, node, thread, hit);
}

/* Whoever makes the hit, at its moment; and what came before, for successors.
 */
static void set_moment(struct measure *measure, struct thread *thread,
		       const struct hit *hit, int64_t at)
{
	if (measure->add_successor || measure->track == TRACK_SUCCESSOR)
		thread->last = thread->now;
	thread->now = thread_moment(measure, thread, hit, at);
}

static void track_go(struct measure *measure, const struct node *node,
		     struct thread *thread, const struct hit *hit, int64_t at)
{
	struct thread *goroutine = enter_goroutine(measure, thread, hit);
	bool adapts = measure->successor_spec.adapts ||
		      measure->successor_spec.owner == OWNER_GOROUTINE;
	struct thread *follows = adapts ? goroutine : thread;

	set_moment(measure, goroutine, hit, at);
	if (measure->track == TRACK_ALL)
		track_goroutine(measure, node, thread, goroutine, follows, hit);
	else
		track_successor(measure, node, follows, hit);
	goroutine->has_last = true;
	goroutine->last_node = hit->node;
}

/* A hit that counts, `at`, in measured ns. Its thread, or NULL: it has had no
 * hit that is tracked. */
static struct thread *count_hit(struct measure *measure, const struct hit *hit,
				int64_t at)
{
	struct node *node = enter_node(measure, hit->node);
	struct thread *thread;

	if (node->public.deleted)
		return find_thread(measure, hit->thread);
	node->public.count++;
	measure->breaks++;
	if (node->public.histogram)
		histogram_add(node->public.histogram, hit->value);
	if (node->public.split)
		split_count(split_of(node->public.split),
			    split_row(split_of(node->public.split), hit));
	if (measure->track == TRACK_NONE)
		return find_thread(measure, hit->thread);
	thread = enter_thread(measure, hit);
	set_moment(measure, thread, hit, at);
	if (hit->goroutine) {
		track_go(measure, node, thread, hit, at);
	} else {
		thread->runs = NULL;
		track(measure, node, thread, hit);
	}
	thread->stalled = 0;
	thread->has_last = true;
	thread->last_node = hit->node;
	return thread;
}

/* `is_over`: its break held the thread no time, and is over with it. */
static void take_hit(struct measure *measure, const struct hit *hit,
		     bool is_over)
{
	struct thread *thread;
	struct hit in_pause;
	int64_t at;

	if (!counts(measure, hit->pid, hit->tid))
		return;
	if (stopwatch_stands(&measure->watch, hit->time)) {
		/* what takes none of the time that counts costs none of it */
		in_pause = *hit;
		in_pause.cost_before = 0;
		hit = &in_pause;
	}
	at = stopwatch_at(&measure->watch, hit->time);
	thread = count_hit(measure, hit, at);
	if (is_over)
		thread_held(measure, thread, at, at, hit->cost_before,
			    hit->cost_before, false);
}

void measure_hit(struct measure *measure, const struct hit *hit)
{
	take_hit(measure, hit, false);
}

void measure_fast_hit(struct measure *measure, const struct hit *hit)
{
	take_hit(measure, hit, true);
}

void measure_pass(struct measure *measure, int32_t pid, int32_t tid)
{
	if (counts(measure, pid, tid))
		measure->passed++;
}

void measure_follow(struct measure *measure, int32_t pid, int32_t tid)
{
	if (counts(measure, pid, tid))
		measure->followed++;
}
