/*
 * threads.c - several threads in the same function at the same time
 *
 * usage: threads [THREADS [CALLS]]
 *
 * Each of THREADS (4) threads calls work() CALLS (1,000) times. Meanwhile
 * further threads come and go, one after another, and call brief() once each.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { BRIEF_THREADS = 50 };

static atomic_ulong work_calls, brief_calls;
static unsigned long calls = 1000;

__attribute__((noinline)) void work(unsigned long n)
{
	atomic_fetch_add(&work_calls, 1);
	__asm__ volatile("" ::"r"(n));
}

__attribute__((noinline)) void brief(void)
{
	atomic_fetch_add(&brief_calls, 1);
}

static void *worker(void *unused)
{
	for (unsigned long i = 0; i < calls; i++)
		work(i);
	return unused;
}

static void *brief_thread(void *unused)
{
	brief();
	return unused;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	pthread_t *threads = calloc(count, sizeof(*threads)), one;

	if (argc > 2)
		calls = strtoul(argv[2], NULL, 10);
	for (unsigned i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (unsigned i = 0; i < BRIEF_THREADS; i++) {
		pthread_create(&one, NULL, brief_thread, NULL);
		pthread_join(one, NULL);
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	printf("work %lu\nbrief %lu\n", (unsigned long)work_calls,
	       (unsigned long)brief_calls);
	return 0;
}
