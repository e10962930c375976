/*
 * log_readings.c - when the logs of ticks are read
 *
 * A kernel that is asked for signals sends one at each record, and the tool
 * then takes a CPU at each tick: that costs the program several times as much
 * as the record itself. So the kernel sends a signal only for the first record
 * after a time without any. From then on the tool reads the log by its own
 * clock, so often that a part of it fills up meanwhile. When some readings in a
 * row have found nothing, the tool asks for signals again. A program that does
 * not run thus does not wake the tool up.
 *
 * The tool is woken up at each tick of a thread of which it does not know yet
 * how much of the stack is to be copied, because the rest is read from the
 * thread; of a thread that is stopped at each tick; and where the log is too
 * small.
 */
#include "perftool/target/target_events.h"
#include "sampler_state.h"

/* The part of a log that may fill up between two readings, and the least number
 * of records in it for which readings by the clock are worth while. */
#define PART 4
#define LEAST_RECORDS 3
/* The logs are not read more and not less often than this, in ns. The longest
 * pause is that of an event loop that has nothing to do. */
#define LEAST_PAUSE 500000.0
#define MOST_PAUSE 100000000.0
/* After so many readings that find nothing, the kernel sends signals again. */
#define QUIET 3

static uint64_t records_of(const struct watched *watched)
{
	return watched->log.size / PART / kernel_log_record(watched);
}

/* How long a part of the log lasts if ticks are as frequent as they may be. */
static double pause_of(const struct sampler *sampler,
		       const struct watched *watched)
{
	return (double)records_of(watched) * SHORTEST_PERIOD * 1e9 /
	       sampler->how.rate;
}

/* Set the time of the next reading, or one that is sooner. */
static void set_reading(struct sampler *sampler, double pause)
{
	uint64_t time = clock_now(sampler->clock) +
			(uint64_t)(pause < MOST_PAUSE ? pause : MOST_PAUSE);

	if (sampler->next_reading && sampler->next_reading <= time)
		return;
	sampler->next_reading = time;
	target_set_alarm(sampler->target, &sampler->next_reading, time);
}

static void read_by_clock(struct sampler *sampler, struct watched *watched)
{
	double pause = pause_of(sampler, watched);

	if (watched->mode != WATCH_COPIES || !watched->is_settled ||
	    records_of(watched) < LEAST_RECORDS || pause < LEAST_PAUSE ||
	    !perf_log_set_wakes(&watched->log, false))
		return;
	watched->is_read_by_clock = true;
	watched->quiet = 0;
	set_reading(sampler, pause);
}

static void read_by_signal(struct sampler *sampler, struct watched *watched)
{
	watched->is_read_by_clock = false;
	if (!perf_log_set_wakes(&watched->log, true) ||
	    perf_log_has_record(&watched->log))
		read_by_clock(sampler, watched);
}

void log_readings_note(struct sampler *sampler, struct watched *watched,
		       bool has_records)
{
	if (!has_records)
		return;
	watched->was_found = true;
	if (!watched->is_read_by_clock)
		read_by_clock(sampler, watched);
	else if (!watched->is_settled)
		read_by_signal(sampler, watched);
}

bool log_readings_are_due(const struct sampler *sampler)
{
	return sampler->next_reading &&
	       clock_now(sampler->clock) >= sampler->next_reading;
}

void log_readings_next(struct sampler *sampler)
{
	double pause = MOST_PAUSE, own;
	bool is_needed = false;

	sampler->next_reading = 0;
	for (size_t i = 0; i < sampler->threads.count; i++) {
		struct watched *watched = sampler->threads.data[i];

		if (!watched->is_read_by_clock)
			continue;
		watched->quiet = watched->was_found ? 0 : watched->quiet + 1;
		watched->was_found = false;
		if (watched->quiet >= QUIET)
			read_by_signal(sampler, watched);
		if (!watched->is_read_by_clock)
			continue;
		is_needed = true;
		own = pause_of(sampler, watched);
		pause = own < pause ? own : pause;
	}
	if (is_needed)
		set_reading(sampler, pause);
	else
		target_set_alarm(sampler->target, &sampler->next_reading,
				 UINT64_MAX);
}
