/*
 * clock.h - time as the samples keep it themselves
 *
 * The samples print what they know about their own work: how many calls, and
 * how long. What they print is what perftool is to find.
 */
#ifndef SAMPLES_CLOCK_H
#define SAMPLES_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Be busy until `end`; returns the time it is then. */
static inline uint64_t busy_until(uint64_t end)
{
	uint64_t now;

	do
		now = now_ns();
	while (now < end);
	return now;
}

#endif
