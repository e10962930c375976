/*
 * context_switches.c - when the measured threads were on a CPU
 *
 * The kernel writes a log of the context switches of each thread that may make
 * hits. The tool reports the switches together with the hits: everything that a
 * thread has done before a hit of its own is reported before that hit. There is
 * no such order between threads.
 *
 * When a thread stops at an int3, it switches off its CPU; that switch is
 * reported. Until the tool lets the thread go on, the thread may execute for
 * the tool (a calibration, a remote call). Switches in this time are not
 * reported, so that the thread counts as off its CPU for the whole stop. The
 * stop also costs the thread time before and after that, and a calibration
 * finds in the log for how much of this cost the thread was on a CPU. This part
 * of the cost is contained in the thread's time on the CPU; the rest is
 * contained in the thread's waiting.
 */
#include "context_switches.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/target/target_events.h"
#include "probe/arrival/arrival.h"
#include "probe/probe_state.h"
#include "rings.h"

/* The size of a log, in pages: at most MANY_PAGES, and less if many threads
 * have a log, because the memory that all logs together may lock is limited
 * (TOGETHER). */
#define MANY_PAGES 16
#define FEW_PAGES 1
#define TOGETHER 256

/* How often all logs are read while events keep coming, ns. */
#define FEED_INTERVAL 5000000u

/* The tool may see a stop on another CPU before the thread is off its own: it
 * is off at most this much later, ns. */
#define LATEST_OFF 20000u

static size_t log_pages(const struct probe *probe)
{
	size_t pages = MANY_PAGES;

	while (pages > FEW_PAGES &&
	       pages * (probe->switches.watches.count + 1) > TOGETHER)
		pages /= 2;
	return pages;
}

static bool is_open(const struct watch *watch)
{
	return watch->log.page != NULL;
}

static void set_rings_watch(struct thread *thread, struct watch *watch)
{
	struct ring *ring = thread->ring;

	if (ring)
		ring->watch = watch;
}

void switches_watch(struct probe *probe, struct thread *thread)
{
	struct watch *watch = thread->watch;
	struct error *error;

	if (watch)
		set_rings_watch(thread, is_open(watch) ? watch : NULL);
	if (watch || !probe->client.wants_switches(probe->client.context))
		return;
	watch = xcalloc(1, sizeof(*watch));
	watch->holder = (struct holder){thread->serial, thread->process->pid,
					thread->tid};
	watch->thread = thread;
	error = switch_log_open(thread->tid, log_pages(probe), &watch->log);
	thread->watch = watch;
	vec_push(&probe->switches.watches, watch);
	if (!error) {
		set_rings_watch(thread, watch);
		if (!probe->switches.sample_count && probe->costs.sample_count)
			/* From now on a stop at an int3 costs more, because the
			 * kernel logs its switches. */
			cost_invalidate(probe);
		emit(probe,
		     (struct probe_event){.kind = PROBE_EVENT_WATCHED,
					  .holder = &watch->holder,
					  .from = clock_now(probe->clock)});
		if (thread->state == THREAD_RUNNING)
			/* Whether the thread is on a CPU will be known only at
			 * its next switch. */
			emit(probe, (struct probe_event){
					    .kind = PROBE_EVENT_SWITCHES_LOST,
					    .holder = &watch->holder});
	} else if (error_code(error) != ERROR_GONE &&
		   !probe->switches.problem) {
		probe->switches.problem = error;
		error = NULL;
	}
	error_destroy(error);
}

/* ---- reporting switches -------------------------------------------------- */

/* Read the next record of the thread's log, and convert its time to the tool's
 * clock. */
static bool look(struct probe *probe, struct watch *watch)
{
	struct switch_record *next = &watch->next;

	if (watch->has_next)
		return true;
	if (!is_open(watch) || !switch_log_next(&watch->log, next))
		return false;
	if (next->kind != SWITCH_LOST)
		next->time = clock_from_raw(probe->clock, &probe->switches.raw,
					    next->time);
	watch->has_next = true;
	return true;
}

static void tell_switch(struct probe *probe, struct watch *watch, uint64_t time,
			bool on)
{
	watch->off_since = on ? 0 : time;
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_SWITCHED,
					 .holder = &watch->holder,
					 .from = time,
					 .on = on});
}

static void tell(struct probe *probe, struct watch *watch)
{
	const struct switch_record *next = &watch->next;

	if (next->kind == SWITCH_LOST) {
		watch->off_since = 0;
		emit(probe,
		     (struct probe_event){.kind = PROBE_EVENT_SWITCHES_LOST,
					  .holder = &watch->holder});
	} else if (next->time >= watch->held_until) {
		tell_switch(probe, watch, next->time, next->kind == SWITCH_ON);
	}
}

