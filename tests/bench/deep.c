/*
 * deep.c - a busy program 30 frames deep: what does it cost to sample it?
 *
 * usage: deep CHUNKS
 *
 * Executes the same chunk of work again and again. Prints the ns of CPU time of
 * the quickest chunk: what others do on the machine is not in it, but the
 * interrupts that make samples are (unless the kernel was built to leave them
 * out, with CONFIG_IRQ_TIME_ACCOUNTING).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 30
/* Some ticks fall into each chunk, also at 97 a second. */
#define STEPS 60000000

static volatile unsigned long sink;
static unsigned chunks;
static double *times;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

__attribute__((noinline)) static void work(void)
{
	unsigned long a = 1;

	for (unsigned long i = 0; i < STEPS; i++)
		a = a * 6364136223846793005 + i;
	sink += a;
}

__attribute__((noinline)) static void descend(int depth)
{
	volatile char frame[64];

	frame[0] = (char)depth;
	if (depth) {
		descend(depth - 1);
	} else {
		for (unsigned i = 0; i < chunks; i++) {
			times[i] = now();
			work();
			times[i] = now() - times[i];
		}
	}
	sink += (unsigned long)frame[0];
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	chunks = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	times = calloc(chunks, sizeof(*times));
	if (!times || !chunks)
		return 1;
	descend(DEPTH);
	qsort(times, chunks, sizeof(*times), compare);
	printf("ns %.0f\n", times[0]);
	return 0;
}
