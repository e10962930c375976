/*
 * monotonic.h - the time since the machine started, for waits and limits, and
 * the times of other clocks of the kernel
 */
#ifndef PERFTOOL_BASE_MONOTONIC_H
#define PERFTOOL_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* The time of a clock in ns. Returns 0 if the clock does not exist, for example
 * because it belongs to a process that has ended. */
static inline uint64_t nanoseconds_of(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The time of CLOCK_MONOTONIC in ns. */
static inline uint64_t monotonic_now(void)
{
	return nanoseconds_of(CLOCK_MONOTONIC);
}

#endif
