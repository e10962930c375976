/*
 * measure.c - the clock, the modes, and the functions that concern all tables
 *
 * Nothing here knows a process or reads a clock: see perftool/measure.h.
 */
#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"

#include <math.h>
#include <stdlib.h>

#include "measure/threads/threads.h"
#include "measure_state.h"
#include "perftool/base/alloc.h"

struct measure *measure_create(void)
{
	struct measure *measure = xcalloc(1, sizeof(*measure));

	measure->track = TRACK_ALL;
	measure->compensation = true;
	return measure;
}

/* Removes all nodes and legs, and discards all open activations. The modes
 * stay. */
static void clear_tables(struct measure *measure)
{
	discard_all(measure);
	clear_legs(measure);
	clear_nodes(measure);
}

void measure_destroy(struct measure *measure)
{
	if (!measure)
		return;
	clear_tables(measure);
	clear_threads(measure);
	clear_processes(measure);
	while (measure->spare) {
		struct activation *below = measure->spare->below;

		free(measure->spare);
		measure->spare = below;
	}
	vec_free(&measure->kept);
	free(measure);
}

/* ---- the clock and the modes ---------------------------------------- */

static void set_watch(struct measure *measure, uint64_t now)
{
	if (measure->monitor && measure->running) {
		stopwatch_start(&measure->watch, now);
		note_start(measure, now);
	} else {
		stopwatch_stop(&measure->watch, now);
	}
}

void measure_set_monitor(struct measure *measure, bool on, uint64_t now)
{
	if (measure->monitor && !on)
		discard_all(measure);
	measure->monitor = on;
	set_watch(measure, now);
}

void measure_discard_open(struct measure *measure)
{
	discard_all(measure);
}

bool measure_monitor(const struct measure *measure)
{
	return measure->monitor;
}

void measure_set_running(struct measure *measure, bool running, uint64_t now)
{
	measure->running = running;
	set_watch(measure, now);
}

void measure_skip(struct measure *measure, uint64_t from, uint64_t to)
{
	stopwatch_skip(&measure->watch, from, to);
	note_start(measure, to);
}

void measure_set_track(struct measure *measure, enum measure_track track)
{
	if (track == measure->track)
		return;
	discard_all(measure);
	measure->track = track;
}

enum measure_track measure_track(const struct measure *measure)
{
	return measure->track;
}

void measure_set_add_successor(struct measure *measure, bool on)
{
	/* Under `track all` threads may have counted hits by themselves. So the
	 * last hit that was reported need not be the last one of its thread. */
	if (on && !measure->add_successor && measure->track == TRACK_ALL)
		forget_last_hits(measure);
	measure->add_successor = on;
}

bool measure_add_successor(const struct measure *measure)
{
	return measure->add_successor;
}

void measure_set_successor_spec(struct measure *measure,
				const struct leg_spec *spec)
{
	measure->successor_spec = *spec;
}

void measure_set_tracked(struct measure *measure, int32_t pid, int32_t tid)
{
	if (pid == measure->pid && tid == measure->tid)
		return;
	discard_all(measure);
	measure->pid = pid;
	measure->tid = tid;
}

void measure_set_chosen(struct measure *measure, measure_chosen_fn *chosen,
			void *context)
{
	discard_all(measure);
	measure->chosen = chosen;
	measure->chosen_context = context;
}

void measure_set_compensation(struct measure *measure, bool on)
{
	if (on != measure->compensation)
		begin_epochs(measure);
	measure->compensation = on;
}

void measure_set_calibration(struct measure *measure,
			     enum hit_mechanism mechanism, double cost,
			     double spread)
{
	measure->calibration[mechanism] =
		(struct measure_calibration){cost, spread};
	share_cost(measure);
}

void measure_set_observer(struct measure *measure,
			  measure_execution_fn *observe, void *context)
{
	measure->observe = observe;
	measure->observe_context = context;
}

