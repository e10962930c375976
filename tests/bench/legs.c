/*
 * legs.c - functions of known length, by their own clock
 *
 * usage: legs [ROUNDS]
 *
 * Of each length there are two functions, of the same code: leg_*(), for nodes,
 * and own_*(), for none. They are called by turns, in blocks that last some 100
 * us or one call. The clock is read before and after a block, so that nothing
 * of it is inside of a function, and a call of a function that does nothing is
 * taken off. *_waited() are rows of square roots, each of the one before, which
 * a processor leaves behind unfinished as it goes on: nobody but who waits for
 * them can tell how long they take. Prints of each length, in ns a call:
 *
 *	NAME plain N	own_*(), on average: what the function takes without
 *			nodes
 *	NAME middle N	the same, in the block in the middle
 *	NAME undisturbed N
 *			own_*(), on average of the blocks that nothing
 *			disturbed, which took less than LONG more than
 *			that in the middle; and what was more than the
 *			middle in such of leg_*()
 *	NAME same N	leg_*(), on average: the very calls that are
 *			measured, less what the nodes of leg_empty() cost in
 *			the block in the middle
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
	double root;    /* of the row */
	unsigned block; /* calls */
	unsigned every; /* it has its turn every so many rounds */
	uint64_t loops, calls;
	uint64_t *leg_blocks, *own_blocks, blocks; /* ticks of each */
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

static inline void row(struct body *body)
{
	double x = body->root;

	/* each for itself: of many behind each other it takes up one when one
	 * is done, and is late as often as early */
	_mm_lfence();
	for (uint64_t i = body->loops; i; i--)
		__asm__ volatile("sqrtsd %0, %0" : "+x"(x));
	body->root = x;
}

FUNCTION void leg_waited(struct body *body)
{
	row(body);
}

FUNCTION void own_waited(struct body *body)
{
	row(body);
}

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
	ROW(empty, 0, 100, 1),      ROW(100ns, 1e2, 100, 1),
	ROW(1us, 1e3, 50, 1),       ROW(10us, 1e4, 5, 1),
	ROW(100us, 1e5, 1, 1),      ROW(1ms, 1e6, 1, 2),
	ROW(waited, 1.5e2, 100, 1),
};

enum { BODIES = sizeof(bodies) / sizeof(*bodies) };

#define LONG 20000 /* ns: more than an interrupt or a page fault */

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

/* Of the blocks of one function. */
struct times {
	double mean, middle; /* ticks a call */
	double kept;         /* the mean of the undisturbed ones */
	double more;         /* of a call, that of the others to the middle */
};

static struct times times_of(uint64_t *blocks, const struct body *body,
			     double ticks_long)
{
	double sum = 0, kept = 0, more = 0, middle, calls;
	uint64_t count = 0;

	qsort(blocks, body->blocks, sizeof(*blocks), compare);
	middle = (double)blocks[body->blocks / 2];
	for (uint64_t i = 0; i < body->blocks; i++) {
		double ticks = (double)blocks[i];

		sum += ticks;
		if (ticks < middle + ticks_long) {
			kept += ticks;
			count++;
		} else {
			more += ticks - middle;
		}
	}
	calls = (double)(body->blocks * body->block);
	return (struct times){
		.mean = sum / calls,
		.middle = middle / body->block,
		.kept = kept / (double)(count * body->block),
		.more = more / calls,
	};
}

static void print(double ns_per_tick, double nothing)
{
	double ticks_long = LONG / ns_per_tick, empty = 0;

	for (unsigned b = 0; b < BODIES; b++) {
		struct body *body = &bodies[b];
		struct times own = times_of(body->own_blocks, body, ticks_long),
			     leg = times_of(body->leg_blocks, body, ticks_long);

		if (b == 0)
			empty = leg.middle;
		printf("%s plain %.2f\n", body->name,
		       (own.mean - nothing) * ns_per_tick);
		printf("%s middle %.2f\n", body->name,
		       (own.middle - nothing) * ns_per_tick);
		printf("%s undisturbed %.2f\n", body->name,
		       (own.kept - nothing + leg.more) * ns_per_tick);
		printf("%s same %.2f\n", body->name,
		       (leg.mean - empty) * ns_per_tick);
	}
}

/* What a loop of it takes when nothing disturbs it. */
static double loop_ns(void (*own)(struct body *))
{
	struct body trial = {.loops = 200000};
	double best = 1e9;

	for (unsigned i = 0; i < 20; i++) {
		double start = clock_ns();

		own(&trial);
		start = clock_ns() - start;
		if (start < best)
			best = start;
	}
	return best / (double)trial.loops;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	uint64_t start;
	uint64_t *nothing_blocks = calloc(rounds, sizeof(uint64_t));
	double start_ns;

	for (unsigned b = 0; b < BODIES; b++) {
		bodies[b].loops =
			(uint64_t)(bodies[b].length / loop_ns(bodies[b].own));
		bodies[b].own_blocks = calloc(rounds, sizeof(uint64_t));
		bodies[b].leg_blocks = calloc(rounds, sizeof(uint64_t));
	}
	start_ns = clock_ns();
	start = __rdtsc();
	for (unsigned i = 0; i < rounds; i++) {
		nothing_blocks[i] = block(nothing, NULL, 100);
		for (unsigned b = 0; b < BODIES; b++) {
			struct body *body = &bodies[b];

			if (i % body->every)
				continue;
			body->own_blocks[body->blocks] =
				block(body->own, body, body->block);
			body->leg_blocks[body->blocks++] =
				block(body->leg, body, body->block);
		}
	}
	qsort(nothing_blocks, rounds, sizeof(uint64_t), compare);
	print((clock_ns() - start_ns) / (double)(__rdtsc() - start),
	      (double)nothing_blocks[rounds / 2] / 100);
	return 0;
}
