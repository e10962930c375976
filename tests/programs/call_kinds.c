/*
 * call_kinds.c - a function that is called from many kinds of places
 *
 * Flags: -O2 -fno-optimize-sibling-calls
 *
 * work() is called directly, from a call that was inlined, from a static
 * function, through a pointer, by the C library, in a signal handler, in a
 * second thread, and by itself. The program prints how often each of these
 * functions has called it. small() is always inlined: where it has no caller of
 * its own, the function around it is its caller.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline, noclone, noipa))
#define INLINED static inline __attribute__((always_inline))

static int (*volatile pointer)(int);
static volatile int sink;

APART int work(int n)
{
	sink += n; /* in work */
	return n <= 100 ? n + sink : work(n - 1) + 1;
}

INLINED int small(int n)
{
	sink += 2 * n; /* in small */
	return n * sink;
}

APART int direct(int n)
{
	return work(n) + small(n);
}

INLINED int inlined(int n)
{
	return work(n) + 3;
}

APART int around(int n)
{
	return inlined(n) * 2;
}

APART static int hidden(int n)
{
	return work(n) * 5;
}

APART int by_pointer(int n)
{
	return pointer(n) + 7;
}

APART int compare(const void *a, const void *b)
{
	return work(*(const int *)a) - work(*(const int *)b) + small(1);
}

static void handler(int number)
{
	sink += work(number);
}

static void *second(void *arg)
{
	for (int i = 0; i < 6; i++)
		sink += work(i);
	return arg;
}

int main(void)
{
	int numbers[] = {1, 2};
	pthread_t thread;

	pointer = work;
	signal(SIGUSR1, handler);
	for (int i = 0; i < 20; i++)
		sink += direct(i);
	for (int i = 0; i < 15; i++)
		sink += around(i);
	for (int i = 0; i < 12; i++)
		sink += hidden(i);
	for (int i = 0; i < 9; i++)
		sink += by_pointer(i);
	for (int i = 0; i < 4; i++)
		raise(SIGUSR1);
	pthread_create(&thread, NULL, second, NULL);
	pthread_join(thread, NULL);
	qsort(numbers, 2, sizeof(*numbers), compare);
	sink += work(103); /* which calls itself three times */
	printf("direct 20\ninlined 15\nhidden 12\nby_pointer 9\n"
	       "handler 4\nsecond 6\ncompare 2\nmain 1\nwork 3\n");
	return 0;
}
