/*
 * spied.c - what samples are to find; the first argument says what it does
 *
 *	shares MS	three functions take about 60, 30 and 10 percent of MS
 *			milliseconds of CPU time
 *	waits N		a thread waits N times for 10 ms in each of four ways
 *	faults N	touches N pages
 *	starts		executes `mark` in and outside of recursive functions
 *	deep N		uses the CPU N frames deep
 *	threads N	N threads use their CPUs, each for 2 ms
 *	dies		uses the CPU, then dies by SIGSEGV
 *	forks		a child uses the CPU, too, and then executes `shares`
 *	serves		uses the CPU until its standard input ends
 *
 * It prints what is true of it: shares in percent, counts as they are, the time
 * on the kernel's clock for ticks (task_clock) in milliseconds.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

static volatile uint64_t sink;

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* ---- shares of CPU time -------------------------------------------------- */

static KEPT void sixty(void)
{
	for (unsigned i = 0; i < 600000; i++)
		sink += i;
}

static KEPT void thirty(void)
{
	for (unsigned i = 0; i < 300000; i++)
		sink += i;
}

static KEPT void inner(void)
{
	for (unsigned i = 0; i < 100000; i++)
		sink += i;
}

static KEPT void ten(void)
{
	inner();
	sink++;
}

/* A thread that looks at its clock of CPU time may lose its CPU there, if its
 * share of a busy CPU is used up. Ticks that the tool takes find it there then.
 * So the clock is read as seldom as possible. */
#define RUNS 20

static double timed(void (*function)(void))
{
	const double before = now(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned i = 0; i < RUNS; i++)
		function();
	return now(CLOCK_THREAD_CPUTIME_ID) - before;
}

/* The kernel's clock for ticks, of this thread, and how much the thread has
 * used when the clock begins. On a virtual machine the clock counts the time
 * that the hypervisor has taken, too; CLOCK_THREAD_CPUTIME_ID does not. */
struct task_clock {
	int file; /* -1: the kernel refuses it */
	double before;
};

static struct task_clock open_task_clock(void)
{
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(event),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
	};

	return (struct task_clock){
		.file = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0),
		.before = now(CLOCK_THREAD_CPUTIME_ID)};
}

static void print_task_clock(const struct task_clock *clock)
{
	uint64_t count;

	if (clock->file >= 0 &&
	    read(clock->file, &count, sizeof(count)) == sizeof(count))
		printf("task_clock %.0f\n",
		       clock->before + (double)count / 1e6);
}

static void shares(double ms)
{
	const struct task_clock clock = open_task_clock();
	double times[3] = {0}, all = 0;

	do {
		times[0] += timed(sixty);
		times[1] += timed(thirty);
		times[2] += timed(ten);
		all = times[0] + times[1] + times[2];
	} while (all < ms);
	print_task_clock(&clock);
	printf("sixty %.0f thirty %.0f ten %.0f\n", 100 * times[0] / all,
	       100 * times[1] / all, 100 * times[2] / all);
}

