/*
 * thread_calls.c - threads that count their calls by themselves
 *
 * Such a thread has a block that it shares with the tool. Hits that the thread
 * cannot make are made here, in the same block, while the thread stands still.
 * The block is read when tables are printed, and when its thread has ended.
 */
#include <math.h>
#include <string.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "session/run/run.h"

static struct call_counter *counter_in_block(struct session *session,
					     const struct hit *hit,
					     struct call_block *block)
{
	struct call_profile *profile = session->calls;
	struct call_counter *counter =
		map_get(&profile->by_thread, hit->thread);

	if (counter)
		return counter;
	counter = counter_create(profile, hit, block);
	counter->tick = clock_tick(&session->clock);
	map_set(&profile->by_thread, hit->thread, counter);
	return counter;
}

/* ---- time off the CPU ---------------------------------------------------- */

/* So many switches of a thread are remembered. When there are more, every
 * second one of the older half is forgotten. */
#define MOST_SWITCHES (UINT32_C(1) << 20)

static void forget_some(struct call_counter *counter)
{
	size_t half = counter->switches.count / 2, kept = 0;

	for (size_t i = 0; i < counter->switches.count; i++)
		if (i % 2 || i >= half)
			counter->switches.data[kept++] =
				counter->switches.data[i];
	counter->switches.count = kept;
}

/* Looks up the account of the thread. It is on its CPU or, if the account says
 * so, off it; the time of a stop that has not ended counts as time off the CPU
 * until it is told. */
static bool look_up(struct call_profile *profile,
		    const struct call_counter *counter, uint64_t time,
		    struct measure_arrival *out)
{
	struct hit hit = {.thread = counter->serial,
			  .pid = counter->pid,
			  .tid = counter->tid,
			  .time = time,
			  .mechanism = HIT_FAST};

	if (counter->gone_at || !measure_arrive(profile->account, &hit, out))
		return false;
	if (out->epoch)
		return true;
	hit.mechanism = HIT_INT3;
	return measure_arrive(profile->account, &hit, out);
}

/* Notes how long the thread has been off its CPU until `time`. Returns false if
 * the account knows nothing of the thread at that time. */
static bool find_waited(struct call_profile *profile,
			struct call_counter *counter, uint64_t time,
			double *waited)
{
	struct measure_arrival arrival;
	bool is_known;
	double since;

	if (!look_up(profile, counter, time, &arrival))
		return false;
	/* The thread is about to go on. If switches were lost, the next one
	 * shows it by another epoch. */
	if (!arrival.epoch && counter->epoch)
		return false;
	since = (double)(arrival.own - counter->own);
	is_known = arrival.epoch && arrival.epoch == counter->epoch;
	if (counter->has_hit)
		*(is_known ? &profile->known : &profile->unknown) += since;
	/* A new epoch begins with nothing. */
	if (arrival.epoch != counter->epoch)
		counter->waited_before += counter->waited - arrival.waited;
	counter->has_hit = true;
	counter->own = arrival.own;
	counter->epoch = arrival.epoch;
	counter->waited = arrival.waited;
	*waited = counter->waited_before + arrival.waited;
	return true;
}

void note_switch(struct call_profile *profile, uint32_t thread, uint64_t time,
		 bool on)
{
	struct call_counter *counter = map_get(&profile->by_thread, thread);
	struct waited_until until = {.time = time};

	if (!counter || counter->tick <= 0)
		return;
	counter->off_since = on ? 0 : time;
	if (!on || !find_waited(profile, counter, time, &until.waited))
		return;
	if (counter->switches.count >= MOST_SWITCHES)
		forget_some(counter);
	vec_push(&counter->switches, until);
}

void note_watched(struct call_profile *profile, uint32_t thread)
{
	struct call_counter *counter = map_get(&profile->by_thread, thread);

	if (counter && counter->tick > 0)
		counter->has_hit = false;
}

