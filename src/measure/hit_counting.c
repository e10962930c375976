/*
 * hit_counting.c - what the layer does with one hit, in the order of
 * doc/RULES.md, "A hit, in order"
 *
 * A hit is counted at its node (the breakpoint that the thread reached). Then
 * the hit closes activations of the legs that end at the node, and then it
 * opens activations of the legs that start there. The table of doc/RULES.md,
 * "Matching from with to" says which *from* belongs to which *to*.
 *
 * Invariant: every function here keeps these rules for each leg that the
 * setting `track` lets hits begin and end (under `track all`, each leg):
 *
 *	from hits = count + ignored_from + unwound + discarded + open
 *	to hits   = count + ignored_to
 */
#include "measure/threads/threads.h"
#include "measure_state.h"
#include "perftool/measure/measured_legs.h"

/* Takes the activation that `link` points to out of its list. */
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

/* Is the frame of this activation, and of each activation below it in the list,
 * shallower than the frame of the hit? Then none of these activations has the
 * frame of the hit, and all their frames still exist. */
static bool are_all_shallower(const struct activation *activation,
			      const struct hit *hit)
{
	return activation->ordered && activation->frame > hit->frame;
}

/*
 * Removes the activations whose frames cannot exist any more when the thread
 * makes this hit. These are the deeper frames of the same stack, and, if *from*
 * is the entry of the function (`enters`), a frame with the very same CFA on
 * any stack. A frame on the same stack is unwound. On another stack depth says
 * nothing, so only the same CFA counts, and the activation is discarded.
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

/* Returns the link to the innermost activation that has the frame of the hit,
 * or NULL. An activation whose frame is not known matches any hit. */
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

/* Has a tail jump brought the function back to the frame of the innermost
 * activation? Then this frame still exists, although *from* is reached in it
 * again. */
static bool is_back(const struct activation *top, const struct hit *hit)
{
	return hit->back && top && top->frame == hit->frame;
}

/* Opens an activation: puts it in front of the owner's list. */
static void push(struct measure *measure, const struct holding *holding,
		 struct leg *leg, struct thread *thread, const struct hit *hit)
{
	struct activation *activation = activation_create(measure, leg);
	struct activation *below = *holding->top;

	activation->below = below;
	activation->leg = leg;
	/* The moment is computed anew, because it would take longer to copy
	 * `thread->now`, which has just been written. */
	activation->from = thread_moment(measure, thread, hit, thread->now.at);
	activation->row = row_at_from(leg, hit);
	activation->split =
		activation->row ? split_of(leg->public.split)->serial : 0;
	activation->frame = hit->frame;
	activation->stack = hit->stack;
	activation->sp = hit->sp;
	activation->logged = thread->logged;
	activation->origin = origin_ref(hit->origin);
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
 * OWNER_LEG: another thread than the leg's owner hits *from*. With `last` and
 * `nested` this thread becomes the owner, the open activations of the previous
 * owner count as ignored *from*s, and the function returns false. With `first`
 * and `outermost` the open activation is kept, this *from* is ignored, and the
 * function returns true.
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

/* OWNER_LEG: does another thread than this one own the leg now? */
static bool is_foreign(const struct leg *leg, const struct holding *holding,
		       const struct thread *thread)
{
	return leg->public.spec.owner == OWNER_LEG && *holding->top &&
	       (*holding->top)->thread != thread->serial;
}

/* If a thread is on stacks that are not its own, and two of its stack pointers
 * are further apart than this many bytes, they are on different stacks. */
#define ONE_STACK 32768

/* Tells the caller of the layer (measure_set_mixed()) if a thread begins the
 * leg on one stack while the leg is open on another stack. The order of the
 * hits does not show which hit of *to* belongs to which stack. */
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

/* Counts a hit of the leg's *from*. Rule: doc/RULES.md, "Matching from with
 * to". */
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
		/* If tail jumps come back to a frame, a further activation is
		 * opened for each of them. If HIT_MOST_BACK activations are
		 * open in the frame, this hit opens none and is ignored. */
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
 * Returns the time of the execution that ends now. If one thread made both
 * hits, the result is the thread's own time. Otherwise the result is the time
 * of the wall clock from the moment at which the tool let the first thread go
 * on, until the second thread reached the site. If the tool still holds the
 * first thread when the second one reaches the site, then both are held, and
 * the time is 0.
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
			     struct thread *thread, const struct hit *hit)
{
	struct activation *activation = unlink_activation(link);
	struct measure_row *row = row_at_to(activation->leg, hit);
	struct span span = duration(measure, activation, thread);
	struct opening opening = {
		.start = &activation->from,
		.key = &activation->key,
		.since = activation->thread == thread->serial
				 ? activation->logged
				 : NOT_LOGGED,
		.origin = activation->origin,
	};

