/*
 * callers.c - random calls of twelve functions, which know who called whom
 *
 * usage: callers SEED
 *
 * Which function may call which follows from the seed, so there are recursive
 * functions, functions that call each other in a circle, and functions that are
 * not called at all. The program prints a line `CALLER CALLEE COUNT` for each
 * pair. It is compiled for gprof, and leaves gmon.out in the current folder.
 *
 * Flags: -O0 -pg -no-pie
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS 12
#define MAIN FUNCTIONS

typedef void function(int depth);
static function *const functions[FUNCTIONS];

static uint64_t state;
static unsigned may_call[FUNCTIONS + 1]; /* a bit for each callee */
static unsigned long counts[FUNCTIONS + 1][FUNCTIONS];

#define HIDDEN                                                                 \
	static inline __attribute__((always_inline, no_instrument_function))

/* xorshift64*, M. Vigna */
HIDDEN unsigned random_number(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (unsigned)(state * 0x2545f4914f6cdd1dULL >> 33);
}

/* Is inlined, so that the calls are made by the function itself. */
HIDDEN void call_some(int self, int depth)
{
	for (unsigned left = 1 + random_number() % 3; left > 0; left--) {
		unsigned callee = random_number() % FUNCTIONS;

		if (!depth || !(may_call[self] >> callee & 1))
			continue;
		counts[self][callee]++;
		functions[callee](depth - 1);
	}
}

#define FUNCTION(n)                                                            \
	static void f##n(int depth)                                            \
	{                                                                      \
		call_some(n, depth);                                           \
	}

FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)
FUNCTION(8)
FUNCTION(9)
FUNCTION(10)
FUNCTION(11)

static function *const functions[FUNCTIONS] = {f0, f1, f2, f3, f4,  f5,
					       f6, f7, f8, f9, f10, f11};

int main(int argc, char **argv)
{
	unsigned density;

	state = (argc > 1 ? strtoul(argv[1], NULL, 0) : 1) *
			0x9e3779b97f4a7c15ULL +
		1;
	density = 2 + random_number() % 6;
	for (int i = 0; i < FUNCTIONS; i++)
		for (int j = 0; j < FUNCTIONS; j++)
			may_call[i] |= (random_number() % density == 0) << j;
	may_call[MAIN] = 0x7ff; /* not the last function */
	for (int i = 0; i < 200; i++)
		call_some(MAIN, 12);
	for (int i = 0; i <= FUNCTIONS; i++) {
		for (int j = 0; j < FUNCTIONS; j++) {
			if (!counts[i][j])
				continue;
			if (i == MAIN)
				printf("main f%d %lu\n", j, counts[i][j]);
			else
				printf("f%d f%d %lu\n", i, j, counts[i][j]);
		}
	}
	return 0;
}
