/*
 * readings.h - the readings of many sensors, and what is told of them
 *
 * A sensor that is silent reads 0: three of four are.
 */
#ifndef READINGS_H
#define READINGS_H

#include <stdint.h>
#include <stdio.h>

enum { SENSORS = 6000, DAYS = 200, STEPS = 24 };

static unsigned readings[SENSORS];

static void read_sensors(unsigned day)
{
	for (unsigned i = 0; i < SENSORS; i++)
		readings[i] = i % 4 ? 0 : 1 + (i * 7919 + day * 104729) % 65536;
}

static void tell(uint64_t sum)
{
	printf("%d days, sum %llu\n", DAYS, (unsigned long long)sum);
}

#endif