	opening.row = row ? row
			  : row_begun(activation->leg, activation->split,
				      activation->row);
	record_execution(measure, activation->leg, thread, hit, &span,
			 &opening);
	activation_release(measure, activation);
}

/* Returns the link to the activation that a *to* of an `outermost` leg closes.
 * Returns NULL if the *to* belongs to an inner call, whose hits are ignored. */
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

/* Returns the link to the activation that this *to* closes, or NULL if the *to*
 * is ignored. */
static struct activation **find_match(struct measure *measure, struct leg *leg,
				      const struct holding *holding,
				      const struct thread *thread,
				      const struct hit *hit)
{
	const struct leg_spec *spec = &leg->public.spec;
	const struct activation *top = *holding->top;
	bool by_frame = spec->by_frame && hit->frame;

	if (!top) {
		/* The first hit of a leg n->n cannot end an execution. */
		if (spec->from == spec->to)
			leg->public.self_first++;
		return NULL;
	}
	if (is_foreign(leg, holding, thread))
		return NULL;
	if (by_frame) {
		/* The usual case: the innermost activation has the hit's frame,
		 * and no frame is gone. */
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

/* Counts a hit of the leg's *to*. Rule: doc/RULES.md, "Matching from with
 * to". */
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

/* Does the same as track_all() for a hit that a goroutine makes. Each leg knows
 * whether the goroutine or its thread is the owner. `follows` is the goroutine
 * or the thread: its last node is the *from* of a leg that `add successor`
 * enters. */
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
	/*
	 * The new leg is entered after the legs that end here are closed,
	 * because it has no activation to close. It is entered before the legs
	 * that start here are opened, because a leg n->n opens its next
	 * activation at this hit.
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

/* Sets the moment of this hit in the thread, or goroutine, that makes it. For
 * legs between successive hits, the moment of the previous hit is kept, too. */
static void set_moment(struct measure *measure, struct thread *thread,
		       const struct hit *hit, int64_t at)
{
	if (measure->add_successor || measure->track == TRACK_SUCCESSOR)
		thread->last = thread->now;
	thread->now = thread_moment(measure, thread, hit, at);
}

/* Logs the hit if no leg has logged it, and fills what the executions keep that
 * it has ended. */
static void log_of(struct measure *measure, const struct node *node,
		   struct thread *thread, const struct hit *hit)
{
	if (!node->starting.count && !node->ending.count)
		log_hit(thread, hit);
	fill_kept(measure);
}

/* Does the same as track() for a hit that a goroutine makes. The thread
 * executes the goroutine. */
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
	if (measure->inside)
		log_of(measure, node, goroutine, hit);
	goroutine->has_last = true;
	goroutine->last_node = hit->node;
}

/* Counts a hit at the measured time `at`. Returns its thread, or NULL if the
 * thread has made no hit that is tracked. */
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
		if (measure->inside)
			log_of(measure, node, thread, hit);
	}
	thread->stalled = 0;
	thread->has_last = true;
	thread->last_node = hit->node;
	return thread;
}

/* Counts a hit, if the hits of its thread count. `is_over`: the break of the
 * hit held the thread for no time and ends with the hit. */
static void take_hit(struct measure *measure, const struct hit *hit,
		     bool is_over)
{
	struct thread *thread;
	struct hit in_pause;
	int64_t at;

	if (!counts(measure, hit->pid, hit->tid))
		return;
	if (stopwatch_stands(&measure->watch, hit->time)) {
		/* The hit is at a time that does not count, so its cost does
		 * not count either. */
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

void measure_follow(struct measure *measure, int32_t pid, int32_t tid,
		    enum hit_mechanism mechanism)
{
	if (!counts(measure, pid, tid))
		return;
	measure->followed++;
	measure->followed_int3 += mechanism == HIT_INT3;
}