void note_thread_end(struct call_profile *profile, struct call_counter *counter,
		     uint64_t time)
{
	double unused;

	find_waited(profile, counter, time, &unused);
}

/* How long the thread had been off its CPU at a time, ns. If it was off it at
 * that time, it got on it again later: the wait that ended then had begun as
 * long before as it took. */
static double waited_at(const struct call_counter *counter, uint64_t time)
{
	double before, wait, since;
	size_t low = 0, high = counter->switches.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (counter->switches.data[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	before = low ? counter->switches.data[low - 1].waited : 0;
	if (low == counter->switches.count)
		return counter->off_since && time > counter->off_since
			       ? before + (double)(time - counter->off_since)
			       : before;
	wait = counter->switches.data[low].waited - before;
	since = wait - (double)(counter->switches.data[low].time - time);
	return since > 0 ? before + since : before;
}

static double waited_between(const struct call_counter *counter, uint64_t began,
			     uint64_t ended)
{
	double waited = waited_at(counter, ended) - waited_at(counter, began);

	return waited > 0 ? waited : 0;
}

static void add_waiting(struct call_block *block, uint32_t arc, double waited,
			double inside, bool is_outermost)
{
	struct call_block_cold *cold =
		call_block_cold(block, arc & (block->most_arcs - 1));

	call_block_add(&cold->self_waiting, llrint(waited - inside));
	if (is_outermost)
		call_block_add(&cold->waiting, llrint(waited));
}

/* A call has ended. Those inside it that were off the CPU have ended before. */
static void tell_call(struct call_counter *counter, uint32_t arc,
		      uint64_t began, uint64_t ended, bool is_outermost)
{
	double waited = waited_between(counter, began, ended), inside = 0;
	struct waited_call call = {.began = began, .waited = waited};

	while (counter->told.count &&
	       counter->told.data[counter->told.count - 1].began >= began)
		inside += counter->told.data[--counter->told.count].waited;
	add_waiting(counter->activations.block, arc, waited, inside,
		    is_outermost);
	if (waited > 0)
		vec_push(&counter->told, call);
}

void call_told(struct session *session, const struct probe_event *event)
{
	struct call_counter *counter =
		map_get(&session->calls->by_thread, event->counter->serial);

	if (counter && counter->tick > 0)
		tell_call(counter, event->arc, event->began, event->ended,
			  event->is_outermost);
}

/* For each function that is open, the number of its outermost activation; the
 * key is the function's number plus 1. */
static void find_outermost(const struct call_block *block, struct map *out)
{
	for (uint32_t i = block->top; i > 0; i--)
		map_set_number(out, call_block_open(block, i)->function + 1ULL,
			       i);
}

void add_open_waiting(struct session *session,
		      const struct call_counter *counter,
		      struct call_block *block, uint64_t time)
{
	const struct call_activation *open = call_block_open(block, 0);
	size_t told = counter->told.count;
	struct map outermost = {0};
	double waited = 0;

	find_outermost(block, &outermost);
	for (uint32_t i = block->top; i > 0; i--) {
		uint64_t began = clock_from_tsc(&session->clock, open[i].start);
		double inside = waited;

		while (told && counter->told.data[told - 1].began >= began)
			inside += counter->told.data[--told].waited;
		waited = waited_between(counter, began, time);
		add_waiting(block, open[i].arc, waited, inside,
			    map_get_number(&outermost,
					   open[i].function + 1ULL) == i);
	}
	map_deinit(&outermost);
}

/* ---- hits ---------------------------------------------------------------- */

/* How many of the innermost activations are looked at when the tool makes a
 * hit, which may end some of them. */
#define MOST_ENDS 256

/* Is no earlier one of the activations of the same function? */
static bool is_first(const struct call_activation *list, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (list[i].function == list[index].function)
			return false;
	return true;
}

static bool is_open(const struct call_block *block, uint32_t function)
{
	return function < block->functions &&
	       *call_block_depth(block, function);
}

/* The hit has ended activations of those that were open before. */
static void tell_ends(struct session *session, struct call_counter *counter,
		      const struct call_activation *before, uint32_t first,
		      uint32_t count, const struct probe_event *event)
{
	uint32_t left = counter->activations.block->top;
	uint64_t ended = clock_from_tsc(&session->clock, event->hit->time);

	if (event->is_entry && left)
		left--;
	for (uint32_t i = first + count; i-- > first && i > left;)
		tell_call(counter, before[i - first].arc,
			  clock_from_tsc(&session->clock,
					 before[i - first].start),
			  ended,
			  is_first(before, i - first) &&
				  !is_open(counter->activations.block,
					   before[i - first].function));
}

static void make_hit(struct call_activations *activations,
		     const struct probe_event *event,
		     const struct call_hit *hit)
{
	if (event->is_unwind)
		call_activations_unwind(activations, hit);
	else if (event->is_entry)
		call_activations_enter(activations, hit);
	else if (event->is_jump)
		call_activations_jump(activations, hit);
	else
		call_activations_exit(activations, hit);
}

/* What the thread has open ends, at a time of the time-stamp counter. */
static void end_open(struct session *session, struct call_counter *counter,
		     uint64_t tsc)
{
	add_open_waiting(session, counter, counter->activations.block,
			 clock_from_tsc(&session->clock, tsc));
	call_activations_end(&counter->activations, tsc);
	vec_clear(&counter->told);
}

void call_in_block(struct session *session, const struct probe_event *event)
{
	const struct hit *hit = event->hit;
	struct call_counter *counter =
		counter_in_block(session, hit, event->block);
	struct call_activation before[MOST_ENDS];
	struct call_block *block = event->block;
	uint32_t count = block->top < MOST_ENDS ? block->top : MOST_ENDS;
	uint32_t first = block->top - count + 1;
	const struct call_hit call = {
		.time = hit->time,
		.frame = hit->frame,
		.caller = hit->value.u,
		.function = event->function,
		.stack = call_stack_of(session, counter, event)};

	if (counter->tick <= 0)
		/* Its earlier hits were told. */
		return;
	if (event->is_process_end) {
		end_open(session, counter, hit->time);
		return;
	}
	memcpy(before, call_block_open(block, first), count * sizeof(*before));
	make_hit(&counter->activations, event, &call);
	tell_ends(session, counter, before, first, count, event);
	*event->has_others = counter->activations.signal.count != 0;
}

void end_in_block(struct session *session, struct call_counter *counter,
		  uint64_t time)
{
	struct call_block *block = counter->activations.block;

	block->taken = counter->taken_units;
	end_open(session, counter,
		 counter_end_units(counter,
				   clock_to_tsc(&session->clock, time)));
	block->taken = 0;
	call_block_store(block);
}

void restart_in_block(struct session *session, struct call_counter *counter,
		      uint64_t time)
{
	struct call_block *block = counter->activations.block;

	block->taken = counter->taken_units;
	call_activations_restart(&counter->activations,
				 clock_to_tsc(&session->clock, time));
	block->taken = 0;
	call_block_store(block);
	vec_clear(&counter->told);
}

void calls_counted(struct session *session, const struct probe_event *event)
{
	struct call_profile *profile = session->calls;
	const struct hit hit = {.thread = event->counter->serial,
				.pid = event->counter->pid,
				.tid = event->counter->tid};
	struct call_counter *counter =
		counter_in_block(session, &hit, event->calls);

	double unused;

	if (counter->tick <= 0)
		return;
	counter->taken_units = event->taken_units;
	if (!event->is_last) {
		counter_note_sites(session, counter);
		find_waited(profile, counter, clock_now(&session->clock),
			    &unused);
		return;
	}
	map_remove(&profile->by_thread, hit.thread);
	counter_note_sites(session, counter);
	end_in_block(session, counter, counter_end(session, counter));
	counter_retire(profile, counter);
}
