/*
 * built.c - a program to be built with options that change how functions begin
 * and end, and what they consist of
 *
 * usage: built [-]: works once; with `-` it says that it is ready, and works
 * once for each line of its input
 *
 * The program counts the calls of its functions itself, and prints after each
 * round how many there were so far. `asked` is how long nap() was to sleep in
 * total, and `took` is the time around its calls by the program's own clock, in
 * ns. If the compiler calls hooks (-finstrument-functions), `hooks` is how
 * often it called them, and `outside` is how often a hook was told of a caller
 * that is not in the program.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PLAIN __attribute__((no_instrument_function))
#ifdef __clang__ /* clang splits no function that must not be inlined */
#define APART __attribute__((noinline))
#define WHOLE __attribute__((weak))
#else
#define APART __attribute__((noinline, noclone))
#define WHOLE APART
#endif

enum { ROUND = 200, NAPS = 2, NAP_NS = 10000000 };

static unsigned long leaf_calls, fold_calls, rare_calls, brief_calls,
	last_calls, hand_calls, complaints, nap_calls, hooks, outside;
static long long took;

/* The linker sets these to the beginning and the end of the program's code. */
extern const char __executable_start[], etext[];

PLAIN void __cyg_profile_func_enter(void *function, void *caller);
PLAIN void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)function;
	hooks++;
	outside += (const char *)caller < __executable_start ||
		   (const char *)caller >= etext;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	__cyg_profile_func_enter(function, caller);
}

__attribute__((noinline, cold)) void complain(const char *what, long n)
{
	complaints += strlen(what) + (unsigned long)n % 2;
}

APART long leaf(long n)
{
	leaf_calls++;
	return 2 * n + 1;
}

/* The assembly keeps compilers from making a loop of this recursion. */
APART long fold(long n)
{
	long one, other;

	fold_calls++;
	if (n < 2)
		return leaf(n);
	one = fold(n - 1);
	__asm__ volatile("" : "+r"(one));
	other = fold(n - 2);
	__asm__ volatile("" : "+r"(other));
	return one + other;
}

/* The compiler puts code that is seldom executed into a separate part of the
 * function. rare() comes back from that part, brief() returns in it, last()
 * goes on from it in another function. */
WHOLE long rare(const char *text, long n)
{
	rare_calls++;
	if (__builtin_expect(n % 5 == 0, 0)) {
		complain(text, n);
		complain(text, n + 1);
		complain(text + 1, n * 7);
		n += leaf(n);
	}
	n = leaf(n) + n;
	if (__builtin_expect(n % 7 == 0, 0)) {
		complain("seven", n);
		complain(text, n * 2);
		return leaf(n) - n;
	}
	return n + (long)strlen(text);
}

WHOLE long brief(const char *text, long n)
{
	brief_calls++;
	if (__builtin_expect(n % 11 == 0, 0)) {
		complain(text, n);
		return 7;
	}
	return 3 * n;
}

WHOLE long last(const char *text, long n)
{
	last_calls++;
	if (__builtin_expect(n % 13 == 0, 0)) {
		complain(text, n);
		complain(text + 2, n * 3);
		return brief(text, n);
	}
	return 5 * n;
}

APART long hand(long (*function)(long), long n)
{
	hand_calls++;
	return function(n);
}

APART int nap(void)
{
	struct timespec time = {0, NAP_NS};

	nap_calls++;
	while (nanosleep(&time, &time) != 0 && errno == EINTR)
		;
	return (int)nap_calls;
}

static PLAIN long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static PLAIN void work(void)
{
	long sum = 0;

	for (long i = 0; i < ROUND; i++)
		sum += rare("hello", i) + brief("you", i) + last("there", i) +
		       hand(i % 3 ? leaf : fold, i % 8);
	for (int i = 0; i < NAPS; i++) {
		long long began = now();

		sum += nap();
		took += now() - began;
	}
	printf("leaf %lu fold %lu rare %lu brief %lu last %lu hand %lu nap %lu "
	       "complaints %lu "
	       "sum %ld hooks %lu outside %lu asked %lu took %lld\n",
	       leaf_calls, fold_calls, rare_calls, brief_calls, last_calls,
	       hand_calls, nap_calls, complaints, sum, hooks, outside,
	       nap_calls * NAP_NS, took);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[64];

	(void)argv;
	if (argc < 2) {
		work();
		return 0;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		work();
	return 0;
}
