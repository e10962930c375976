/*
 * tick_periods.c - when the kernel's ticks of a thread fall due
 *
 * A tick falls due when the thread has used a period of CPU time (the event
 * task-clock). Each record has the CPU time by which the kernel counts, so it
 * shows how late a tick was, and how many were left out. After each tick that
 * the tool sees it sets another period, so that the ticks keep no step with the
 * program's own timers.
 *
 * The new period begins when the last tick fell due. For the kernel it begins
 * when it is set, which is later by the time that the tool takes, as far as the
 * thread has had a CPU in this time. How much that is shows at the next tick,
 * so the tool goes by what it was at the last ticks.
 */
#include <sys/ioctl.h>

#include "sampler_state.h"

/* The least time after which the first tick comes, in ns. The kernel repeats it
 * until the tool has set another period. */
#define LEAST_FIRST 20000
/* The latency of the tool is learned from so many ticks. */
#define LEARNING 8

static uint64_t mean_period(const struct sampler *sampler)
{
	return (uint64_t)(1e9 / sampler->how.rate);
}

void tick_periods_begin(struct sampler *sampler, struct watched *watched)
{
	watched->period = sampler_period(sampler);
	watched->due = sampler_first_period(sampler);
	watched->kernel_period =
		watched->due > LEAST_FIRST ? watched->due : LEAST_FIRST;
}

bool tick_periods_judge(struct sampler *sampler, struct watched *watched,
			uint64_t count, uint64_t *out)
{
	uint64_t passed = count - watched->count, late = 0;
	uint64_t missed = 0, excess, early, lost;
	bool is_short;

	excess = passed > watched->kernel_period
			 ? passed - watched->kernel_period
			 : 0;
	if (excess > watched->period / 2)
		excess = watched->period / 2;
	watched->latency += ((int64_t)excess - watched->latency) / LEARNING;
	watched->count = count;
	/* Repetitions may be lost, too, but they are none of the ticks. */
	lost = passed / watched->period;
	if (lost > watched->lost)
		lost = watched->lost;
	watched->lost = 0;
	sampler->account.lost += lost;
	/* The tool's guess of its own latency makes a tick come early. */
	early = watched->repeats ? 0 : watched->period / 2;
	watched->repeats = true;
	is_short = watched->kernel_period < watched->period / 2;
	if (is_short && count + early < watched->due)
		return false;
	if (count > watched->due) {
		late = count - watched->due;
		missed = late / mean_period(sampler);
		late %= mean_period(sampler);
		watched->due = count - late;
	}
	/* those that the kernel had no room for were taken */
	missed -= missed < lost ? missed : lost;
	sampler->account.missed += missed;
	watched->step = is_short ? watched->period : watched->kernel_period;
	watched->due += watched->step;
	*out = late;
	return true;
}

void tick_periods_next(struct sampler *sampler, struct watched *watched)
{
	uint64_t due = watched->due - watched->step, period, left;

	period = sampler_period(sampler);
	due += period;
	left = due - watched->count - (uint64_t)watched->latency;
	if (due < watched->count + (uint64_t)watched->latency ||
	    left < period / 4)
		left = period / 4;
	if (!watched->log.has_file ||
	    ioctl(watched->log.file, PERF_EVENT_IOC_PERIOD, &left) != 0)
		return;
	watched->period = watched->step = period;
	watched->kernel_period = left;
	watched->repeats = false;
	watched->due = due;
}