/* ---- waits --------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool is_set;
static int asked[2], answered[2];

static void pause_10_ms(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static char get(int file)
{
	char byte = 0;

	if (read(file, &byte, 1) != 1)
		return 'q';
	return byte;
}

static void put(int file, char byte)
{
	if (write(file, &byte, 1) != 1)
		abort();
}

/* Makes the worker wait, in the way that it asks for. */
static void *partner(void *unused)
{
	char way;

	while ((way = get(asked[0])) != 'q') {
		if (way == 'm') {
			pthread_mutex_lock(&mutex);
			put(answered[1], 'm');
			pause_10_ms();
			pthread_mutex_unlock(&mutex);
			continue;
		}
		pause_10_ms();
		if (way == 'r') {
			put(answered[1], 'r');
			continue;
		}
		pthread_mutex_lock(&mutex);
		is_set = true;
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static KEPT void wait_for_mutex(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static KEPT void wait_for_condition(void)
{
	pthread_mutex_lock(&mutex);
	while (!is_set)
		pthread_cond_wait(&condition, &mutex);
	is_set = false;
	pthread_mutex_unlock(&mutex);
}

static KEPT void wait_for_byte(void)
{
	get(answered[0]);
}

static KEPT void wait_for_time(void)
{
	pause_10_ms();
}

static double elapsed(void (*function)(void))
{
	const double before = now(CLOCK_MONOTONIC);

	function();
	return now(CLOCK_MONOTONIC) - before;
}

static KEPT void *worker(void *count)
{
	double times[4] = {0}, all;

	for (long i = *(long *)count; i > 0; i--) {
		put(asked[1], 'm');
		get(answered[0]);
		times[0] += elapsed(wait_for_mutex);
		put(asked[1], 'c');
		times[1] += elapsed(wait_for_condition);
		put(asked[1], 'r');
		times[2] += elapsed(wait_for_byte);
		times[3] += elapsed(wait_for_time);
	}
	put(asked[1], 'q');
	all = times[0] + times[1] + times[2] + times[3];
	printf("ML %.0f CV %.0f read %.0f sleep %.0f\n", 100 * times[0] / all,
	       100 * times[1] / all, 100 * times[2] / all,
	       100 * times[3] / all);
	return NULL;
}

static void waits(long count)
{
	pthread_t threads[2];

	if (pipe(asked) || pipe(answered))
		abort();
	pthread_create(&threads[0], NULL, partner, NULL);
	pthread_create(&threads[1], NULL, worker, &count);
	pthread_join(threads[1], NULL);
	pthread_join(threads[0], NULL);
}

/* ---- page faults --------------------------------------------------------- */

static KEPT void touch(volatile char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		memory[i * 4096] = 1;
}

static void faults(size_t pages)
{
	char *memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, after;

	madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	touch(memory, pages);
	getrusage(RUSAGE_SELF, &after);
	printf("touch %ld\n", after.ru_minflt - before.ru_minflt);
}

/* ---- starts and stops ---------------------------------------------------- */

static jmp_buf place;

static KEPT void mark(void)
{
	sink++;
}

static KEPT void marks(int count)
{
	for (int i = 0; i < count; i++)
		mark();
}

static KEPT void recursive(int depth)
{
	mark();
	if (depth > 1)
		recursive(depth - 1);
	mark();
	sink++;
}

static KEPT void leaper(int depth)
{
	mark();
	if (depth > 1)
		leaper(depth - 1);
	else if (depth > 0)
		longjmp(place, 1);
	sink++;
}

static KEPT void begin(void)
{
	sink++;
}

static void starts(void)
{
	marks(2);
	recursive(3);
	marks(4);
	if (!setjmp(place))
		leaper(4);
	/* What the frames of leaper() had on the stack is still there. */
	for (int i = 0; i < 8; i++)
		mark();
	recursive(1);
	begin();
	marks(16);
	sink++; /* the end */
	marks(32);
	printf("recursive 8 leaper 4 begun 16 all 74\n");
}

/* ---- others -------------------------------------------------------------- */

static KEPT void deep(long depth)
{
	if (depth > 1) {
		deep(depth - 1);
		sink++;
		return;
	}
	for (int i = 0; i < 100; i++)
		sixty();
}

static void *use_cpu(void *unused)
{
	const double end = now(CLOCK_THREAD_CPUTIME_ID) + 2;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		inner();
	return unused;
}

static void many_threads(long count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t attributes;
	long begun = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	while (begun < count &&
	       !pthread_create(&threads[begun], &attributes, use_cpu, NULL))
		begun++;
	for (long i = 0; i < begun; i++)
		pthread_join(threads[i], NULL);
	printf("threads %ld\n", begun);
	free(threads);
}

static KEPT void child_work(void)
{
	for (int i = 0; i < 200; i++)
		sixty();
}

static void forks(char *program)
{
	const pid_t child = fork();
	int status;

	if (child) {
		for (int i = 0; i < 400; i++)
			thirty();
		waitpid(child, &status, 0);
		return;
	}
	child_work();
	execl(program, "spied", "shares", "300", NULL);
	_exit(1);
}

static void *serve(void *unused)
{
	while (!atomic_load((atomic_int *)unused))
		shares(1);
	return unused;
}

static void serves(void)
{
	atomic_int is_over = 0;
	pthread_t thread;
	char byte;

	printf("ready\n");
	fflush(stdout);
	if (!freopen("/dev/null", "w", stdout))
		abort();
	pthread_create(&thread, NULL, serve, &is_over);
	while (read(0, &byte, 1) > 0)
		;
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const long number = argc > 2 ? atol(argv[2]) : 0;

	if (strcmp(what, "shares") == 0)
		shares((double)number);
	else if (strcmp(what, "waits") == 0)
		waits(number);
	else if (strcmp(what, "faults") == 0)
		faults((size_t)number);
	else if (strcmp(what, "starts") == 0)
		starts();
	else if (strcmp(what, "deep") == 0)
		deep(number);
	else if (strcmp(what, "threads") == 0)
		many_threads(number);
	else if (strcmp(what, "forks") == 0)
		forks(argv[0]);
	else if (strcmp(what, "serves") == 0)
		serves();
	else if (strcmp(what, "dies") == 0) {
		shares(300);
		fflush(stdout);
		raise(SIGSEGV);
	}
	return 0;
}
