/*
 * phased.c - a program with phases, each with functions of its own in a source
 * file of its own
 *
 * usage: phased [MS [PHASE...]]
 *
 * The phases are alpha, beta, delta and dear; without names, the first three,
 * in this order. Each phase takes twice MS milliseconds of the program's time
 * on a CPU, and border() is called after each half. In the phase alpha, alpha()
 * is called over and over, and calls alpha_part() four times, each of which
 * takes about a millisecond; the others do the same with their own functions.
 * In the phase dear, dear() is called as often as can be. The program counts
 * the calls, and prints the clock and its counts at each border:
 *
 *	alpha 1 at 1234567890 ns: alpha 250, beta 0, delta 0, dear 0
 *
 * It ends with the time that the whole has taken, in ns of CPU time.
 *
 * Flags: -g -O2 -falign-functions=16
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

volatile uint64_t alpha_calls, beta_calls, delta_calls, dear_calls;
volatile uint64_t sink;

static uint64_t ns_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* How often a part goes round for a millisecond. */
static uint64_t rounds;

#define FUNCTIONS(name)                                                        \
	__attribute__((noinline)) void name##_part(void)                       \
	{                                                                      \
		for (uint64_t i = 0; i < rounds; i++)                          \
			sink += i;                                             \
	}                                                                      \
	__attribute__((noinline)) void name(void)                              \
	{                                                                      \
		name##_calls++;                                                \
		for (int i = 0; i < 4; i++)                                    \
			name##_part();                                         \
		sink++;                                                        \
	}

#line 1 "alpha.c"
FUNCTIONS(alpha)
#line 1 "beta.c"
FUNCTIONS(beta)
#line 1 "delta.c"
FUNCTIONS(delta)
#line 1 "dear.c"
__attribute__((noinline)) void dear(void)
{
	dear_calls++;
}
#line 65 "phased.c"

__attribute__((noinline)) void border(const char *phase, int half)
{
	printf("%s %d at %llu ns: alpha %llu, beta %llu, delta %llu, dear "
	       "%llu\n",
	       phase, half, (unsigned long long)ns_of(CLOCK_MONOTONIC),
	       (unsigned long long)alpha_calls, (unsigned long long)beta_calls,
	       (unsigned long long)delta_calls, (unsigned long long)dear_calls);
	fflush(stdout);
}

/* What the phases do until they look at the clock again. */
static void many_dear(void)
{
	for (int i = 0; i < 1000000; i++)
		dear();
}

static const struct {
	const char *name;
	void (*work)(void);
} phases[] = {{"alpha", alpha},
	      {"beta", beta},
	      {"delta", delta},
	      {"dear", many_dear}};

__attribute__((noinline)) static void run_half(void (*work)(void), uint64_t ns)
{
	uint64_t end = ns_of(CLOCK_PROCESS_CPUTIME_ID) + ns;

	while (ns_of(CLOCK_PROCESS_CPUTIME_ID) < end)
		work();
}

static int run(const char *name, uint64_t ns)
{
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		if (strcmp(phases[i].name, name) != 0)
			continue;
		for (int half = 1; half <= 2; half++) {
			run_half(phases[i].work, ns);
			border(name, half);
		}
		return 0;
	}
	fprintf(stderr, "phased: no phase is named %s\n", name);
	return 2;
}

/* Finds out how often a part goes round for a millisecond. */
static void find_rounds(void)
{
	uint64_t before = ns_of(CLOCK_PROCESS_CPUTIME_ID), spent;

	for (rounds = 1000; rounds < 1u << 30; rounds *= 2) {
		for (uint64_t i = 0; i < rounds; i++)
			sink += i;
		spent = ns_of(CLOCK_PROCESS_CPUTIME_ID) - before;
		if (spent > 2000000)
			break;
		before += spent;
	}
	rounds = rounds * 1000000 / (spent + 1) + 1;
}

int main(int argc, char **argv)
{
	static char *all[] = {"alpha", "beta", "delta", NULL};
	uint64_t ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 500) * 1000000;
	char **names = argc > 2 ? argv + 2 : all;

	find_rounds();
	for (; *names; names++)
		if (run(*names, ns))
			return 2;
	printf("cpu %llu\n",
	       (unsigned long long)ns_of(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
