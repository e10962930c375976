/*
 * tails.c - functions that go on in another function by a jump at their end
 *
 * Flags: -O2 -fno-reorder-blocks-and-partition
 *
 * outer() ends in a jump to inner(), which sleeps, and which is also called by
 * itself. through() ends in a jump into the C library, hop() in an indirect
 * jump to one of four functions. even() and odd() jump to each other. first()
 * jumps to second(), which jumps to third(). climb() calls itself and then
 * jumps. leap() jumps to land(), which leaves it by longjmp every third time;
 * land() is also called from the same frame. choose() returns by itself, except
 * every fourth time.
 *
 * The argument is how many rounds of calls that do not sleep are made; the
 * default is 40.
 *
 * The program counts for each function how often it was called, and how often
 * its frame was left otherwise than by a return. It measures the shortest sleep
 * of inner(), and the time of all calls of outer(), by its own clock.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone, noipa))
#define THREADS 4

static unsigned long outer_calls, inner_calls, through_calls, hop_calls,
	even_calls, odd_calls, first_calls, second_calls, third_calls,
	climb_calls, leap_calls, land_calls, choose_calls, loop_calls;
static unsigned long leap_lost, land_lost;
static long shortest = 1000000000, outer_ns;
static jmp_buf top;

static void count(unsigned long *calls)
{
	__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
}

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void note_sleep(long slept)
{
	long least = __atomic_load_n(&shortest, __ATOMIC_RELAXED);

	while (slept < least &&
	       !__atomic_compare_exchange_n(&shortest, &least, slept, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

APART long inner(long n)
{
	const struct timespec nap = {0, 1000000};
	long start;

	count(&inner_calls);
	start = now();
	nanosleep(&nap, NULL);
	note_sleep(now() - start);
	return n + 1;
}

APART long outer(long n)
{
	count(&outer_calls);
	return inner(2 * n);
}

APART int through(const struct timespec *nap)
{
	count(&through_calls);
	return nanosleep(nap, NULL);
}

APART long odd(long n);

APART long even(long n)
{
	count(&even_calls);
	return n ? odd(n - 1) : 1;
}

APART long odd(long n)
{
	count(&odd_calls);
	return n ? even(n - 1) : 0;
}

/* Compilers would make a loop of this recursion if the call were direct. */
static long (*volatile loop_again)(long n);

APART long loop(long n)
{
	count(&loop_calls);
	return n ? loop_again(n - 1) : 7;
}

APART long third(long n)
{
	count(&third_calls);
	return n * 3;
}

APART long second(long n)
{
	count(&second_calls);
	return third(n + 2);
}

APART long first(long n)
{
	count(&first_calls);
	return second(n + 1);
}

static long (*volatile targets[])(long n) = {third, second, odd, first};

APART long hop(long which, long n)
{
	count(&hop_calls);
	return targets[which](n);
}

APART long climb(long n)
{
	count(&climb_calls);
	if (n)
		n = climb(n - 1) + 1;
	return third(n);
}

APART long land(long n)
{
	count(&land_calls);
	if (n % 3 == 0) {
		land_lost++;
		longjmp(top, 1);
	}
	return n;
}

APART long leap(long n)
{
	count(&leap_calls);
	leap_lost += n % 3 == 0;
	return land(n);
}

APART long choose(long n)
{
	count(&choose_calls);
	if (n % 4 == 0)
		return third(n);
	return n + 1;
}

static void *sleep_at_once(void *sum)
{
	for (long i = 0; i < 5; i++)
		*(long *)sum += outer(i);
	return NULL;
}

static long with_threads(void)
{
	pthread_t threads[THREADS];
	long sums[THREADS] = {0}, sum = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, sleep_at_once, &sums[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += sums[i];
	}
	return sum;
}

static long with_jumps(void)
{
	volatile long sum = 0;

	for (volatile long i = 0; i < 30; i++) {
		if (setjmp(top) == 0)
			sum += leap(i);
		if (setjmp(top) == 0)
			sum += land(i);
	}
	return sum;
}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? atol(argv[1]) : 40;
	const struct timespec nap = {0, 500000};
	long sum = 0, start;

	loop_again = loop;
	for (long i = 0; i < 8; i++) {
		start = now();
		sum += outer(i);
		outer_ns += now() - start;
		sum += inner(i) + through(&nap);
	}
	for (long i = 0; i < rounds; i++) {
		sum += even(i) + odd(i) + loop(i % 5) + first(i) + third(i) +
		       choose(i) + climb(i % 6);
		sum += hop(i % 4, i);
	}
	sum += with_jumps() + with_threads();
	printf("outer %lu\ninner %lu\nthrough %lu\nhop %lu\neven %lu\n"
	       "odd %lu\nfirst %lu\nsecond %lu\nthird %lu\nclimb %lu\n"
	       "leap %lu\nland %lu\nchoose %lu\nloop %lu\n"
	       "leap_lost %lu\nland_lost %lu\n"
	       "shortest_sleep %ld\nouter_ns %ld\nsum %ld\n",
	       outer_calls, inner_calls, through_calls, hop_calls, even_calls,
	       odd_calls, first_calls, second_calls, third_calls, climb_calls,
	       leap_calls, land_calls, choose_calls, loop_calls, leap_lost,
	       land_lost, shortest, outer_ns, sum);
	return 0;
}
