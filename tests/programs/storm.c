/*
 * storm.c - threads that come and go, thousands of them
 *
 * usage: storm [THREADS [STEADY]]
 *
 * THREADS (10,000) short threads, up to 16 of them at a time, call brief()
 * twice each, while STEADY (2) other threads call work() until the storm is
 * over.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { ALIVE = 16 };

static atomic_ulong work_calls, brief_calls;
static atomic_bool over;
static sem_t room;

__attribute__((noinline)) void work(void)
{
	atomic_fetch_add(&work_calls, 1);
}

__attribute__((noinline)) void brief(void)
{
	atomic_fetch_add(&brief_calls, 1);
}

static void *steady(void *unused)
{
	while (!over)
		work();
	return unused;
}

/* The last hit of the thread is as near to the thread's end as possible. */
static void *short_thread(void *unused)
{
	brief();
	sem_post(&room);
	brief();
	return unused;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 10000;
	unsigned steadies = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
	pthread_t *others = calloc(steadies + 1, sizeof(*others));
	pthread_t *all = calloc(threads, sizeof(*all));

	sem_init(&room, 0, ALIVE);
	for (unsigned i = 0; i < steadies; i++)
		pthread_create(&others[i], NULL, steady, NULL);
	for (unsigned i = 0; i < threads; i++) {
		sem_wait(&room);
		if (pthread_create(&all[i], NULL, short_thread, NULL))
			abort();
		if (i >= ALIVE)
			pthread_join(all[i - ALIVE], NULL);
	}
	for (unsigned i = threads > ALIVE ? threads - ALIVE : 0; i < threads;
	     i++)
		pthread_join(all[i], NULL);
	over = true;
	for (unsigned i = 0; i < steadies; i++)
		pthread_join(others[i], NULL);
	free(others);
	free(all);
	printf("work %lu\nbrief %lu\n", work_calls, brief_calls);
	return 0;
}
