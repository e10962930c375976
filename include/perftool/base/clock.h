/*
 * clock.h - the tool's clock, in nanoseconds
 *
 * The source is the invariant time-stamp counter where the kernel itself
 * trusts it (it is the current clock source), else CLOCK_MONOTONIC_RAW.
 * Rule: spec of measurement, "Time".
 */
#ifndef PERFTOOL_BASE_CLOCK_H
#define PERFTOOL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

struct clock {
	bool tsc;          /* else CLOCK_MONOTONIC_RAW */
	uint64_t tsc_base; /* counter at clock_init() */
	uint64_t ns_base;  /* CLOCK_MONOTONIC_RAW at clock_init() */
	uint64_t mult;     /* ns per tick, times 2^32; 0: not settled yet */
	double resolution; /* ns between two readings that can differ */
};

/* Choose the source and take the first pair of readings. */
void clock_init(struct clock *clock);

/*
 * Settle the rate of the counter, from the time that went by since
 * clock_init(); waits until that is 8 ms, which keeps the rate's error below
 * some parts in a million. Needed once before the first clock_now().
 */
void clock_settle(struct clock *clock);

/* Counter ticks to ns since clock_init(). */
static inline uint64_t clock_from_tsc(const struct clock *clock, uint64_t tsc)
{
	unsigned __int128 ticks = tsc - clock->tsc_base;

	return (uint64_t)((ticks * clock->mult) >> 32);
}

/* And back: a counter at which that is the time, or a little earlier. */
static inline uint64_t clock_to_tsc(const struct clock *clock, uint64_t ns)
{
	return clock->tsc_base +
	       (uint64_t)(((unsigned __int128)ns << 32) / clock->mult);
}

/* The time now, ns since clock_init(); never goes back within a thread. */
static inline uint64_t clock_now(const struct clock *clock)
{
	struct timespec now;

	if (clock->tsc)
		return clock_from_tsc(clock, __rdtsc());
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec -
	       clock->ns_base;
}

/*
 * Readings of CLOCK_MONOTONIC_RAW of late as times of the tool's clock, to some
 * tens of ns. A pair of readings of both is kept, and taken anew now and then;
 * all zero: there is none yet. The clock must be settled.
 */
struct clock_raw {
	uint64_t raw, ns; /* at the same moment */
};
uint64_t clock_from_raw(const struct clock *clock, struct clock_raw *pair,
			uint64_t raw);

/* "tsc" or "monotonic_raw". */
const char *clock_source(const struct clock *clock);

#endif
