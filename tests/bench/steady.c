/*
 * steady.c - a program that calls a function of some 10 us all the time
 *
 * usage: steady CALLS
 *
 * Prints the ns that passed, of which everything is a part that slows the
 * program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 10000

static volatile unsigned long sink;

__attribute__((noinline)) void turn(void)
{
	unsigned long a = 1;

	for (unsigned long i = 0; i < STEPS; i++)
		a = a * 6364136223846793005 + i;
	sink += a;
}

int main(int argc, char **argv)
{
	unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (unsigned long i = 0; i < calls; i++)
		turn();
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("ns %.0f\n", (double)(end.tv_sec - begin.tv_sec) * 1e9 +
				    (double)(end.tv_nsec - begin.tv_nsec));
	return 0;
}
