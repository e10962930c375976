/*
 * cpu.c - functions that know how long they were on a CPU
 *
 * usage: cpu compute|rest|share|fork|exec [CALLS [THREADS [SPINS]]]
 *        cpu asked
 *        cpu parts
 *
 * Each of THREADS (1) threads calls work() CALLS (20) times. With `compute`,
 * work() computes for some milliseconds, or for SPINS. With `rest`, it also
 * sleeps half-way. `share` is like `compute`, with all threads on one CPU.
 * `fork` is like `rest`, and a child does the same. `exec` is like `rest`,
 * after the program has executed itself again. With `asked`, each line of input
 * is a number: nap() sleeps so many times, each time as short as possible; then
 * the program answers. It also says when it has started. With `parts`, four
 * threads call part(), which computes for some ten microseconds, until they are
 * killed.
 *
 * In the end the program prints how many calls there were, and for all of them
 * together, in microseconds and as the kernel counts them: the time on a CPU,
 * the time that has passed, and the time for which the threads slept at least
 * or were ready and waited for a CPU; and how often the threads were taken off
 * their CPU. On a virtual machine a part of the time may be in neither the
 * first nor the last of them: that in which the machine itself had no CPU.
 *
 * There is padding behind each function, so that a jump has room at the
 * function's exit wherever the kernel has put the heap. A test needs jumps
 * there, because it stops the tool.
 *
 * Flags: -falign-functions=64
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 1024 };

static unsigned calls = 20, spins = 16000000;
static long rest_us;

struct sums {
	uint64_t calls, cpu, passed, off, switches;
};

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* The time for which this thread was ready and waited for a CPU, ns; 0 where
 * the kernel does not tell. */
static uint64_t waited(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	unsigned long on, waited = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu %lu", &on, &waited) != 2)
		waited = 0;
	fclose(file);
	return waited;
}

static void compute(unsigned count)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += i;
}

__attribute__((noinline)) void work(struct sums *sums)
{
	uint64_t passed = read_clock(CLOCK_MONOTONIC_RAW);
	uint64_t off = waited();
	uint64_t cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
	uint64_t before = switches();

	compute(spins / 2);
	if (rest_us)
		usleep((useconds_t)rest_us);
	compute(spins / 2);
	sums->cpu += read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
	sums->off += waited() - off + (uint64_t)rest_us * 1000;
	sums->passed += read_clock(CLOCK_MONOTONIC_RAW) - passed;
	sums->switches += switches() - before;
	sums->calls++;
}

__attribute__((noinline)) void nap(unsigned times)
{
	while (times-- > 0)
		usleep(1);
}

__attribute__((noinline)) void part(void)
{
	compute(10000);
}

static void *parts(void *unused)
{
	for (;;)
		part();
	return unused;
}

/* All threads exist before the first of them begins. */
static pthread_barrier_t all_there;

static void *worker(void *sums)
{
	pthread_barrier_wait(&all_there);
	for (unsigned i = 0; i < calls; i++)
		work(sums);
	return NULL;
}

static void run(unsigned threads)
{
	static struct sums sums[MOST_THREADS];
	static pthread_t others[MOST_THREADS];
	struct sums all = {0};

	pthread_barrier_init(&all_there, NULL, threads);
	for (unsigned i = 1; i < threads; i++)
		pthread_create(&others[i], NULL, worker, &sums[i]);
	worker(&sums[0]);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	for (unsigned i = 0; i < threads; i++) {
		all.calls += sums[i].calls;
		all.cpu += sums[i].cpu;
		all.passed += sums[i].passed;
		all.off += sums[i].off;
		all.switches += sums[i].switches;
	}
	printf("calls %lu cpu %lu passed %lu off %lu switches %lu\n",
	       (unsigned long)all.calls, (unsigned long)all.cpu / 1000,
	       (unsigned long)all.passed / 1000, (unsigned long)all.off / 1000,
	       (unsigned long)all.switches);
	fflush(stdout);
}

static void share_a_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void answer(void)
{
	char line[64];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		nap((unsigned)atoi(line));
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	unsigned threads = 1;

	if (argc > 2)
		calls = (unsigned)atoi(argv[2]);
	if (argc > 3)
		threads = (unsigned)atoi(argv[3]);
	if (argc > 4)
		spins = (unsigned)atoi(argv[4]);
	if (threads < 1 || threads > MOST_THREADS)
		return 2;
	if (strcmp(how, "asked") == 0) {
		answer();
		return 0;
	}
	if (strcmp(how, "parts") == 0) {
		pthread_t thread;

		for (int i = 0; i < 3; i++)
			pthread_create(&thread, NULL, parts, NULL);
		parts(NULL);
	}
	if (strcmp(how, "exec") == 0) {
		execl(argv[0], argv[0], "rest", argc > 2 ? argv[2] : NULL,
		      (char *)NULL);
		return 99;
	}
	if (strcmp(how, "share") == 0)
		share_a_cpu();
	else if (strcmp(how, "compute") != 0)
		rest_us = 5000;
	if (strcmp(how, "fork") == 0 && fork() == 0) {
		run(threads);
		return 0;
	}
	run(threads);
	while (wait(NULL) > 0)
		;
	return 0;
}
