/*
 * call_events.c - the hits of the profile of calls, and what else happens to
 * the threads that make them
 *
 * The times of calls come from an account of each thread, which the measure
 * layer keeps: `account` of struct call_profile is a measurement without
 * tables. It is told the same stops, costs and context switches as the
 * measurement of the legs. It knows each thread from the beginning, but its
 * clock runs only while calls are counted.
 */
#include <math.h>
#include <stdlib.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/probe/call_profiles.h"
#include "perftool/target/target_events.h"
#include "session/run/run.h"

void profile_create(struct session *session)
{
	session->calls = xcalloc(1, sizeof(*session->calls));
	session->calls->account = measure_create();
}

static void clear_threads(struct call_profile *profile)
{
	for (size_t i = 0; i < profile->threads.count; i++)
		free(profile->threads.data[i].name);
	vec_clear(&profile->threads);
}

static void destroy_counters(struct map *map)
{
	struct call_counter *counter;
	size_t cursor = 0;

	while ((counter = map_next(map, &cursor, NULL)))
		counter_destroy(counter);
	map_deinit(map);
}

void profile_destroy(struct session *session)
{
	struct call_profile *profile = session->calls;

	destroy_counters(&profile->by_thread);
	destroy_counters(&profile->by_goroutine);
	for (size_t i = 0; i < profile->idle.count; i++)
		counter_destroy(profile->idle.data[i]);
	vec_free(&profile->idle);
	for (size_t i = 0; i < profile->patterns.count; i++)
		free(profile->patterns.data[i].text);
	vec_free(&profile->patterns);
	clear_threads(profile);
	vec_free(&profile->threads);
	vec_free(&profile->ended_threads);
	vec_free(&profile->unused);
	call_arcs_deinit(&profile->ended);
	map_deinit(&profile->returns);
	measure_destroy(profile->account);
	free(profile);
	session->calls = NULL;
}

/* ---- counters ------------------------------------------------------------ */

static uint64_t goroutine_key(const struct hit *hit)
{
	return (uint64_t)(uint32_t)hit->pid << 40 ^ hit->goroutine;
}

static struct call_counter *enter_counter(struct call_profile *profile,
					  struct map *map, uint64_t key,
					  const struct hit *hit)
{
	struct call_counter *counter = map_get(map, key);

	if (counter)
		return counter;
	counter = counter_create(profile, hit, NULL);
	map_set(map, key, counter);
	return counter;
}

/* Finds the counter of the thread that makes the hit, or of the goroutine. */
static struct call_counter *counter_of(struct call_profile *profile,
				       const struct hit *hit)
{
	struct hit of_thread = *hit;
	struct call_counter *thread;

	of_thread.goroutine = 0;
	thread = enter_counter(profile, &profile->by_thread, hit->thread,
			       &of_thread);
	thread->runs = NULL;
	if (hit->goroutine && hit->depth)
		thread->runs = enter_counter(profile, &profile->by_goroutine,
					     goroutine_key(hit), hit);
	return thread->runs ? thread->runs : thread;
}

/* A goroutine has returned from all named functions: its counter can serve
 * another goroutine. */
static void release_goroutine(struct call_profile *profile,
			      struct call_counter *counter,
			      const struct hit *hit)
{
	struct call_counter *thread = map_get(&profile->by_thread, hit->thread);

	map_remove(&profile->by_goroutine, goroutine_key(hit));
	if (thread)
		thread->runs = NULL;
	vec_push(&profile->idle, counter);
}

/* ---- time ---------------------------------------------------------------- */

static uint64_t in_costs(double ns)
{
	return (uint64_t)llrint(ns * (1 << CALL_COST_BITS));
}

/* Adds the time for which the thread was off its CPU since its last hit, if
 * that is known. */
static void note_waiting(struct call_profile *profile,
			 struct call_counter *counter,
			 const struct measure_arrival *arrival)
{
	double since = (double)(arrival->own - counter->own);
	bool is_known = arrival->epoch && arrival->epoch == counter->epoch;
	double waited = arrival->waited - counter->waited;

	if (counter->has_hit && is_known)
		profile->known += since;
	else if (counter->has_hit)
		profile->unknown += since;
	if (counter->has_hit && is_known && waited > 0)
		counter->activations.block->waited += (uint64_t)llrint(waited);
	counter->has_hit = true;
	counter->own = arrival->own;
	counter->epoch = arrival->epoch;
	counter->waited = arrival->waited;
}

