/*
 * thread_calls.c - threads that count their calls by themselves
 *
 * Such a thread has a block that it shares with the tool. Hits that the thread
 * cannot make are made here, in the same block, while the thread stands still.
 * The block is read when tables are printed, and when its thread has ended.
 */
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

void call_in_block(struct session *session, const struct probe_event *event)
{
	const struct hit *hit = event->hit;
	struct call_counter *counter =
		counter_in_block(session, hit, event->block);
	struct call_activations *activations = &counter->activations;
	const struct call_hit call = {.time = hit->time,
				      .frame = hit->frame,
				      .caller = hit->value.u,
				      .function = event->function,
				      .stack = hit->stack ? CALL_STACK_OWN
							  : CALL_STACK_OTHER};

	if (counter->tick <= 0)
		/* Its earlier hits were told. */
		return;
	if (event->is_entry)
		call_activations_enter(activations, &call);
	else if (event->is_jump)
		call_activations_jump(activations, &call);
	else
		call_activations_exit(activations, &call);
	*event->has_others = activations->signal.count != 0;
}

void end_in_block(struct session *session, struct call_counter *counter,
		  uint64_t time)
{
	struct call_block *block = counter->activations.block;

	block->taken = counter->taken_units;
	call_activations_end(&counter->activations,
			     clock_to_tsc(&session->clock, time));
	block->taken = 0;
}

void restart_in_block(struct session *session, struct call_counter *counter,
		      uint64_t time)
{
	struct call_block *block = counter->activations.block;

	block->taken = counter->taken_units;
	call_activations_restart(&counter->activations,
				 clock_to_tsc(&session->clock, time));
	block->taken = 0;
}

void calls_counted(struct session *session, const struct probe_event *event)
{
	struct call_profile *profile = session->calls;
	const struct hit hit = {.thread = event->counter->serial,
				.pid = event->counter->pid,
				.tid = event->counter->tid};
	struct call_counter *counter =
		counter_in_block(session, &hit, event->calls);

	if (counter->tick <= 0)
		return;
	counter->taken_units = event->taken_units;
	if (!event->is_last) {
		counter_note_sites(session, counter);
		return;
	}
	map_remove(&profile->by_thread, hit.thread);
	counter_note_sites(session, counter);
	end_in_block(session, counter,
		     counter->gone_at ? counter->gone_at
				      : clock_now(&session->clock));
	counter_read(counter, &profile->ended);
	counter_destroy(counter);
}
