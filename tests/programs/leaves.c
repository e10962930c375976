/*
 * leaves.c - a program that calls work(), then executes another program
 *
 * usage: leaves COUNT [PROGRAM [ARG...]]
 *
 * The program prints on its standard output how many calls there were. PROGRAM
 * is /bin/true by default, which has no such function.
 *
 * There is room for a jump behind the return of work(). Without it, the place
 * of the heap decides whether there can be a jump.
 *
 * Flags: -falign-functions=16
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned calls;

__attribute__((noinline)) void work(void)
{
	calls++;
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	static char *nothing[] = {"/bin/true", NULL};
	char **next = argc > 2 ? argv + 2 : nothing;

	for (int count = argc > 1 ? atoi(argv[1]) : 0; count > 0; count--)
		work();
	printf("work %u\n", calls);
	fflush(stdout);
	execv(next[0], next);
	return 99;
}
