/*
 * leaps.c - jumps out of exactly 100 open frames of a function
 *
 * usage: leaps [ROUNDS]
 *
 * In each of ROUNDS (2,000) rounds, descend() calls itself until 100 of its
 * frames are open. Then, by turns, it jumps out of all of them; it returns; or
 * it jumps out of the 50 deepest ones to the frame above them, which returns,
 * or descends again before it does. Two threads do all this.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 100, MIDDLE = 50 };
enum how { LEAVE_ALL, RETURN, LEAVE_HALF, LEAVE_HALF_AND_DESCEND, WAYS };

static atomic_ulong entered, left, leaps;
static __thread jmp_buf top, middle;
static unsigned long rounds = 2000;

__attribute__((noinline)) unsigned descend(unsigned depth, enum how how);

/* Descend from the middle, and come back there by a jump. */
__attribute__((noinline)) static unsigned catch_half(enum how how)
{
	if (setjmp(middle) == 0)
		return descend(MIDDLE + 1, how);
	return how == LEAVE_HALF ? 1 : descend(MIDDLE + 1, RETURN);
}

__attribute__((noinline)) static void leave(enum how how)
{
	if (how == RETURN)
		return;
	leaps++;
	longjmp(how == LEAVE_ALL ? top : middle, 1);
}

/* `depth` is 1 in the outermost frame. */
unsigned descend(unsigned depth, enum how how)
{
	unsigned result = 1;

	entered++;
	if (depth == DEPTH)
		leave(how);
	else if (depth == MIDDLE && how >= LEAVE_HALF)
		result += catch_half(how);
	else
		result += descend(depth + 1, how);
	left++;
	return result;
}

/* The last round returns, so that it is known which frames are gone. */
static void *make_rounds(void *unused)
{
	for (volatile unsigned long i = 0; i < rounds; i++)
		if (setjmp(top) == 0)
			descend(1, i % WAYS);
	descend(1, RETURN);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc > 1)
		rounds = strtoul(argv[1], NULL, 10);
	pthread_create(&other, NULL, make_rounds, NULL);
	make_rounds(NULL);
	pthread_join(other, NULL);
	printf("entered %lu\nleft %lu\nunwound %lu\nleaps %lu\n", entered, left,
	       entered - left, leaps);
	return 0;
}
