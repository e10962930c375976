/*
 * monotonic.h - the time since the machine started, for waits and limits; and
 * what other clocks of the kernel say
 */
#ifndef PERFTOOL_BASE_MONOTONIC_H
#define PERFTOOL_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Of a clock, in ns; 0: there is no such clock, for a process has ended. */
static inline uint64_t nanoseconds_of(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t monotonic_now(void)
{
	return nanoseconds_of(CLOCK_MONOTONIC);
}

#endif
