/*
 * late.c - a function that is left by a jump to one that has run before
 *
 * leap() is left by a jump through a pointer, to land(). Where it leads is seen
 * when it is executed, while land() is already being counted.
 *
 * Flags: -O2
 *
 * usage: late COUNT: calls land(), and then leap() COUNT times
 */
#include <stdlib.h>

typedef long step(long);

__attribute__((noipa)) static void rest(void)
{
	__asm__ volatile("");
}

__attribute__((noipa)) long land(long n)
{
	rest();
	return n + 1;
}

static step *volatile next = land;

__attribute__((noipa)) long leap(long n)
{
	return next(n);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 200;

	land(0);
	for (long i = 0; i < count; i++)
		leap(i);
	return 0;
}
