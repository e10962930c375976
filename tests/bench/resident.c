/*
 * resident.c - how much memory a program of many threads has
 *
 * usage: resident THREADS FUNCTIONS
 *
 * Each thread makes CALLS calls, of the first FUNCTIONS of leg_0 to leg_99 by
 * turns. A call takes from some nanoseconds to some microseconds, so that
 * buckets of all sizes are used. When all threads have done so, and all are
 * still there, the program prints "kb N", its resident memory.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 1000, MAX_FUNCTIONS = 100, CALLS = 40000, LENGTHS = 12 };

#define LEG(n)                                                                 \
	__attribute__((noipa)) void leg_##n(unsigned long length)              \
	{                                                                      \
		while (length--)                                               \
			__asm__ volatile("");                                  \
	}
#define FIVE(of, a, b, c, d, e) of(a) of(b) of(c) of(d) of(e)
#define TEN(of, n)                                                             \
	FIVE(of, n##0, n##1, n##2, n##3, n##4)                                 \
	FIVE(of, n##5, n##6, n##7, n##8, n##9)
#define FIFTY(of, a, b, c, d, e)                                               \
	TEN(of, a) TEN(of, b) TEN(of, c) TEN(of, d) TEN(of, e)
#define HUNDRED(of)                                                            \
	FIFTY(of, , 1, 2, 3, 4)                                                \
	FIFTY(of, 5, 6, 7, 8, 9)

HUNDRED(LEG)

#define NAME(n) leg_##n,
static void (*const functions[MAX_FUNCTIONS])(unsigned long) = {HUNDRED(NAME)};

static pthread_barrier_t done, shown;
static unsigned long used;

static void *work(void *unused)
{
	(void)unused;
	for (unsigned long i = 0; i < CALLS / used; i++)
		for (unsigned long k = 0; k < used; k++)
			functions[k](1UL << i % LENGTHS);
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&shown);
	return NULL;
}

/* What /proc/self/status has is only near the truth. */
static long resident_kb(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
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
	static pthread_t threads[MAX_THREADS];
	unsigned long count;

	if (argc < 3)
		return 2;
	count = strtoul(argv[1], NULL, 10);
	used = strtoul(argv[2], NULL, 10);
	if (count < 1 || count > MAX_THREADS || used < 1 ||
	    used > MAX_FUNCTIONS)
		return 2;
	pthread_barrier_init(&done, NULL, (unsigned)count + 1);
	pthread_barrier_init(&shown, NULL, (unsigned)count + 1);
	for (unsigned long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	pthread_barrier_wait(&done);
	printf("kb %ld\n", resident_kb());
	pthread_barrier_wait(&shown);
	for (unsigned long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
