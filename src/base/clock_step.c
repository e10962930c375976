/*
 * clock_step.c - by how much the processor's counter proceeds at once
 *
 * On some processors the counter does not proceed by one at each tick, but, for
 * example, by 26 each 10 ns. Two readings that are closer together are equal,
 * or differ by one.
 */
#include "perftool/base/clock.h"

#define MOST_STEP 256
/* A smaller step cannot be told from none: each number is near a multiple. */
#define LEAST_STEP 8
#define READINGS 512

static bool is_near_multiple(uint64_t number, unsigned step)
{
	uint64_t rest = number % step;

	return rest <= 1 || rest == step - 1;
}

unsigned clock_find_step(const uint64_t *differences, size_t count)
{
	for (unsigned step = MOST_STEP; step >= LEAST_STEP; step--) {
		size_t near = 0, large = 0;

		for (size_t i = 0; i < count; i++) {
			near += is_near_multiple(differences[i], step);
			large += differences[i] > step + 1;
		}
		/* (A few differences contain an interrupt. Where nearly all are
		 * smaller than the step, they say nothing about it.) */
		if (near >= count - count / 16 && large >= count / 8)
			return step;
	}
	return 1;
}

unsigned clock_read_step(void)
{
	uint64_t differences[READINGS], last = clock_read_tsc();

	for (size_t i = 0; i < READINGS; i++) {
		uint64_t now;

		/* If all readings were equally far apart, this distance would
		 * look like a step. */
		for (volatile size_t wait = i % 32 * 8; wait; wait--)
			;
		now = clock_read_tsc();
		differences[i] = now - last;
		last = now;
	}
	return clock_find_step(differences, READINGS);
}
