/*
 * tool_ticks.c - ticks that the tool takes itself, of threads that run, where
 * the kernel does not take them
 *
 * The tool looks how much CPU time a thread has used, and stops it for a moment
 * when a tick has fallen due. A thread cannot use more CPU time than passes, so
 * the tool need not look at it again before that much time has passed. A thread
 * that does not run is looked at less and less often, until it runs again.
 */
#include "perftool/target/target_events.h"
#include "sampler_state.h"
#include "thread_proc.h"

/* The tool looks no sooner than after this time, in ns: the kernel's own
 * bookkeeping is not finer. */
#define LEAST_PAUSE 500000
/* A thread that does not run is looked at after so many periods, at most. */
#define MOST_IDLE 8

static bool read_cpu(const struct watched *watched,
		     const struct process *process, uint64_t *cpu)
{
	return thread_proc_cpu(watched->pid, watched->tid,
			       process->threads.count == 1, cpu, NULL);
}

static void set_alarm(struct sampler *sampler, uint64_t time)
{
	sampler->next_tick = time;
	target_set_alarm(sampler->target, sampler, time);
}

void tool_ticks_begin(struct sampler *sampler, struct watched *watched)
{
	uint64_t now = clock_now(sampler->clock);
	struct process *process =
		target_find_process(sampler->target, watched->pid);

	watched->mode = WATCH_TOOL;
	watched->period = sampler_period(sampler);
	watched->count = 0;
	if (process)
		read_cpu(watched, process, &watched->count);
	watched->due = watched->count + sampler_first_period(sampler);
	watched->next_look = now + watched->due - watched->count;
	if (!sampler->next_tick || sampler->next_tick > watched->next_look)
		set_alarm(sampler, watched->next_look);
}

/* A tick has fallen due. */
static void take(struct sampler *sampler, struct watched *watched,
		 struct thread *thread, uint64_t cpu, uint64_t now)
{
	uint64_t late = cpu - watched->due;
	struct error *error;

	sampler->account.missed += late / watched->period;
	late %= watched->period;
	if (watched->purpose == GLANCE_NONE) {
		watched->purpose = GLANCE_TICK;
		watched->asked_at = now;
		watched->asked_late = late;
		watched->is_delayed = false;
		error = sampler_ask(sampler, thread);
		if (error)
			watched->purpose = GLANCE_NONE;
		error_destroy(error);
	} else {
		sampler->account.missed++;
	}
	watched->period = sampler_period(sampler);
	watched->due = cpu - late + watched->period;
}

/* Look at one thread. */
static void look(struct sampler *sampler, struct watched *watched, uint64_t now)
{
	struct thread *thread =
		target_find_thread(sampler->target, watched->tid);
	uint64_t cpu, left;

	watched->next_look = now + watched->period * MOST_IDLE;
	if (!thread || thread->serial != watched->serial ||
	    target_is_dead_leader(thread) ||
	    !read_cpu(watched, thread->process, &cpu))
		return;
	watched->idle = cpu == watched->count ? watched->idle + 1 : 0;
	watched->count = cpu;
	if (cpu >= watched->due)
		take(sampler, watched, thread, cpu, now);
	left = watched->due > cpu ? watched->due - cpu : 0;
	if (watched->idle)
		left += watched->period *
			(watched->idle < MOST_IDLE ? watched->idle : MOST_IDLE);
	watched->next_look = now + (left < LEAST_PAUSE ? LEAST_PAUSE : left);
}

void tool_ticks_take(struct sampler *sampler)
{
	uint64_t now = clock_now(sampler->clock), next = UINT64_MAX;

	if (now < sampler->next_tick)
		return;
	sampler->account.wakeups++;
	for (size_t i = 0; i < sampler->threads.count; i++) {
		struct watched *watched = sampler->threads.data[i];

		if (watched->mode != WATCH_TOOL)
			continue;
		if (watched->next_look <= now)
			look(sampler, watched, now);
		if (watched->next_look < next)
			next = watched->next_look;
	}
	set_alarm(sampler, next);
	if (next == UINT64_MAX)
		sampler->next_tick = 0;
}
