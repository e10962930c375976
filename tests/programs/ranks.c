/*
 * ranks.c - a process of a parallel program: it does an amount of work that
 * depends on its rank, and prints how often it has called solve()
 *
 * The rank is the number in the variable of the environment that the first
 * argument names; without such a variable it is 0. `solve` is called 10 times
 * as often as the rank plus one.
 */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noinline)) static void exchange(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sink += i;
}

__attribute__((noinline)) static void solve(unsigned step)
{
	exchange(100 * (step % 7 + 1));
}

int main(int argc, char **argv)
{
	const char *text = argc > 1 ? getenv(argv[1]) : NULL;
	unsigned rank = text ? (unsigned)atoi(text) : 0;
	unsigned steps = 10 * (rank + 1);

	for (unsigned i = 0; i < steps; i++)
		solve(i);
	printf("rank %u solve %u\n", rank, steps);
	return 0;
}
