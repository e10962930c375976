/*
 * busy.c - threads that call a function over and over, until they are killed
 *
 * usage: busy THREADS
 *
 * Behind the return of work() there is room for a jump: without, it depends on
 * where the heap is whether there can be one.
 *
 * Flags: -falign-functions=16
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_ulong calls;

__attribute__((noinline)) void work(void)
{
	atomic_fetch_add(&calls, 1);
}

static void *keep_working(void *unused)
{
	for (;;) {
		work();
		usleep(100);
	}
	return unused;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	pthread_t thread;

	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, keep_working, NULL))
			return 1;
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
