/*
 * regiment.c - many threads that are alive at the same time
 *
 * usage: regiment THREADS
 *
 * First THREADS threads live one after the other, and each calls work() CALLS
 * times. Then there are THREADS threads at the same time, or as many as the
 * machine allows. When each of them has called work() CALLS times, the program
 * looks at its resident memory. Then each calls work() CALLS times once more,
 * and ends. The program prints how many threads were alive, how much memory it
 * had then, and how often work() was called.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 100, STACK_SIZE = 128 * 1024 };

static atomic_ulong work_calls;
static sem_t arrived, go;

__attribute__((noinline)) void work(void)
{
	atomic_fetch_add(&work_calls, 1);
}

static void *work_once(void *unused)
{
	for (int i = 0; i < CALLS; i++)
		work();
	return unused;
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore))
		;
}

static void *work_twice(void *unused)
{
	work_once(unused);
	sem_post(&arrived);
	wait_for(&go);
	return work_once(unused);
}

static long resident_kb(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	char line[256];
	long kb = -1;

	while (file && kb < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "Rss: %ld", &kb);
	if (file)
		fclose(file);
	return kb;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	pthread_t *threads = calloc(count, sizeof(*threads));
	unsigned long alive = 0;
	pthread_attr_t small;

	sem_init(&arrived, 0, 0);
	sem_init(&go, 0, 0);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_SIZE);
	for (unsigned long i = 0; i < count; i++) {
		if (pthread_create(&threads[0], &small, work_once, NULL))
			return 2;
		pthread_join(threads[0], NULL);
	}
	while (alive < count &&
	       pthread_create(&threads[alive], &small, work_twice, NULL) == 0)
		alive++;
	for (unsigned long i = 0; i < alive; i++)
		wait_for(&arrived);
	printf("alive %lu\nkb %ld\n", alive, resident_kb());
	for (unsigned long i = 0; i < alive; i++)
		sem_post(&go);
	for (unsigned long i = 0; i < alive; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	printf("work %lu\n", work_calls);
	return 0;
}