void measure_set_keeper(struct measure *measure, measure_keep_fn *keep,
			void *context)
{
	measure->keep = keep;
	measure->keep_context = context;
}

bool measure_begins_leg(const struct measure *measure, uint32_t id)
{
	const struct node *node = find_node(measure, id);

	return node && !node->public.deleted && node->starting.count;
}

void measure_set_mixed(struct measure *measure, measure_mixed_fn *mixed,
		       void *context)
{
	measure->mixed = mixed;
	measure->mixed_context = context;
}

/* ---- tables --------------------------------------------------------- */

uint64_t measure_elapsed(const struct measure *measure, uint64_t now)
{
	int64_t elapsed = stopwatch_at(&measure->watch, now) - measure->zero;

	return elapsed < 0 ? 0 : (uint64_t)elapsed;
}

int64_t measure_now(const struct measure *measure, uint64_t now)
{
	return stopwatch_at(&measure->watch, now);
}

void summary_finish(struct measure_summary *summary)
{
	if (summary->breaks)
		summary->average_overhead =
			(double)summary->overhead / (double)summary->breaks;
	if (summary->elapsed)
		summary->overhead_percent = (double)summary->overhead * 100 /
					    (double)summary->elapsed;
}

void measure_get_summary(const struct measure *measure, uint64_t now,
			 struct measure_summary *summary)
{
	const struct overhead *overhead = &measure->overhead;
	uint64_t elapsed = measure_elapsed(measure, now);
	uint64_t held = (uint64_t)llrint(overhead->together);

	*summary = (struct measure_summary){
		.elapsed = elapsed,
		/* The calibrated cost of the last break may reach beyond
		 * `now`. */
		.overhead = held < elapsed ? held : elapsed,
		.added_overhead = (uint64_t)llrint(overhead->sum),
		.breaks = measure->breaks,
		.passed = measure->passed,
		.followed = measure->followed,
		.followed_int3 = measure->followed_int3,
		.compensated = measure->compensation,
	};
	for (size_t i = 0; i < HIT_MECHANISMS; i++)
		summary->calibration[i] = measure->calibration[i];
	summary_finish(summary);
}

static void zero_counters(struct measure *measure, uint64_t now)
{
	measure->zero = stopwatch_at(&measure->watch, now);
	overhead_zero(&measure->overhead, (double)measure->zero);
	measure->breaks = measure->passed = 0;
	measure->followed = measure->followed_int3 = 0;
	measure->last = (struct measure_summary){0};
}

void measure_initialize(struct measure *measure, uint64_t now)
{
	clear_tables(measure);
	forget_threads(measure);
	zero_counters(measure, now);
}

static void zero_node(struct node *at)
{
	struct measure_node *node = &at->public;

	at->last_count = at->last_errors = 0;
	node->count = node->errors = 0;
	free(node->first_error);
	node->first_error = NULL;
	if (node->histogram)
		histogram_zero(node->histogram);
	if (node->split)
		split_zero(split_of(node->split));
}

static void zero_leg(struct measure *measure, struct leg *own)
{
	struct measure_leg *leg = &own->public;

	forget_past(&own->past);
	forget_shares(measure, own);
	histogram_zero(leg->record);
	if (leg->histogram)
		histogram_zero(leg->histogram);
	if (leg->split)
		split_zero(split_of(leg->split));
	clear_slowest(&leg->slowest);
	*leg = (struct measure_leg){
		.id = leg->id,
		.spec = leg->spec,
		.record = leg->record,
		.histogram = leg->histogram,
		.split = leg->split,
		.slowest = leg->slowest,
	};
}

void measure_zero(struct measure *measure, uint64_t now)
{
	discard_all(measure);
	for (size_t i = 0; i < measure->nodes.count; i++)
		zero_node(measure->nodes.data[i]);
	for (size_t i = 0; i < measure->legs.count; i++)
		zero_leg(measure, measure->legs.data[i]);
	zero_counters(measure, now);
}
