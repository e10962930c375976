/*
 * inside.c - a function whose slowest calls have a reason, which other
 * functions show
 *
 * Flags: -O1
 *
 * work() calls step() three times, except in two calls of a hundred: one calls
 * detour(), which calls step() twice and sleeps for 40 ms; one calls descend(),
 * which calls itself down to depth 4 and sleeps for 3 ms at each depth. mark()
 * is a function that returns at once. A second thread calls other() all the
 * time. An argument says how often work() calls step() besides in the call with
 * detour().
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline, noclone, noipa))

static volatile int sink;
static volatile int is_over;

static void doze(long ms)
{
	const struct timespec nap = {0, ms * 1000000};

	nanosleep(&nap, NULL);
}

APART int step(int n)
{
	sink += n;
	return n + 1;
}

APART int mark(int n)
{
	sink -= n; /* mark */
	return n;
}

APART int detour(int n)
{
	int sum = step(n);

	doze(40);
	mark(n);
	return sum + step(n + 1);
}

APART int descend(int depth)
{
	int sum = step(depth);

	doze(3);
	return depth == 4 ? sum : sum + descend(depth + 1);
}

APART int work(int n, int more)
{
	int sum = 0;

	if (n == 37)
		sum += detour(n);
	if (n == 73)
		sum += descend(1);
	for (int i = 0; i < 3 + (n == 37 ? more : 0); i++)
		sum += step(i);
	return sum;
}

APART int other(int n)
{
	sink += n;
	return n;
}

static void *second(void *arg)
{
	int n = 0;

	while (!is_over)
		n = other(n);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int sum = 0;

	pthread_create(&thread, NULL, second, NULL);
	for (int i = 0; i < 100; i++)
		sum += work(i, argc > 1 ? atoi(argv[1]) : 0);
	is_over = 1;
	pthread_join(thread, NULL);
	printf("%d\n", sum);
	return 0;
}
