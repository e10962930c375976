/*
 * cpu.c - each thread's time on a CPU, as its context switches tell
 *
 * The time on a CPU is what has passed less the time off it, which stands still
 * while the thread is off; so it does not matter how long the tool holds a
 * thread, and from when on it knows of it. It matters what a thread spends on a
 * CPU for a break: the way into the kernel until it is off, and the way back.
 */
#include "internal.h"

static void begin_epoch(struct measure *measure, struct cpu_account *cpu)
{
	if (!++measure->last_epoch)
		measure->last_epoch = 1;
	cpu->epoch = measure->last_epoch;
}

static void set_state(struct measure *measure, struct cpu_account *cpu,
		      uint64_t time, bool on)
{
	int64_t at = stopwatch_at(&measure->watch, time);

	if (cpu->is_off && on && at > cpu->since)
		cpu->off += at - cpu->since;
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
}

void measure_switch(struct measure *measure, uint32_t thread, uint64_t time,
		    bool on)
{
	struct thread *at = find_thread(measure, thread);

	if (!at || !at->cpu.is_watched)
		return;
	if (!at->cpu.epoch || at->cpu.is_off != on)
		/* it is not known since when it has been so */
		begin_epoch(measure, &at->cpu);
	set_state(measure, &at->cpu, time, on);
}

void measure_switches_lost(struct measure *measure, uint32_t thread)
{
	struct thread *at = find_thread(measure, thread);

	if (at)
		at->cpu.epoch = 0;
}

void measure_set_cpu_cost(struct measure *measure, double cost)
{
	double whole = measure->calibration[HIT_INT3].cost;

	measure->cpu_share[HIT_INT3] = whole > 0 ? cost / whole : 0;
}
