/*
 * order.c - threads that execute some functions in an order of their own
 *
 * usage: order [CALLS [fork]]
 *
 * Each of three threads calls one() to four(), twice() and often() in an order
 * that looks random and is the same each time, CALLS (20,000) times in all. Now
 * and then it raises a signal, whose handler calls handled(), and two() and
 * three() as well. With `fork`, a child does the same before.
 *
 * The functions have different lengths, so that each has a place in its middle
 * where a jump has room.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3 };

static unsigned long calls = 20000;
static atomic_ulong sum, ones, oftens, handleds;

#define APART __attribute__((noinline, noclone))

APART void one(unsigned long n)
{
	atomic_fetch_add(&ones, 1);
	__asm__ volatile("" ::"r"(n));
}

APART void two(unsigned long n)
{
	atomic_fetch_add(&sum, n);
	atomic_fetch_add(&sum, n / 3);
}

APART void three(unsigned long n)
{
	atomic_fetch_add(&sum, n);
	atomic_fetch_sub(&sum, n / 5);
}

APART void four(unsigned long n)
{
	for (unsigned long i = 0; i < n % 4; i++)
		atomic_fetch_add(&sum, i);
}

/* The middle is between two additions. */
APART void twice(unsigned long n)
{
	atomic_fetch_add(&sum, n);
	atomic_fetch_add(&sum, 2 * n); /* the middle */
	atomic_fetch_add(&sum, 3 * n);
}

APART void often(void)
{
	atomic_fetch_add(&oftens, 1);
}

/* The frame of this function ends with that of often(). */
APART __attribute__((optimize("O2"))) void hop(unsigned long n)
{
	atomic_fetch_add(&sum, n);
	often();
}

APART void handled(int signal)
{
	atomic_fetch_add(&handleds, 1);
	two((unsigned long)signal);
	three((unsigned long)signal);
}

static void *work(void *number)
{
	unsigned long random = (unsigned long)number;
	void (*const functions[])(unsigned long) = {one,  two,   three,
						    four, twice, hop};

	for (unsigned long i = 0; i < calls; i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		if (random >> 33 & 1)
			often();
		if ((random >> 40) % 97 == 0)
			raise(SIGUSR1);
		functions[(random >> 48) % 6](i);
	}
	return NULL;
}

static void run(void)
{
	pthread_t threads[THREADS];

	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (unsigned long i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handled};
	pid_t child;

	if (argc > 1)
		calls = strtoul(argv[1], NULL, 10);
	sigaction(SIGUSR1, &action, NULL);
	if (argc > 2 && strcmp(argv[2], "fork") == 0) {
		one(0);
		child = fork();
		if (!child) {
			run();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	run();
	printf("ones %lu\noftens %lu\nhandleds %lu\nsum %lu\n", ones, oftens,
	       handleds, sum);
	return 0;
}
