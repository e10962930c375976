/*
 * tick_periods.c - when the kernel's ticks of a thread fall due
 *
 * A tick falls due when the thread has used a period of CPU time (the event
 * task-clock). Each record has the CPU time by which the kernel counts, so it
 * shows how late a tick was, and how many have no record. The kernel repeats a
 * period until the tool sets another. The tool does that after some ticks, so
 * that they keep no step with the program's own timers.
 *
 * When a period is set, it begins anew. The part of the old one that has passed
 * is in no tick. The tool makes up for it by the length of later periods, so a
 * thread has as many ticks as there are mean periods in its CPU time.
 *
 * The tool reads the records later. Some of them may be of the old period,
 * although the new one has been set, so both are kept.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "sampler_state.h"

/* The least time after which the first tick comes, in ns. */
#define LEAST_FIRST 20000
/* At least so many ticks in a row have the same period. */
#define TICKS_OF_A_PERIOD 8
/* What is missing, or too much, is spread over so many times as many ticks as
 * the last period had. */
#define DAMPING 2

static double mean_period(const struct sampler *sampler)
{
	return 1e9 / sampler->how.rate;
}

static bool read_count(const struct watched *watched, uint64_t *count)
{
	return watched->log.has_file &&
	       read(watched->log.file, count, sizeof(*count)) == sizeof(*count);
}

/* Have the first tick come after `first` ns. */
static void begin(struct sampler *sampler, struct watched *watched,
		  uint64_t first)
{
	struct tick_schedule *now = &watched->now;

	if (first < LEAST_FIRST)
		first = LEAST_FIRST;
	watched->period = sampler_period(sampler);
	*now = (struct tick_schedule){.kernel_period = first, .due = first};
	now->is_short = (double)first < SHORTEST_PERIOD * mean_period(sampler);
	if (!now->is_short)
		watched->period = first;
	now->step = watched->period;
	watched->set_at = watched->last_tick = watched->gap = watched->lost = 0;
	watched->same_period = 0;
	watched->before.is_short = watched->was_full = false;
}

void tick_periods_begin(struct sampler *sampler, struct watched *watched)
{
	begin(sampler, watched, sampler_first_period(sampler));
	/* A thread is owed no tick for the time before the first one. */
	watched->surplus = (double)watched->now.due / mean_period(sampler) - 1;
}

/* How many ticks have fallen due by this CPU time, from the next one on? */
static uint64_t count_due(const struct tick_schedule *schedule, uint64_t time)
{
	return time < schedule->due
		       ? 0
		       : (time - schedule->due) / schedule->step + 1;
}

void tick_periods_end(struct sampler *sampler, struct watched *watched)
{
	uint64_t time, lost = watched->lost, due;

	if (!read_count(watched, &time))
		time = watched->last_tick;
	due = watched->gap + count_due(&watched->now, time);
	if (watched->was_full || lost > due)
		lost = due;
	sampler->account.lost += lost;
	sampler->account.missed += due - lost;
	watched->surplus += (double)due - (double)time / mean_period(sampler);
	watched->now.due += watched->now.step * count_due(&watched->now, time);
	watched->left = watched->now.due - time;
}

void tick_periods_again(struct sampler *sampler, struct watched *watched)
{
	begin(sampler, watched, watched->left);
}

/* Judges a tick by a schedule: see tick_periods_judge(). `*unrecorded` is how
 * many ticks fell due before it of which there is no record. */
static bool judge(struct tick_schedule *schedule, uint64_t count,
		  uint64_t *unrecorded, uint64_t *late)
{
	uint64_t over = count > schedule->due ? count - schedule->due : 0;

	if (schedule->is_short && schedule->has_ticked && count < schedule->due)
		return false;
	*unrecorded = over / schedule->step;
	*late = over % schedule->step;
	schedule->due = count - *late + schedule->step;
	/* A repetition of a short period comes when it comes. */
	if (schedule->is_short)
		*late %= schedule->kernel_period;
	schedule->has_ticked = true;
	return true;
}

/* Counts the ticks without a record: those for which the kernel had no room,
 * and the others. */
static void count_unrecorded(struct sampler *sampler, struct watched *watched,
			     uint64_t count)
{
	uint64_t lost = watched->lost;

	/* Repetitions may be lost, too, but they are none of the ticks. */
	if (lost > count && (watched->now.is_short || watched->before.is_short))
		lost = count;
	if (lost > count)
		count = lost;
	sampler->account.lost += lost;
	sampler->account.missed += count - lost;
	watched->surplus += (double)count;
	watched->lost = watched->gap = 0;
	watched->was_full = false;
}

bool tick_periods_judge(struct sampler *sampler, struct watched *watched,
			uint64_t count, uint64_t *out)
{
	uint64_t unrecorded;

	if (count < watched->set_at) {
		if (!judge(&watched->before, count, &unrecorded, out))
			return false;
		watched->gap -= watched->gap > 0;
	} else {
		if (!judge(&watched->now, count, &unrecorded, out))
			return false;
		count_unrecorded(sampler, watched, watched->gap + unrecorded);
		watched->before.is_short = false;
	}
	watched->surplus++;
	watched->same_period++;
	watched->last_tick = count;
	return true;
}

/* The next period, in ns. */
static uint64_t choose(struct sampler *sampler, const struct watched *watched)
{
	const double mean = mean_period(sampler);
	double ticks = watched->same_period > TICKS_OF_A_PERIOD
			       ? watched->same_period
			       : TICKS_OF_A_PERIOD;
	double owed = (double)watched->last_tick / mean - watched->surplus -
		      (double)watched->gap;
	double period = (double)sampler_period(sampler) -
			owed * mean / (DAMPING * ticks);

	if (period < SHORTEST_PERIOD * mean)
		period = SHORTEST_PERIOD * mean;
	if (period > LONGEST_PERIOD * mean)
		period = LONGEST_PERIOD * mean;
	return (uint64_t)period;
}

static void set_period(struct watched *watched, uint64_t period)
{
	uint64_t time;

	if (!watched->log.has_file ||
	    ioctl(watched->log.file, PERF_EVENT_IOC_PERIOD, &period) != 0 ||
	    !read_count(watched, &time))
		return;
	watched->gap += count_due(&watched->now, time);
	watched->before = watched->now;
	watched->now = (struct tick_schedule){
		.kernel_period = period, .step = period, .due = time + period};
	watched->set_at = time;
	watched->same_period = 0;
	watched->period = period;
}

void tick_periods_fix(const struct sampler *sampler, struct watched *watched)
{
	if (watched->now.is_short)
		set_period(watched, (uint64_t)mean_period(sampler));
}

void tick_periods_next(struct sampler *sampler, struct watched *watched)
{
	if (watched->now.is_short || watched->same_period >= TICKS_OF_A_PERIOD)
		set_period(watched, choose(sampler, watched));
}