static uint64_t take_time(struct call_profile *profile,
			  struct call_counter *counter,
			  const struct measure_arrival *arrival)
{
	struct call_block *block = counter->activations.block;

	note_waiting(profile, counter, arrival);
	if (counter->goroutine) {
		block->taken = in_costs(counter->taken);
		return (uint64_t)arrival->at;
	}
	block->taken = in_costs(arrival->cost);
	return (uint64_t)arrival->own;
}

uint64_t counter_until(struct session *session, struct call_counter *counter,
		       uint64_t time)
{
	const struct hit now = {.thread = counter->serial,
				.pid = counter->pid,
				.tid = counter->tid,
				.time = time,
				.mechanism = HIT_FAST};
	struct call_profile *profile = session->calls;
	struct measure_arrival arrival;

	if (counter->tick > 0)
		return clock_to_tsc(&session->clock, time);
	if (!measure_arrive(profile->account, &now, &arrival))
		return (uint64_t)counter->own;
	return take_time(profile, counter, &arrival);
}

/* ---- hits ---------------------------------------------------------------- */

enum call_hit_stack call_stack_of(struct session *session,
				  struct call_counter *counter,
				  const struct probe_event *event)
{
	if (counter->goroutine || event->hit->stack)
		return CALL_STACK_OWN;
	return is_on_signal_stack(session, counter, event->hit, event->is_entry)
		       ? CALL_STACK_SIGNAL
		       : CALL_STACK_OTHER;
}

static struct call_hit hit_of(const struct probe_event *event,
			      bool is_goroutine, uint64_t time)
{
	const struct hit *hit = event->hit;

	/* The depth of a goroutine's frame stays the same when the runtime
	 * copies its stack. */
	return (struct call_hit){
		.time = time,
		.frame = is_goroutine ? -hit->depth : hit->frame,
		.caller = event->is_entry ? hit->value.u : 0,
		.function =
			event->is_entry ? event->function : CALL_NO_FUNCTION,
		.stack = is_goroutine || hit->stack ? CALL_STACK_OWN
						    : CALL_STACK_OTHER};
}

static void on_call(struct session *session, const struct probe_event *event)
{
	struct call_profile *profile = session->calls;
	const struct hit *hit = event->hit;
	struct measure_arrival arrival;
	struct call_counter *counter;
	struct call_hit call;

	if (event->block) {
		call_in_block(session, event);
		return;
	}
	if (!profile->is_on || is_over(session) ||
	    event->function >= MOST_CALLED ||
	    !measure_arrive(profile->account, hit, &arrival))
		return;
	counter = counter_of(profile, hit);
	if (counter->goroutine)
		counter->taken += hit->cost_before;
	call = hit_of(event, counter->goroutine != 0,
		      take_time(profile, counter, &arrival));
	call.stack = call_stack_of(session, counter, event);
	if (event->is_by_jump)
		call_activations_jump(&counter->activations, &call);
	if (event->is_process_end)
		call_activations_end(&counter->activations, call.time);
	else if (event->is_unwind)
		call_activations_unwind(&counter->activations, &call);
	else if (event->is_entry)
		call_activations_enter(&counter->activations, &call);
	else
		call_activations_exit(&counter->activations, &call);
	if (counter->sites.count < counter->activations.block->arc_count)
		counter_note_sites(session, counter);
	if (counter->goroutine &&
	    !call_activations_count(&counter->activations))
		release_goroutine(profile, counter, hit);
}

/* ---- what costs threads time --------------------------------------------- */

static void held(struct session *session, const struct holder *holder,
		 uint64_t from, uint64_t to, double before, double after)
{
	struct call_profile *profile = session->calls;
	struct call_counter *thread;

	if (!profile->is_on)
		return;
	measure_hold(profile->account, holder->serial, holder->pid, holder->tid,
		     from, to, before, after);
	thread = map_get(&profile->by_thread, holder->serial);
	if (thread && thread->runs)
		thread->runs->taken += (double)(to - from) + after;
}

/* A hit at a jump has cost its thread as much before its time as after. */
static void fast_hit(struct session *session, const struct hit *hit)
{
	const struct holder holder = {hit->thread, hit->pid, hit->tid};

	held(session, &holder, hit->time, hit->time, hit->cost_before,
	     hit->cost_before);
}