void switches_tell(struct probe *probe, struct watch *watch, uint64_t until)
{
	if (watch->thread && watch->thread == probe->calibration.thread)
		return;
	while (look(probe, watch) && watch->next.time <= until) {
		tell(probe, watch);
		watch->has_next = false;
	}
}

void switches_arrive(struct probe *probe, struct thread *thread)
{
	if (thread->watch)
		switches_tell(probe, thread->watch, UINT64_MAX);
	else
		switches_watch(probe, thread);
}

/* The watch of a thread that may have ended; NULL: there is none. */
static struct watch *watch_of(const struct probe *probe,
			      const struct holder *holder)
{
	struct thread *thread;

	if (!probe->switches.watches.count)
		return NULL;
	thread = target_find_thread(probe->target, holder->tid);
	return thread && thread->serial == holder->serial ? thread->watch
							  : NULL;
}

bool switches_see_stop(struct probe *probe, struct thread *thread,
		       uint64_t *arrival, struct unseen *cost)
{
	struct watch *watch = thread->watch;
	double on = probe->switches.on_cpu;

	if (!watch || !is_open(watch) || thread == probe->calibration.thread)
		return false;
	/* Later switches are those of calls that the thread has made for the
	 * tool. */
	switches_tell(probe, watch, *arrival + LATEST_OFF);
	if (!watch->off_since || on <= 0)
		return false;
	on = probe->costs.is_told ? on - cost->after : on / 2;
	cost->before = on > 0 ? on : 0;
	*arrival = watch->off_since;
	return true;
}

/* Go on to the first switch of the thread that is not before `time`. Those that
 * are before it are not reported. Returns false if there is none yet. */
static bool skip_until(struct probe *probe, struct watch *watch, uint64_t time)
{
	while (look(probe, watch) && watch->next.kind != SWITCH_LOST &&
	       watch->next.time < time)
		watch->has_next = false;
	return watch->has_next && watch->next.kind != SWITCH_LOST;
}

void switches_see_resumption(struct probe *probe, const struct holder *holder,
			     uint64_t *resume, double *after)
{
	struct watch *watch = watch_of(probe, holder);

	if (!watch || !is_open(watch) ||
	    watch->thread == probe->calibration.thread ||
	    !skip_until(probe, watch, *resume) || watch->next.kind != SWITCH_ON)
		return;
	*resume = watch->next.time;
	if (!probe->costs.is_told)
		*after = probe->switches.on_cpu / 2;
}

void switches_resumed(struct probe *probe, const struct holder *holder,
		      uint64_t arrival, uint64_t resume)
{
	struct watch *watch = watch_of(probe, holder);

	if (!watch)
		return;
	switches_tell(probe, watch, arrival);
	watch->held_until = resume;
}

void switches_will_tell(struct probe *probe, struct watch *watch,
			uint64_t arrival)
{
	if (!watch)
		return;
	switches_tell(probe, watch, arrival);
	watch->held_until = UINT64_MAX;
}

void switches_told(struct probe *probe, struct watch *watch, uint64_t time)
{
	if (!watch)
		return;
	watch->held_until = time;
	tell_switch(probe, watch, time, true);
}

void switches_stalled(struct probe *probe, struct watch *watch, uint64_t from,
		      uint64_t to)
{
	if (!watch)
		return;
	switches_tell(probe, watch, from);
	tell_switch(probe, watch, from, false);
	watch->held_until = to;
	switches_tell(probe, watch, to);
	tell_switch(probe, watch, to, true);
}

/* ---- calibration --------------------------------------------------------- */

/* How much of the time from `from` to `to` comes after `moment`. */
static uint64_t time_after(uint64_t moment, uint64_t from, uint64_t to)
{
	if (from < moment)
		from = moment;
	return to > from ? to - from : 0;
}

void on_cpu_add(struct on_cpu *on, const struct switch_record *next)
{
	if (next->kind == SWITCH_ON && !on->since)
		on->since = next->time;
	else if (next->kind == SWITCH_OFF && on->since)
		on->sum += time_after(on->went_on, on->since, next->time);
	else
		on->is_unknown = true;
	if (next->kind != SWITCH_ON)
		on->since = 0;
}

