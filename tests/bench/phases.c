/*
 * phases.c - a program with phases, each with functions of its own in a source
 * file of its own
 *
 * usage: phases PHASES CALLS
 *
 * Each phase calls one of three functions CALLS times, in turn. A call takes
 * some 20 us, and has four calls of a part in it. Prints the beginning of each
 * phase on the clock CLOCK_MONOTONIC, "phase FUNCTION at NS", and at the end
 * the ns that passed and those on a CPU.
 *
 * Flags: -g
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS 5000

static volatile uint64_t sink;

#define FUNCTIONS(name)                                                        \
	__attribute__((noinline)) void name##_part(void)                       \
	{                                                                      \
		uint64_t a = 1;                                                \
                                                                               \
		for (uint64_t i = 0; i < STEPS; i++)                           \
			a = a * 6364136223846793005u + i;                      \
		sink += a;                                                     \
	}                                                                      \
	__attribute__((noinline)) void name(void)                              \
	{                                                                      \
		for (int i = 0; i < 4; i++)                                    \
			name##_part();                                         \
		sink++;                                                        \
	}

#line 1 "read.c"
FUNCTIONS(reading)
#line 1 "sort.c"
FUNCTIONS(sorting)
#line 1 "write.c"
FUNCTIONS(writing)
#line 48 "phases.c"

static const struct {
	const char *name;
	void (*work)(void);
} phases[] = {{"reading", reading}, {"sorting", sorting}, {"writing", writing}};

static uint64_t ns_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 3;
	unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 50000;
	uint64_t began = ns_of(CLOCK_MONOTONIC);

	for (unsigned i = 0; i < count; i++) {
		printf("phase %s at %llu\n", phases[i % 3].name,
		       (unsigned long long)ns_of(CLOCK_MONOTONIC));
		fflush(stdout);
		for (unsigned long j = 0; j < calls; j++)
			phases[i % 3].work();
	}
	printf("ns %llu\ncpu %llu\n",
	       (unsigned long long)(ns_of(CLOCK_MONOTONIC) - began),
	       (unsigned long long)ns_of(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
