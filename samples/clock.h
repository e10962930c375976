/*
 * clock.h - the clock of the samples
 *
 * The samples print what they know about their own work: how many calls there
 * were, and how long these took. perftool should find the same figures.
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

/* Keeps the processor busy until the time `end`. Returns the present time. */
static inline uint64_t busy_until(uint64_t end)
{
	uint64_t now;

	do
		now = now_ns();
	while (now < end);
	return now;
}

#endif
