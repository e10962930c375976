/*
 * latency.c - work whose results other instructions wait for
 *
 * usage: latency ROUNDS
 *
 * chain() is a row of square roots, each of the result of the one before. These
 * are few instructions that take long, so a processor comes to the instructions
 * behind them long before the square roots are done. own_chain() is the same
 * code, but is not to be measured; the program itself times it in blocks.
 * quick() does not need the result, and is called while a row is under way.
 * half() is called once, in the middle. The program prints "own N": ns a call,
 * of the median block.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTION __attribute__((noipa, aligned(64)))

enum { BLOCK = 20, MOST = 10000 };

#define ROW(x) __asm__ volatile(".rept 200\n sqrtsd %0, %0\n .endr" : "+x"(x))

FUNCTION double chain(double x)
{
	ROW(x);
	return x;
}

FUNCTION double own_chain(double x)
{
	ROW(x);
	return x;
}

FUNCTION long quick(long n)
{
	return n + 1;
}

FUNCTION void half(void)
{
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static double blocks[MOST];
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	double x = 1.5;
	long n = 0;

	if (rounds < 1 || rounds > MOST)
		return 2;
	for (int round = 0; round < rounds; round++) {
		double began = now();

		for (int i = 0; i < BLOCK; i++)
			x = own_chain(x);
		blocks[round] = (now() - began) / BLOCK;
		x = chain(x);
		ROW(x);
		n = quick(n);
		if (round == rounds / 2)
			half();
	}
	qsort(blocks, (size_t)rounds, sizeof(*blocks), compare);
	printf("own %.0f\n", blocks[rounds / 2]);
	return n != rounds || x < 1;
}
