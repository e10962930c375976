/*
 * spin.c - threads that call a function all the time, or now and then
 *
 * usage: spin THREADS [PAUSE]	(microseconds between two calls; 0: none)
 *
 * Runs until SIGINT. It says "ready" when all threads are there.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long pause_us;

__attribute__((noinline)) void work(void)
{
	__asm__ volatile("" ::: "memory");
}

static void end(int signal)
{
	(void)signal;
	_exit(0);
}

static void *run(void *unused)
{
	struct timespec pause = {.tv_nsec = pause_us * 1000};

	(void)unused;
	for (;;) {
		work();
		if (pause_us)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread;

	pause_us = argc > 2 ? atol(argv[2]) : 0;
	signal(SIGINT, end);
	for (int i = 1; i < count; i++)
		if (pthread_create(&thread, NULL, run, NULL) != 0)
			return 1;
	puts("ready");
	fflush(stdout);
	run(NULL);
	return 0;
}
