/*
 * kin.c - forked processes whose functions go on in other functions
 *
 * Flags: -O2 -pthread
 *
 * usage: kin later COUNT | race COUNT
 *
 * later: the program forks a child. Then the parent makes COUNT calls of
 * outer_01(), and after it the child does the same. race: one thread makes
 * COUNT calls of each outer function, one function after the other, while
 * another thread forks, and each child calls all of the functions once.
 *
 * The program prints how many calls of outer_01() (later), or of all outer
 * functions (race), all processes have made. It ends with 1 if a child did not
 * end with 0.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTIONS 16

/* Each outer function goes on in an inner function of its own. */
#define PAIR(n)                                                                \
	__attribute__((noinline, noipa)) long inner_##n(long x)                \
	{                                                                      \
		return x * 3 + (n);                                            \
	}                                                                      \
	__attribute__((noinline, noipa)) long outer_##n(long x)                \
	{                                                                      \
		return inner_##n(x + (n));                                     \
	}
#define PAIRS(n)                                                               \
	PAIR(n##0)                                                             \
	PAIR(n##1)                                                             \
	PAIR(n##2) PAIR(n##3) PAIR(n##4) PAIR(n##5) PAIR(n##6) PAIR(n##7)
#define NAMES(n)                                                               \
	outer_##n##0, outer_##n##1, outer_##n##2, outer_##n##3, outer_##n##4,  \
		outer_##n##5, outer_##n##6, outer_##n##7

PAIRS(0)
PAIRS(1)

static long (*const outer[FUNCTIONS])(long) = {NAMES(0), NAMES(1)};

static atomic_long *calls; /* shared by all processes */
static atomic_bool over;
static volatile long sink;

static void call(int which)
{
	sink += outer[which](which);
	atomic_fetch_add(calls, 1);
}

/* ---- later ---------------------------------------------------------------
 */

static int later(int count)
{
	int turn[2];
	char byte = 0;
	int status;

	if (pipe(turn) < 0)
		return 2;
	if (fork() == 0) {
		close(turn[1]);
		if (read(turn[0], &byte, 1) != 1)
			_exit(1);
		for (int i = 0; i < count; i++)
			call(1);
		_exit(0);
	}
	for (int i = 0; i < count; i++)
		call(1);
	if (write(turn[1], &byte, 1) != 1)
		return 2;
	return wait(&status) < 0 || status != 0;
}

/* ---- race ----------------------------------------------------------------
 */

static void *forks(void *unused)
{
	int status;

	(void)unused;
	do {
		pid_t pid = fork();

		if (pid == 0) {
			for (int i = 0; i < FUNCTIONS; i++)
				call(i);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			return (void *)1;
	} while (!over);
	return NULL;
}

static int race(int count)
{
	pthread_t thread;
	void *failed;

	pthread_create(&thread, NULL, forks, NULL);
	for (int i = 0; i < FUNCTIONS; i++) {
		for (int j = 0; j < count; j++)
			call(i);
		usleep(1000);
	}
	over = true;
	pthread_join(thread, &failed);
	return failed != NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 1, failed;

	calls = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	failed = argc > 1 && strcmp(argv[1], "race") == 0 ? race(count)
							  : later(count);
	printf("%ld\n", atomic_load(calls));
	return failed;
}
