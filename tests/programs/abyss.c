/*
 * abyss.c - a function that calls itself 40,000 times
 *
 * usage: abyss [DEPTH]
 *
 * sink() is entered until DEPTH (40,000) of its frames are open, in the first
 * thread and in another one. Each of them lets all frames return, twice; jumps
 * out of all of them at once; and calls float_up() and sink() a few times more.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACK_SIZE = 64 * 1024 * 1024, FEW = 10 };

static unsigned long entered, left, floats;
static unsigned long most = 40000;
static jmp_buf top;

__attribute__((noipa)) void float_up(void)
{
	floats++;
}

__attribute__((noipa)) void sink(unsigned long depth, bool leaps)
{
	entered++;
	if (depth > 1)
		sink(depth - 1, leaps);
	else if (leaps)
		longjmp(top, 1);
	else
		float_up();
	left++;
}

static void *sink_much(void *unused)
{
	sink(most, false);
	sink(most, false);
	if (setjmp(top) == 0)
		sink(most, true);
	for (int i = 0; i < FEW; i++) {
		float_up();
		sink(FEW, false);
	}
	sink(most, false);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t deep;
	pthread_t other;

	if (argc > 1)
		most = strtoul(argv[1], NULL, 10);
	pthread_attr_init(&deep);
	pthread_attr_setstacksize(&deep, STACK_SIZE);
	sink_much(NULL);
	pthread_create(&other, &deep, sink_much, NULL);
	pthread_join(other, NULL);
	printf("entered %lu\nleft %lu\nlost %lu\nfloats %lu\n", entered, left,
	       entered - left, floats);
	return 0;
}