static void stood(struct session *session, uint64_t from, uint64_t to)
{
	if (session->state != RUN_STARTING && !is_over(session) &&
	    session->clock_runs)
		measure_skip(session->calls->account, from, to);
}

/* What the account needs to know although no call is counted. */
static void know(struct call_profile *profile, const struct probe_event *event)
{
	struct measure *account = profile->account;

	switch (event->kind) {
	case PROBE_EVENT_WATCHED:
		measure_watch(account, event->holder->serial,
			      event->holder->pid, event->from);
		note_watched(profile, event->holder->serial);
		break;
	case PROBE_EVENT_SWITCHED:
		measure_switch(account, event->holder->serial, event->from,
			       event->on);
		note_switch(profile, event->holder->serial, event->from,
			    event->on);
		break;
	case PROBE_EVENT_SWITCHES_LOST:
		measure_switches_lost(account, event->holder->serial);
		break;
	case PROBE_EVENT_CALIBRATED:
		measure_set_calibration(account, event->mechanism, event->cost,
					event->spread);
		break;
	case PROBE_EVENT_CPU_COST:
		measure_set_cpu_cost(account, event->cost);
		break;
	default:
		break;
	}
}

void profile_event(struct session *session, const struct probe_event *event)
{
	struct call_profile *profile = session->calls;
	const struct holder *holder = event->holder;

	switch (event->kind) {
	case PROBE_EVENT_CALL:
		on_call(session, event);
		break;
	case PROBE_EVENT_CALLS_COUNTED:
		calls_counted(session, event);
		break;
	case PROBE_EVENT_CALL_TOLD:
		call_told(session, event);
		break;
	case PROBE_EVENT_COUNTED_OVERHEAD:
		if (profile->is_on)
			measure_counted_overhead(
				profile->account, event->counter->serial,
				event->counter->pid, event->counter->tid,
				event->taken, event->count);
		break;
	case PROBE_EVENT_FAST_HIT:
		fast_hit(session, event->hit);
		break;
	case PROBE_EVENT_HELD:
		held(session, holder, event->from, event->to, event->before,
		     event->after);
		break;
	case PROBE_EVENT_STALLED:
		held(session, holder, event->from, event->to, 0, 0);
		break;
	case PROBE_EVENT_STOOD:
		stood(session, event->from, event->to);
		break;
	case PROBE_EVENT_COUNTED_HITS:
		if (profile->is_on)
			measure_counted_hits(profile->account,
					     event->counter->serial,
					     event->counter->pid,
					     event->counter->tid, event->taken);
		break;
	default:
		know(profile, event);
		break;
	}
}

/* ---- ends ---------------------------------------------------------------- */

uint64_t counter_end(const struct session *session,
		     const struct call_counter *counter)
{
	/* A thread that executes another program stops, and then waits until
	 * the tool has time for it. */
	if (counter->ended_by_exec && counter->off_since &&
	    counter->off_since < counter->ended_at)
		return counter->off_since;
	return counter->ended_at ? counter->ended_at
				 : open_calls_until(session);
}

uint64_t counter_end_units(const struct call_counter *counter, uint64_t units)
{
	const struct call_block *block = counter->activations.block;
	uint64_t begun =
		block->top ? call_block_open(block, block->top)->start : 0;

	return units > begun ? units : begun;
}

static void end_counter(struct session *session, struct call_counter *counter,
			uint64_t time)
{
	if (counter->tick > 0)
		end_in_block(session, counter, time);
	else if (call_activations_count(&counter->activations))
		call_activations_end(
			&counter->activations,
			counter_end_units(
				counter,
				counter_until(session, counter, time)));
}

/* Notes the ends of the threads of a map that have this pid or, if the number
 * is not 0, of the one that has this number. */
static void note_ends(struct map *map, pid_t pid, uint32_t serial, bool by_exec,
		      uint64_t time)
{
	struct call_counter *counter;
	size_t cursor = 0;

	while ((counter = map_next(map, &cursor, NULL))) {
		if (counter->pid != pid || counter->ended_at ||
		    (serial && counter->serial != serial))
			continue;
		counter->ended_at = time;
		counter->ended_by_exec = by_exec;
	}
}

