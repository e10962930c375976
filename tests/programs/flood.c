/*
 * flood.c - calls a function as fast as it can
 *
 * usage: flood THREADS
 *
 * Each thread calls hit() all the time, and another one makes threads that end
 * at once, with seldom(). After a line on standard input the program prints how
 * often hit() and seldom() were called, and ends.
 *
 * Flags: -O2 -g -pthread
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_THREADS 8

static volatile bool is_over;

/* (Each count is in a line of the cache of its own.) */
static struct {
	_Alignas(64) uint64_t calls;
} counts[MOST_THREADS];

__attribute__((noipa)) void hit(uint64_t *calls)
{
	++*calls;
}

__attribute__((noipa)) void seldom(uint64_t *calls)
{
	++*calls;
}

static void *flood(void *calls)
{
	while (!is_over)
		hit(calls);
	return NULL;
}

static void *nothing(void *unused)
{
	return unused;
}

static void *bear(void *calls)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	pthread_t child;

	while (!is_over) {
		seldom(calls);
		if (pthread_create(&child, NULL, nothing, NULL))
			abort();
		pthread_join(child, NULL);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[MOST_THREADS], mother;
	uint64_t sum = 0, born = 0;

	if (count < 1 || count > MOST_THREADS)
		return 2;
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, flood, &counts[i].calls))
			abort();
	if (pthread_create(&mother, NULL, bear, &born))
		abort();
	puts("ready");
	fflush(stdout);
	getchar();
	is_over = true;
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += counts[i].calls;
	}
	pthread_join(mother, NULL);
	printf("%lu hits, %lu seldom\n", (unsigned long)sum,
	       (unsigned long)born);
	return 0;
}
