/* clocked.c - asks for the time, which code of the kernel's vdso tells: as many
 * thousand times as the argument says */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	long thousands = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
	struct timespec now;

	for (long i = 0; i < thousands * 1000; i++)
		/* this clock needs no system call on any machine */
		if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) != 0)
			return 1;
	puts("done");
	return 0;
}
