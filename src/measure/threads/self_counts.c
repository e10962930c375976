/*
 * self_counts.c - what threads have counted by themselves: the sums of short
 * executions, the long ones, and what the hits have cost
 *
 * The reports leave every figure as it would be if each hit had been counted by
 * measure_fast_hit(). Rule: doc/RULES.md, "Counting in the program".
 */
#include "perftool/measure/thread_counts.h"
#include "threads.h"

void measure_keep_histories(struct measure *measure, uint64_t now)
{
	if (measure->keeps_histories)
		return;
	measure->keeps_histories = true;
	note_start(measure, now);
}

static int64_t *open_of(struct thread *thread, uint32_t leg)
{
	while (thread->counted_open.count <= leg)
		vec_push(&thread->counted_open, 0);
	return &thread->counted_open.data[leg];
}

static struct thread *thread_of(struct measure *measure, uint32_t serial,
				int32_t pid)
{
	struct thread *thread = find_thread(measure, serial);

	return thread ? thread : create_thread(measure, serial, pid);
}

static void count_nodes(struct measure *measure, const struct leg *leg,
			uint64_t from, uint64_t to)
{
	find_node(measure, leg->public.spec.from)->public.count += from;
	find_node(measure, leg->public.spec.to)->public.count += to;
	measure->breaks += from + to;
}

void measure_counted(struct measure *measure, uint32_t serial, int32_t pid,
		     int32_t tid, uint32_t id, const struct counted *counted)
{
	struct leg *leg = leg_of_id(measure, id);
	struct thread *thread;
	uint64_t opened;
	bool has_cpu;

	if (!leg || !counts(measure, pid, tid))
		return;
	thread = thread_of(measure, serial, pid);
	opened = counted->entered - counted->count - counted->unwound;
	leg->public.from_hits += counted->entered + counted->ignored_from;
	leg->public.to_hits += counted->count + counted->ignored;
	leg->public.unwound += counted->unwound;
	leg->public.ignored_to += counted->ignored;
	leg->public.ignored_from += counted->ignored_from;
	leg->public.open += opened;
	*open_of(thread, id) += (int64_t)opened;
	/* The first hit of a leg n->n cannot end an execution. */
	if (leg->public.spec.from == leg->public.spec.to)
		leg->public.self_first += counted->ignored;
	count_nodes(measure, leg, counted->entered + counted->ignored_from,
		    counted->shares_to ? 0 : counted->count + counted->ignored);
	if (counted->is_mixed && measure->mixed)
		measure->mixed(measure->mixed_context, &leg->public, tid);
	if (!counted->count)
		return;
	/* If the kernel tells of the thread's context switches, there was none
	 * within an execution so short. */
	has_cpu = thread->cpu.is_watched;
	if (leg->only != thread->process)
		share_executions(measure, leg, thread->process, counted,
				 has_cpu);
	count_executions(measure, &leg->public, &leg->past, counted, has_cpu);
}

/* Returns the time of the execution, which one thread began and ended. */
static struct span span_of(const struct measure *measure,
			   const struct thread *thread,
			   const struct measure_told *told, int64_t *began)
{
	const struct past_moment from =
		past_moment(measure, thread, told->from);
	const struct past_moment to = past_moment(measure, thread, told->to);
	double taken = told->taken + to.stops - from.stops;
	struct span span = {
		.elapsed = to.at - from.at - (to.held - from.held) -
			   nearest(taken),
		.interrupted = stopwatch_stopped_within(&measure->watch,
							from.at, to.at),
		.has_waiting = from.epoch && from.epoch == to.epoch,
		.inside = taken_inside(measure, taken, HIT_FAST, HIT_FAST),
	};

	if (span.has_waiting)
		span.waiting = nearest(to.waited - from.waited);
	*began = from.at;
	return span;
}

