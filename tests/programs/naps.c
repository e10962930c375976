/*
 * naps.c - naps of a known length; during two of them the program can be
 * stopped
 *
 * usage: naps COUNT MILLISECONDS
 *
 * nap() sleeps for MILLISECONDS by the monotonic clock, and never less. The
 * third and the eighth nap call here() before they sleep, and there_too() after
 * it.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTION __attribute__((noipa))

FUNCTION void here(void)
{
}

FUNCTION void there_too(void)
{
}

FUNCTION void nap(int number, long milliseconds)
{
	struct timespec time = {milliseconds / 1000,
				milliseconds % 1000 * 1000000};

	if (number == 3 || number == 8)
		here();
	while (nanosleep(&time, &time) != 0 && errno == EINTR)
		;
	if (number == 3 || number == 8)
		there_too();
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 10;
	long milliseconds = argc > 2 ? atol(argv[2]) : 10;

	for (int i = 1; i <= count; i++)
		nap(i, milliseconds);
	return 0;
}