void switches_calibrate(struct probe *probe, bool is_from)
{
	struct watch *watch = probe->calibration.thread->watch;
	struct switches *switches = &probe->switches;
	struct on_cpu on = {.went_on = probe->costs.is_told
					       ? probe->calibration.from_resume
					       : 0};

	if (!watch || !is_open(watch))
		return;
	for (; look(probe, watch); watch->has_next = false)
		on_cpu_add(&on, &watch->next);
	if (!on.is_unknown && on.sum && !is_from)
		switches->samples[switches->sample_count++ %
				  CALIBRATION_WINDOW] = (double)on.sum;
}

bool switches_calibrated(const struct probe *probe, double *cost)
{
	double spread;

	return cost_summarise(probe->switches.samples,
			      probe->switches.sample_count, cost, &spread);
}

/* ---- threads ------------------------------------------------------------- */

static void destroy(struct probe *probe, struct watch *watch)
{
	for (size_t i = 0; i < probe->rings.list.count; i++)
		if (probe->rings.list.data[i]->watch == watch)
			probe->rings.list.data[i]->watch = NULL;
	perf_log_close(&watch->log);
	free(watch);
}

static void forget_all(struct probe *probe)
{
	struct watch_list *watches = &probe->switches.watches;

	for (size_t i = 0; i < watches->count; i++) {
		struct watch *watch = watches->data[i];

		if (is_open(watch))
			emit(probe, (struct probe_event){
					    .kind = PROBE_EVENT_SWITCHES_LOST,
					    .holder = &watch->holder});
		if (watch->thread)
			watch->thread->watch = NULL;
		destroy(probe, watch);
	}
	vec_clear(watches);
	error_destroy(probe->switches.problem);
	probe->switches.problem = NULL;
}

void switches_watch_all(struct probe *probe)
{
	if (!probe->client.wants_switches(probe->client.context)) {
		if (probe->switches.watches.count) {
			forget_all(probe);
			/* From now on a stop at an int3 costs less. */
			cost_invalidate(probe);
		}
		return;
	}
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct thread *thread = probe->rings.list.data[i]->thread;

		if (thread && !thread->watch)
			switches_watch(probe, thread);
	}
}

static void tell_some(struct probe *probe, struct watch *watch)
{
	struct ring *ring = watch->thread ? watch->thread->ring : NULL;

	switches_tell(probe, watch,
		      ring ? ring_told_until(probe, ring) : UINT64_MAX);
}

void switches_tell_all(struct probe *probe, const struct event *event)
{
	struct switches *switches = &probe->switches;

	if ((event->kind == EVENT_THREAD_GONE || event->kind == EVENT_EXEC) &&
	    event->thread->watch)
		tell_some(probe, event->thread->watch);
	if (event->kind != EVENT_NONE && event->kind != EVENT_ALL_STOPPED &&
	    event->kind != EVENT_PROCESS_GONE &&
	    event->time < switches->last_feed + FEED_INTERVAL)
		return;
	switches->last_feed = event->time;
	if (event->kind == EVENT_NONE)
		switches_watch_all(probe);
	for (size_t i = 0; i < switches->watches.count; i++)
		tell_some(probe, switches->watches.data[i]);
}

void switches_orphan(struct probe *probe, const struct process *process)
{
	struct watch_list *watches = &probe->switches.watches;

	for (size_t i = 0; i < watches->count; i++)
		if (watches->data[i]->holder.pid == process->pid)
			watches->data[i]->thread = NULL;
}

void switches_forget(struct probe *probe, struct thread *thread)
{
	struct watch_list *watches = &probe->switches.watches;

	for (size_t i = 0; thread->watch && i < watches->count; i++) {
		if (watches->data[i] != thread->watch)
			continue;
		destroy(probe, watches->data[i]);
		vec_remove(watches, i);
		thread->watch = NULL;
	}
}

void switches_forget_process(struct probe *probe, struct process *process)
{
	struct watch_list *watches = &probe->switches.watches;

	for (size_t i = watches->count; i-- > 0;) {
		if (watches->data[i]->holder.pid != process->pid)
			continue;
		destroy(probe, watches->data[i]);
		vec_remove(watches, i);
	}
	for (size_t i = 0; i < process->threads.count; i++)
		process->threads.data[i]->watch = NULL;
}

void switches_free(struct probe *probe)
{
	forget_all(probe);
	vec_free(&probe->switches.watches);
}

void probe_switches_changed(struct probe *probe)
{
	switches_watch_all(probe);
}

const char *probe_switches_problem(const struct probe *probe)
{
	return probe->switches.problem ? error_message(probe->switches.problem)
				       : NULL;
}