void measure_told(struct measure *measure, const struct measure_told *told)
{
	const struct value none = {.kind = VALUE_NONE};
	const struct hit hit = {.pid = told->pid,
				.tid = told->tid,
				.mechanism = HIT_FAST,
				.value = none};
	struct leg *leg = leg_of_id(measure, told->leg);
	struct moment start = {.mechanism = HIT_FAST};
	struct thread *thread;
	struct span span;

	if (!leg || !counts(measure, told->pid, told->tid))
		return;
	thread = thread_of(measure, told->thread, told->pid);
	leg->public.to_hits++;
	leg->public.matched_by_threads++;
	leg->public.open--;
	--*open_of(thread, told->leg);
	count_nodes(measure, leg, 0, !told->shares_to);
	span = span_of(measure, thread, told, &start.at);
	record_execution(measure, leg, thread, &hit, &span,
			 &(struct opening){.start = &start,
					   .key = &none,
					   .since = NOT_LOGGED});
}

void measure_hand_over(struct measure *measure, const struct measure_told *told,
		       uint64_t frame)
{
	struct leg *leg = leg_of_id(measure, told->leg);
	struct activation *activation, **top;
	struct past_moment past;
	uint32_t back = 0;
	struct thread *thread;

	if (!leg || !counts(measure, told->pid, told->tid))
		return;
	thread = thread_of(measure, told->thread, told->pid);
	/* The activation may have been discarded since the thread counted it.
	 */
	if (*open_of(thread, told->leg) <= 0)
		return;
	past = past_moment(measure, thread, told->from);
	while (thread->open.count <= told->leg)
		thread_add_list(thread, told->leg);
	top = &thread->open.data[told->leg];
	--*open_of(thread, told->leg);
	leg->public.open--;
	/* A thread has two activations open in one frame only if tail jumps
	 * have brought the function back to the frame. */
	if (*top && (*top)->frame == frame)
		back = (*top)->back + 1;
	activation = activation_create(measure, leg);
	*activation = (struct activation){
		.below = *top,
		.leg = leg,
		.from = {.at = past.at,
			 .own = past.at - past.held,
			 .cost = thread->cost - told->taken -
				 (thread->stops - past.stops),
			 .mechanism = HIT_FAST,
			 .epoch = past.epoch,
			 .waited = past.waited},
		.frame = frame,
		.back = back,
		.logged = thread->logged,
		.stack = told->thread,
		.thread = told->thread,
		.ordered = !*top || ((*top)->ordered && (*top)->frame >= frame),
	};
	*top = activation;
}

void measure_counted_hits(struct measure *measure, uint32_t serial, int32_t pid,
			  int32_t tid, double cost)
{
	struct thread *thread;

	if (!counts(measure, pid, tid))
		return;
	thread = thread_of(measure, serial, pid);
	thread->cost += cost;
}

void measure_counted_overhead(struct measure *measure, uint32_t serial,
			      int32_t pid, int32_t tid, double cost,
			      uint64_t followed)
{
	if (!counts(measure, pid, tid))
		return;
	thread_of(measure, serial, pid)->spread += cost;
	measure->followed += followed;
}

/* Several threads have each spent some part of a time on hits. */
struct spread {
	double length;    /* of that time, ns */
	double sum, most; /* of what they have spent, ns */
	/* the part of the time in which none was at a hit, if each was at its
	 * hits at random times */
	double free;
};

static void spread_add(struct spread *spread, double spent)
{
	double part = spread->length > 0 ? spent / spread->length : 1;

	spread->sum += spent;
	if (spent > spread->most)
		spread->most = spent;
	spread->free *= part < 1 ? 1 - part : 0;
}

void measure_counted_until(struct measure *measure, uint64_t from, uint64_t to)
{
	struct spread spread = {
		.length = (double)(stopwatch_at(&measure->watch, to) -
				   stopwatch_at(&measure->watch, from)),
		.free = 1};
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL))) {
		spread_add(&spread, thread->spread);
		thread->spread = 0;
	}
	spread_add(&spread, measure->ended_spread);
	measure->ended_spread = 0;
	/* The hits of one thread do not overlap. */
	overhead_add_unknown(&measure->overhead, spread.sum,
			     spread.most >= spread.sum
				     ? spread.sum
				     : (1 - spread.free) * spread.length);
}
