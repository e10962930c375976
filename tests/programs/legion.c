/*
 * legion.c - 4,200 functions, which two threads call
 *
 * Flags: -O2
 *
 * Each thread makes ROUNDS rounds, and calls leg_N() 1 + N % 7 times in each of
 * them. The program prints how often each function was called.
 */
#include <pthread.h>
#include <stdio.h>

#include "hundreds.h"

enum { FUNCTIONS = 4200, ROUNDS = 3 };

static unsigned calls[FUNCTIONS];

/* (A number of four digits that begins with 0 would be an octal one.) */
#define LEG(n)                                                                 \
	__attribute__((noipa)) unsigned leg_##n(unsigned x)                    \
	{                                                                      \
		__atomic_fetch_add(&calls[1##n - 10000], 1, __ATOMIC_RELAXED); \
		return x + 1##n;                                               \
	}
#define FIVE_HUNDRED(of, a, b, c, d, e)                                        \
	HUNDRED(of, a)                                                         \
	HUNDRED(of, b)                                                         \
	HUNDRED(of, c)                                                         \
	HUNDRED(of, d)                                                         \
	HUNDRED(of, e)
#define THOUSAND(of, n)                                                        \
	FIVE_HUNDRED(of, n##0, n##1, n##2, n##3, n##4)                         \
	FIVE_HUNDRED(of, n##5, n##6, n##7, n##8, n##9)
#define ALL(of)                                                                \
	THOUSAND(of, 0)                                                        \
	THOUSAND(of, 1)                                                        \
	THOUSAND(of, 2)                                                        \
	THOUSAND(of, 3)                                                        \
	HUNDRED(of, 40)                                                        \
	HUNDRED(of, 41)

ALL(LEG)

#define NAME(n) leg_##n,
static unsigned (*const functions[FUNCTIONS])(unsigned) = {ALL(NAME)};

static void *work(void *unused)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		for (unsigned n = 0; n < FUNCTIONS; n++)
			for (unsigned k = 0; k < 1 + n % 7; k++)
				functions[n](k);
	return unused;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, work, NULL);
	work(NULL);
	pthread_join(other, NULL);
	for (unsigned n = 0; n < FUNCTIONS; n++)
		printf("leg_%04u %u\n", n, calls[n]);
	return 0;
}
