/*
 * tally_skip.c - the second change: nothing is done for silent sensors
 */
#include "readings.h"

/* Smooths each reading, and adds up what comes out. */
uint64_t tally(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < SENSORS; i++) {
		uint64_t smooth = readings[i];

		if (smooth == 0)
			continue;
		for (unsigned step = 0; step < STEPS; step++)
			smooth = smooth * (readings[i] % 1024) / 8;
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
