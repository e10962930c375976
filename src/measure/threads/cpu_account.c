/*
 * cpu_account.c - how long each thread is on a CPU, as its context switches
 * show
 *
 * A thread that the tool holds for a break is off its CPU. So a thread's own
 * waiting is the time for which it is off its CPU, less two parts that are the
 * tool's doing: all the time that the thread was held, and the part of the
 * calibrated cost of its breaks that it spends on no CPU. (It spends the other
 * part on a CPU: the way into the kernel until it is off, and the way back.)
 *
 * Where the kernel has told when the thread was taken off its CPU for a break,
 * and when it was given one again, the thread is held for all that time, and
 * waits for nothing. Where only the tool knows of the break, the time for which
 * the tool or the thread waited for a CPU then is waiting.
 *
 * Rule: doc/RULES.md, "Time". See also doc/INTERNALS.md, "Time on the CPU".
 */
#include "perftool/measure/thread_counts.h"
#include "threads.h"

static void begin_epoch(struct measure *measure, struct cpu_account *cpu)
{
	if (!++measure->last_epoch)
		measure->last_epoch = 1;
	cpu->epoch = measure->last_epoch;
}

void begin_epochs(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		if (thread->cpu.epoch)
			begin_epoch(measure, &thread->cpu);
}

static void set_state(struct measure *measure, struct cpu_account *cpu,
		      uint64_t time, bool on)
{
	int64_t at = stopwatch_at(&measure->watch, time);

	if (cpu->is_off && on && at > cpu->since)
		cpu->waited += (double)(at - cpu->since);
	cpu->is_off = !on;
	cpu->since = at;
}

void measure_watch(struct measure *measure, uint32_t thread, int32_t pid,
		   uint64_t time)
{
	struct thread *at = find_thread(measure, thread);

	if (!at)
		at = create_thread(measure, thread, pid);
	at->cpu.is_watched = true;
	at->cpu.is_off = false;
	set_state(measure, &at->cpu, time, false);
	begin_epoch(measure, &at->cpu);
	note_moment(measure, at, time);
}

void measure_switch(struct measure *measure, uint32_t thread, uint64_t time,
		    bool on)
{
	struct thread *at = find_thread(measure, thread);

	if (!at || !at->cpu.is_watched)
		return;
	if (!at->cpu.epoch || at->cpu.is_off != on)
		/* A switch is missing, or was lost: it is not known since when
		 * the thread has been on or off a CPU. */
		begin_epoch(measure, &at->cpu);
	set_state(measure, &at->cpu, time, on);
	if (on)
		note_moment(measure, at, time);
}

void measure_switches_lost(struct measure *measure, uint32_t thread)
{
	struct thread *at = find_thread(measure, thread);

	if (!at)
		return;
	at->cpu.epoch = 0;
	if (at->history.count)
		at->history.data[at->history.count - 1].epoch = 0;
}

void share_cost(struct measure *measure)
{
	double whole = measure->calibration[HIT_INT3].cost;

	measure->wait_share =
		whole > measure->cpu_cost ? 1 - measure->cpu_cost / whole : 0;
}

void measure_set_cpu_cost(struct measure *measure, double cost)
{
	measure->cpu_cost = cost;
	measure->has_cpu_cost = true;
	share_cost(measure);
}
