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
#define TEN(of, n)                                                             \
	of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6)         \
		of(n##7) of(n##8) of(n##9)
#define HUNDRED(of)                                                            \
	TEN(of, )                                                              \
	TEN(of, 1)                                                             \
	TEN(of, 2) TEN(of, 3) TEN(of, 4) TEN(of, 5) TEN(of, 6) TEN(of, 7)      \
		TEN(of, 8) TEN(of, 9)

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
