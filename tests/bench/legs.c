/*
 * legs.c - functions of known length, by their own clock
 *
 * usage: legs [ROUNDS]
 *
 * Of each length there are two functions, of the same code: leg_*(), for nodes,
 * and own_*(), for none. They are called by turns, in blocks that last some 100
 * us or one call. The clock is read before and after a block, so that nothing
 *of it is inside of a function, and a call of a function that does nothing is
 * taken off. Prints of each length, in ns a call:
 *
 *	NAME plain N	own_*(): what the function takes without nodes
 *	NAME same N	leg_*(): the very calls that are measured, less what
 *			the nodes of leg_empty() cost in the block in the middle
 *	NAME median N	as plain, of the block in the middle
 *
 * The first two are means.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

struct body {
	const char *name;
	void (*leg)(struct body *body), (*own)(struct body *body);
	double length;  /* ns, as intended */
	unsigned block; /* calls */
	unsigned every; /* it has its turn every so many rounds */
	uint64_t loops, calls;
	uint64_t leg_ticks, own_ticks; /* of all blocks */
	uint64_t *leg_blocks, *own_blocks, blocks;
};

/* noipa: or they would be made one, for they are the same */
#define FUNCTION __attribute__((noipa, aligned(64)))

static inline void work(struct body *body)
{
	for (uint64_t i = body->loops; i; i--)
		__asm__ volatile("" ::"r"(i));
	body->calls++;
}

#define BODY(name)                                                             \
	FUNCTION void leg_##name(struct body *body)                            \
	{                                                                      \
		work(body);                                                    \
	}                                                                      \
	FUNCTION void own_##name(struct body *body)                            \
	{                                                                      \
		work(body);                                                    \
	}

BODY(empty)
BODY(100ns)
BODY(1us)
BODY(10us)
BODY(100us)
BODY(1ms)

FUNCTION void nothing(struct body *body)
{
	(void)body;
}

#define ROW(of, ns, calls, rounds)                                             \
	{                                                                      \
		.name = #of, .leg = leg_##of, .own = own_##of, .length = ns,   \
		.block = calls, .every = rounds                                \
	}

static struct body bodies[] = {
	ROW(empty, 0, 100, 1), ROW(100ns, 1e2, 100, 1), ROW(1us, 1e3, 50, 1),
	ROW(10us, 1e4, 5, 1),  ROW(100us, 1e5, 1, 1),   ROW(1ms, 1e6, 1, 2),
};

enum { BODIES = sizeof(bodies) / sizeof(*bodies) };

static double clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* What `count` calls take, in ticks. */
static uint64_t block(void (*function)(struct body *), struct body *body,
		      unsigned count)
{
	uint64_t start = __rdtsc();

	for (unsigned i = 0; i < count; i++)
		function(body);
	return __rdtsc() - start;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ticks a call, in the block in the middle. */
static double middle(uint64_t *blocks, const struct body *body)
{
	qsort(blocks, body->blocks, sizeof(*blocks), compare);
	return (double)blocks[body->blocks / 2] / body->block;
}

static void print(double ns_per_tick, double ticks_of_nothing)
{
	double empty = middle(bodies[0].leg_blocks, &bodies[0]);

	for (unsigned b = 0; b < BODIES; b++) {
		struct body *body = &bodies[b];
		double calls = (double)(body->blocks * body->block);

		printf("%s plain %.2f\n", body->name,
		       ((double)body->own_ticks / calls - ticks_of_nothing) *
			       ns_per_tick);
		printf("%s same %.2f\n", body->name,
		       ((double)body->leg_ticks / calls - empty) * ns_per_tick);
		printf("%s median %.2f\n", body->name,
		       (middle(body->own_blocks, body) - ticks_of_nothing) *
			       ns_per_tick);
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	uint64_t start, nothing_ticks = 0, nothing_calls = 0;
	struct body trial = {.loops = 20000000};
	double start_ns, ns_per_loop;

	own_1ms(&trial);
	start_ns = clock_ns();
	own_1ms(&trial);
	ns_per_loop = (clock_ns() - start_ns) / (double)trial.loops;
	for (unsigned b = 0; b < BODIES; b++) {
		bodies[b].loops = (uint64_t)(bodies[b].length / ns_per_loop);
		bodies[b].own_blocks = calloc(rounds, sizeof(uint64_t));
		bodies[b].leg_blocks = calloc(rounds, sizeof(uint64_t));
	}
	start_ns = clock_ns();
	start = __rdtsc();
	for (unsigned i = 0; i < rounds; i++) {
		nothing_ticks += block(nothing, NULL, 100);
		nothing_calls += 100;
		for (unsigned b = 0; b < BODIES; b++) {
			struct body *body = &bodies[b];
			uint64_t ticks;

			if (i % body->every)
				continue;
			ticks = block(body->own, body, body->block);
			body->own_ticks += ticks;
			body->own_blocks[body->blocks] = ticks;
			ticks = block(body->leg, body, body->block);
			body->leg_ticks += ticks;
			body->leg_blocks[body->blocks++] = ticks;
		}
	}
	print((clock_ns() - start_ns) / (double)(__rdtsc() - start),
	      (double)nothing_ticks / (double)nothing_calls);
	return 0;
}
