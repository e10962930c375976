/*
 * busy.c - threads that call a function over and over, until they are killed
 *
 * usage: busy THREADS
 *
 * There is room for a jump behind the return of work(). Without it, the place
 * of the heap decides whether there can be a jump.
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
