/*
 * pair.c - empty functions, called by one thread or several
 *
 * usage: pair framed|leaf|deep|rdtsc|ordered COUNT [THREADS [BURST [steady]]]
 *
 * Each thread calls the function COUNT times (rdtsc: reads the counter;
 * ordered: does so when all before it has been done, as clock_gettime(2) does),
 * all at once or in bursts of BURST; before each burst it sleeps, and the
 * threads wait for each other, so that all are at it at the same time; not so
 * if it is steady: then one burst follows the other. Prints, of one call, "ns
 * N", by the wall clock, and "cpu N", of the thread on a CPU: medians of the
 * bursts of all threads, after the first tenth of them; and "rate N", the calls
 * a second of all threads, from when the first began to when the last had
 * ended.
 *
 * framed() begins with an instruction that the kernel's uprobes emulate, leaf()
 * with one that they step over. Neither does anything. deep() calls itself
 * until it is DEPTH deep; each of these calls counts for COUNT and BURST.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

enum { MAX_THREADS = 16, PAUSE_MS = 4, DEPTH = 20 };

long framed(long n);
long leaf(long n);

__asm__(".text\n"
	".globl framed\n.type framed, @function\n.p2align 4\n"
	"framed:\n"
	"	pushq	%rbp\n"
	"	movq	%rsp, %rbp\n"
	"	leaq	0x1000(%rdi), %rax\n"
	"	popq	%rbp\n"
	"	ret\n"
	".size framed, .-framed\n"
	".globl leaf\n.type leaf, @function\n.p2align 4\n"
	"leaf:\n"
	"	leaq	0x1000(%rdi), %rax\n"
	"	ret\n"
	".size leaf, .-leaf\n"
	".p2align 4\n");

__attribute__((noipa)) long deep(long depth)
{
	long below = depth > 1 ? deep(depth - 1) : 0;

	__asm__ volatile("" : "+r"(below)); /* no loop */
	return below + depth;
}

static long all_of_deep(long n)
{
	(void)n;
	return deep(DEPTH);
}

static inline long in_order(long n)
{
	_mm_lfence();
	__rdtsc();
	return n;
}

struct bench {
	long (*function)(long);
	unsigned long bursts, burst;
	bool is_steady;
	pthread_barrier_t start;
};

struct worker {
	struct bench *bench;
	pthread_t thread;
	double *wall, *cpu;  /* of each burst, ns a call */
	double began, ended; /* ns */
};

static const struct {
	const char *name;
	long (*function)(long);
} functions[] = {{"framed", framed},
		 {"leaf", leaf},
		 {"deep", all_of_deep},
		 {"ordered", in_order}};

static double clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void call(long (*function)(long), unsigned long count)
{
	if (function == all_of_deep)
		count /= DEPTH;
	if (function == in_order)
		for (unsigned long i = 0; i < count; i++)
			in_order(0);
	else if (function)
		for (unsigned long i = 0; i < count; i++)
			function((long)i);
	else
		for (unsigned long i = 0; i < count; i++)
			__rdtsc();
}

/* A processor that slept is slow for some microseconds. */
static void wake_up(void)
{
	for (unsigned i = 0; i < 100000; i++)
		__asm__ volatile("");
}

static void *work(void *argument)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
	struct worker *worker = argument;
	struct bench *bench = worker->bench;

	for (unsigned long i = 0; i < bench->bursts; i++) {
		double wall, cpu, end;

		if (bench->bursts > 1 && !bench->is_steady)
			nanosleep(&pause, NULL);
		if (i == 0 || !bench->is_steady) {
			pthread_barrier_wait(&bench->start);
			wake_up();
		}
		cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		wall = clock_ns(CLOCK_MONOTONIC);
		call(bench->function, bench->burst);
		end = clock_ns(CLOCK_MONOTONIC);
		worker->wall[i] = end - wall;
		worker->cpu[i] = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		worker->began = i ? worker->began : wall;
		worker->ended = end;
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned long count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

/* Calls a second of all of them. */
static double rate(const struct worker *workers, unsigned long threads,
		   double count)
{
	double began = workers[0].began, ended = workers[0].ended;

	for (unsigned long i = 1; i < threads; i++) {
		if (workers[i].began < began)
			began = workers[i].began;
		if (workers[i].ended > ended)
			ended = workers[i].ended;
	}
	return (double)threads * count / (ended - began) * 1e9;
}

int main(int argc, char **argv)
{
	unsigned long count, threads, skipped, kept, n = 0;
	struct worker workers[MAX_THREADS];
	struct bench bench = {.bursts = 1};
	double *wall, *cpu;

	if (argc < 3)
		return 2;
	for (unsigned i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strcmp(argv[1], functions[i].name) == 0)
			bench.function = functions[i].function;
	count = strtoul(argv[2], NULL, 10);
	threads = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	bench.burst = argc > 4 ? strtoul(argv[4], NULL, 10) : count;
	bench.bursts = count / bench.burst;
	bench.is_steady = argc > 5;
	if (threads < 1 || threads > MAX_THREADS || bench.bursts < 1)
		return 2;
	skipped = bench.bursts / 10;
	kept = bench.bursts - skipped;
	wall = calloc(threads * kept, sizeof(*wall));
	cpu = calloc(threads * kept, sizeof(*cpu));
	pthread_barrier_init(&bench.start, NULL, (unsigned)threads);
	for (unsigned long i = 0; i < threads; i++) {
		workers[i].bench = &bench;
		workers[i].wall = calloc(bench.bursts, sizeof(double));
		workers[i].cpu = calloc(bench.bursts, sizeof(double));
		if (i && pthread_create(&workers[i].thread, NULL, work,
					&workers[i]) != 0)
			return 1;
	}
	work(&workers[0]);
	for (unsigned long i = 1; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	for (unsigned long i = 0; i < threads; i++)
		for (unsigned long k = skipped; k < bench.bursts; k++, n++) {
			wall[n] = workers[i].wall[k] / (double)bench.burst;
			cpu[n] = workers[i].cpu[k] / (double)bench.burst;
		}
	printf("rate %.0f\n",
	       rate(workers, threads, (double)(bench.bursts * bench.burst)));
	printf("cpu %.3f\n", median(cpu, n));
	printf("ns %.3f\n", median(wall, n));
	return 0;
}
