/*
 * tally_mask.c - the first change: bits instead of divisions
 */
#include "readings.h"

/* Smooths each reading, and adds up what comes out. */
uint64_t tally(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SENSORS; i++) {
		uint64_t smooth = readings[i];

		for (unsigned step = 0; step < STEPS; step++)
			smooth = smooth * (readings[i] & 1023) >> 3;
		sum += smooth;
	}
	return sum;
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned day = 0; day < DAYS; day++) {
		read_sensors(day);
		sum += tally();
	}
	tell(sum);
	return 0;
}