void profile_note_end(struct session *session, const struct event *event)
{
	struct call_profile *profile = session->calls;
	uint64_t since = profile->stands_since;
	/* The program may still run, to end, after it stood still for the last
	 * time. That is not measured. */
	uint64_t time = since ? since : event->time;

	if (event->kind == EVENT_THREAD_GONE) {
		note_ends(&profile->by_thread, event->process->pid,
			  event->thread->serial, false, time);
	} else if (event->kind == EVENT_PROCESS_GONE ||
		   event->kind == EVENT_EXEC) {
		note_ends(&profile->by_thread, event->process->pid, 0,
			  event->kind == EVENT_EXEC, time);
		note_ends(&profile->by_goroutine, event->process->pid, 0,
			  event->kind == EVENT_EXEC, time);
	}
}

static void counter_gone(struct session *session, struct call_counter *counter)
{
	end_counter(session, counter, counter_end(session, counter));
	counter_retire(session->calls, counter);
}

/* The probe layer tells when it has read the last of a thread that counts by
 * itself. */
static bool is_gone_later(struct session *session, struct call_counter *counter)
{
	if (counter->tick <= 0)
		return false;
	if (!counter->gone_at) {
		uint64_t time = counter_end(session, counter);

		note_thread_end(session->calls, counter, time);
		counter->gone_at = time;
	}
	counter_note_sites(session, counter);
	return true;
}

void profile_thread_gone(struct session *session, const struct thread *thread)
{
	struct call_counter *counter =
		map_get(&session->calls->by_thread, thread->serial);

	if (counter && !is_gone_later(session, counter)) {
		map_remove(&session->calls->by_thread, thread->serial);
		counter_gone(session, counter);
	}
	measure_thread_gone(session->calls->account, thread->serial);
}

/* Removes the counters of a process from a map. */
static void counters_gone(struct session *session, struct map *map, pid_t pid)
{
	struct call_counter *counter;
	size_t cursor = 0;
	uint64_t key;

	while ((counter = map_next(map, &cursor, &key))) {
		if (counter->pid != pid || is_gone_later(session, counter))
			continue;
		map_remove(map, key);
		counter_gone(session, counter);
	}
}

void profile_process_gone(struct session *session, pid_t pid)
{
	struct call_profile *profile = session->calls;

	counters_gone(session, &profile->by_goroutine, pid);
	counters_gone(session, &profile->by_thread, pid);
	for (size_t i = profile->idle.count; i-- > 0;) {
		if (profile->idle.data[i]->pid != pid)
			continue;
		counter_gone(session, profile->idle.data[i]);
		vec_remove(&profile->idle, i);
	}
	measure_process_gone(profile->account, pid);
}

uint64_t open_calls_until(const struct session *session)
{
	uint64_t since = session->calls->stands_since;

	return since ? since : clock_now(&session->clock);
}

void end_open_calls(struct session *session, uint64_t time)
{
	struct map *maps[] = {&session->calls->by_thread,
			      &session->calls->by_goroutine};
	struct call_counter *counter;

	for (size_t i = 0; i < 2; i++) {
		size_t cursor = 0;

		while ((counter = map_next(maps[i], &cursor, NULL)))
			end_counter(session, counter, time);
	}
}

void restart_counters(struct session *session, uint64_t time)
{
	struct call_profile *profile = session->calls;
	struct map *maps[] = {&profile->by_thread, &profile->by_goroutine};
	struct call_counter *counter;

	for (size_t i = 0; i < 2; i++) {
		size_t cursor = 0;

		while ((counter = map_next(maps[i], &cursor, NULL)))
			if (counter->tick > 0)
				restart_in_block(session, counter, time);
			else
				call_activations_restart(
					&counter->activations,
					counter_until(session, counter, time));
	}
	for (size_t i = 0; i < profile->idle.count; i++)
		call_activations_restart(&profile->idle.data[i]->activations,
					 time);
}

/* ---- what else the account has to know ----------------------------------- */

void profile_set_running(struct session *session, bool runs, uint64_t time)
{
	struct call_profile *profile = session->calls;

	if (runs && profile->stands_since)
		probe_hold_calls(session->probe,
				 (double)(time - profile->stands_since));
	if (runs || !profile->stands_since)
		profile->stands_since = runs ? 0 : time;
	measure_set_running(session->calls->account, runs, time);
}

void profile_set_tracked(struct session *session, pid_t pid, pid_t tid)
{
	measure_set_tracked(session->calls->account, pid, tid);
}

void profile_set_compensation(struct session *session, bool on)
{
	measure_set_compensation(session->calls->account, on);
}

bool profile_wants_switches(const struct session *session)
{
	return session->calls->is_on;
}
