/*
 * recursion.c - a function that calls itself
 *
 * The naive Fibonacci function: each call except the outermost is part of
 * another call of the same function. If the leg matches as a leg of `time` does
 * (match=nested), each call counts. With match=outermost no time counts twice.
 */
#include <stdio.h>

#include "clock.h"

enum { ROUNDS = 20, N = 10 };

static unsigned long calls;

unsigned fib(unsigned n)
{
	calls++;
	busy_until(now_ns() + 5000);
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

int main(void)
{
	uint64_t start, total = 0;
	unsigned value = 0;

	for (int i = 0; i < ROUNDS; i++) {
		start = now_ns();
		value = fib(N);
		total += now_ns() - start;
	}
	printf("fib(%d) = %u: %d outermost calls, %lu in all, %.3f ms\n", N,
	       value, ROUNDS, calls, (double)total / 1e6);
	return 0;
}
