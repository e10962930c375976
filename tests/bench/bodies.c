/*
 * bodies.c - functions of known length, by their own clock
 *
 * usage: bodies [CALLS]: calls each of body_1us() ... body_1ms() some times
 * (CALLS of the first, fewer of the longer ones), and prints the mean time of
 * each in ns, read within the function at its beginning and its end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

struct body {
	const char *name;
	void (*function)(struct body *body);
	double length; /* ns, as intended */
	unsigned calls_divisor;
	uint64_t loops, ticks, calls;
};

static double clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

__attribute__((noinline)) static void work(uint64_t loops)
{
	for (uint64_t i = 0; i < loops; i++)
		__asm__ volatile("" ::"r"(i));
}

#define BODY(name)                                                             \
	__attribute__((noinline)) void name(struct body *body)                 \
	{                                                                      \
		uint64_t start = __rdtsc();                                    \
                                                                               \
		work(body->loops);                                             \
		body->calls++;                                                 \
		body->ticks += __rdtsc() - start;                              \
	}

BODY(body_1us)
BODY(body_10us)
BODY(body_100us)
BODY(body_1ms)

int main(int argc, char **argv)
{
	struct body bodies[] = {
		{.name = "body_1us",
		 .function = body_1us,
		 .length = 1e3,
		 .calls_divisor = 1},
		{.name = "body_10us",
		 .function = body_10us,
		 .length = 1e4,
		 .calls_divisor = 2},
		{.name = "body_100us",
		 .function = body_100us,
		 .length = 1e5,
		 .calls_divisor = 10},
		{.name = "body_1ms",
		 .function = body_1ms,
		 .length = 1e6,
		 .calls_divisor = 100},
	};
	unsigned calls = argc > 1 ? (unsigned)atoi(argv[1]) : 4000;
	const uint64_t trial = 20000000;
	double start_ns, ns_per_loop, ns_per_tick;
	uint64_t start;

	work(trial);
	start = __rdtsc();
	start_ns = clock_ns();
	work(trial);
	ns_per_loop = (clock_ns() - start_ns) / (double)trial;
	ns_per_tick = (clock_ns() - start_ns) / (double)(__rdtsc() - start);
	/* the lengths take turns, so that a disturbance touches all */
	for (unsigned i = 0; i < calls; i++) {
		for (unsigned b = 0; b < 4; b++) {
			struct body *body = &bodies[b];

			body->loops = (uint64_t)(body->length / ns_per_loop);
			if (i % body->calls_divisor == 0)
				body->function(body);
		}
	}
	for (unsigned b = 0; b < 4; b++)
		printf("%s %lu %.1f\n", bodies[b].name, bodies[b].calls,
		       (double)bodies[b].ticks * ns_per_tick /
			       (double)bodies[b].calls);
	return 0;
}
