/*
 * builds.c - a program of which two builds differ by a known part: in each call
 * its function does so many steps
 *
 * usage: builds STEPS CALLS
 */
#include <stdlib.h>

static volatile unsigned long sink;

__attribute__((noinline)) void solve(unsigned long steps)
{
	unsigned long a = 1;

	for (unsigned long i = 0; i < steps; i++)
		a = a * 6364136223846793005 + i;
	sink += a;
}

int main(int argc, char **argv)
{
	unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;

	for (unsigned long i = 0; i < calls; i++)
		solve(steps);
	return 0;
}
