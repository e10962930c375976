/*
 * called.c - calls that a profile of calls must count right, and how they end
 *
 * usage: called WAY
 *
 * The program prints for each function of that way how often it was called, and
 * how many of these calls ended without a return: "FUNCTION CALLS UNRETURNED".
 *
 *	recursion   a function calls itself, and two call each other
 *	abyss       a function calls itself 100,000 times
 *	jumps       tail jumps, one of them into a function of the C library
 *	pointers    tail jumps by way of a function that jumps through a pointer
 *	exit, _exit, exec, kill, thread, cancel
 *	            calls are open when the process or the thread ends this way
 *	waits       one function waits, another one works
 *	shifts      each of 8 threads, one after the other, waits and works;
 *	            the program prints how long they were on a CPU, us
 *	assembly    a function without a frame, and one without symbol type
 *	library     functions of the C library, also an indirect one
 *	nested      each of 8 threads calls functions of their own
 *	serve       calls once for each line of standard input
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile long sink;

static void told(const char *function, long calls, long unreturned)
{
	printf("%s %ld %ld\n", function, calls, unreturned);
}

static NOINLINE void leaf(void)
{
	for (int i = 0; i < 100; i++)
		sink += i;
}

static NOINLINE void call_leaf(void)
{
	leaf();
	sink++;
}

/* ---- recursion ----------------------------------------------------------- */

static NOINLINE void deeper(int depth)
{
	leaf();
	if (depth)
		deeper(depth - 1);
	sink++;
}

static NOINLINE void odd(int depth);

static NOINLINE void even(int depth)
{
	if (depth)
		odd(depth - 1);
	sink++;
}

static NOINLINE void odd(int depth)
{
	leaf();
	if (depth)
		even(depth - 1);
	sink++;
}

static void recursion(void)
{
	for (int i = 0; i < 10; i++) {
		deeper(20);
		even(9);
	}
	told("deeper", 210, 0);
	told("even", 50, 0);
	told("odd", 50, 0);
	told("leaf", 260, 0);
}

static void abyss(void)
{
	deeper(100000);
	told("deeper", 100001, 0);
	told("leaf", 100001, 0);
}

/* ---- tail jumps ---------------------------------------------------------- */

__attribute__((noinline, noclone, optimize("O2"))) static void jumped_to(void)
{
	leaf();
	sink++;
}

__attribute__((noinline, noclone, optimize("O2"))) static void jumps(void)
{
	sink++;
	jumped_to();
}

__attribute__((noinline, noclone, optimize("O2"))) static void
jumps_away(void *memory)
{
	sink++;
	free(memory);
}

static void tail_jumps(void)
{
	for (int i = 0; i < 100; i++) {
		jumps();
		jumps_away(malloc(10));
	}
	told("jumps", 100, 0);
	told("jumped_to", 100, 0);
	told("jumps_away", 100, 0);
	told("leaf", 100, 0);
}

/* A tail jump leads to a function that has no name here, and from there through
 * a pointer to one of several: the frame of `jumps_twice` ends in these. The
 * program works between two calls. */
__attribute__((noinline, noclone, optimize("O2"))) static void last_one(void)
{
	sink++;
}

__attribute__((noinline, noclone, optimize("O2"))) static void last_two(void)
{
	sink += 2;
}

static void (*volatile last[2])(void) = {last_one, last_two};

__attribute__((noinline, noclone, optimize("O2"))) static void middle(long way)
{
	sink += way;
	last[way]();
}

__attribute__((noinline, noclone, optimize("O2"))) static void
jumps_twice(long way)
{
	sink++;
	middle(way);
}

static void pointers(void)
{
	for (int i = 0; i < 4; i++) {
		jumps_twice(i % 2);
		leaf();
	}
	told("jumps_twice", 4, 0);
}

/* ---- ends ---------------------------------------------------------------- */

static NOINLINE void inner_end(const char *way, char *program)
{
	leaf();
	fflush(stdout);
	if (strcmp(way, "exit") == 0)
		exit(0);
	if (strcmp(way, "_exit") == 0)
		_exit(0);
	if (strcmp(way, "exec") == 0)
		execl(program, program, "leaf", NULL);
	if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGKILL);
	sink++;
}

static NOINLINE void outer_end(const char *way, char *program)
{
	inner_end(way, program);
	sink++;
}

static void ends(const char *way, char *program)
{
	told("outer_end", 1, 1);
	told("inner_end", 1, 1);
	if (strcmp(way, "exec") != 0)
		told("leaf", 1, 0);
	outer_end(way, program);
}

/* ---- threads ------------------------------------------------------------- */

static NOINLINE void inner_thread(const char *way)
{
	leaf();
	if (strcmp(way, "thread") == 0)
		pthread_exit(NULL);
	for (;;)
		pause();
}

static NOINLINE void outer_thread(const char *way)
{
	inner_thread(way);
	sink++;
}

static void *run_thread(void *way)
{
	outer_thread(way);
	return NULL;
}

static void threads(char *way)
{
	pthread_t thread;

	for (int i = 0; i < 5; i++) {
		pthread_create(&thread, NULL, run_thread, way);
		if (strcmp(way, "cancel") == 0)
			pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	/* A cancelled thread may not have come so far. */
	if (strcmp(way, "thread") == 0) {
		told("outer_thread", 5, 5);
		told("inner_thread", 5, 5);
		told("leaf", 5, 0);
	}
}

static void *run_nested(void *argument)
{
	long calls = (long)argument;

	for (long i = 0; i < calls; i++)
		call_leaf();
	return NULL;
}

static void nested(void)
{
	pthread_t thread[8];

	for (long i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, run_nested,
			       (void *)(i * 1000));
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	told("call_leaf", 28000, 0);
	told("leaf", 28000, 0);
	told("run_nested", 8, 0);
}

/* ---- time ---------------------------------------------------------------- */

static NOINLINE void wait_a_while(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	sink++;
}

static NOINLINE void work_a_while(void)
{
	for (int i = 0; i < 20000000; i++)
		sink += i;
}

static NOINLINE void both(void)
{
	wait_a_while();
	work_a_while();
	sink++;
}

static long used_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void *run_shift(void *used)
{
	long began = used_us();

	both();
	*(long *)used += used_us() - began;
	return NULL;
}

static void shifts(void)
{
	pthread_t thread;
	long used = 0;

	for (int i = 0; i < 8; i++) {
		pthread_create(&thread, NULL, run_shift, &used);
		pthread_join(thread, NULL);
	}
	printf("used %ld\n", used);
}

/* ---- assembly ------------------------------------------------------------ */

void frameless(void);
void untyped(void);

/* clang-format off */
__asm__(".text\n"
	".globl frameless\n"
	".type frameless, @function\n"
	"frameless:\n"
	"	incq assembled(%rip)\n"
	"	ret\n"
	".size frameless, .-frameless\n"
	".globl untyped\n"
	"untyped:\n"
	"	incq assembled(%rip)\n"
	"	incq assembled(%rip)\n"
	"	ret\n"
	".balign 16\n"
	".local assembled\n"
	".comm assembled,8,8\n");
/* clang-format on */

static void assembly(void)
{
	for (int i = 0; i < 50; i++) {
		frameless();
		untyped();
	}
	told("frameless", 50, 0);
	told("untyped", 50, 0);
}

/* ---- the C library ------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void library(void)
{
	int numbers[] = {2, 1};
	char *(*volatile find)(const char *, int) = strchr;

	for (int i = 0; i < 30; i++) {
		qsort(numbers, 2, sizeof(*numbers), compare);
		sink += find("abc", 'c') != NULL;
	}
	told("compare", 30, 0);
	told("qsort", 30, 0);
	told("strchr", 30, 0);
}

/* -------------------------------------------------------------------------- */

static void serve(void)
{
	char line[100];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		call_leaf();
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	char *way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "recursion") == 0)
		recursion();
	else if (strcmp(way, "abyss") == 0)
		abyss();
	else if (strcmp(way, "jumps") == 0)
		tail_jumps();
	else if (strcmp(way, "pointers") == 0)
		pointers();
	else if (strcmp(way, "leaf") == 0)
		leaf();
	else if (strcmp(way, "thread") == 0 || strcmp(way, "cancel") == 0)
		threads(way);
	else if (strcmp(way, "nested") == 0)
		nested();
	else if (strcmp(way, "waits") == 0)
		both();
	else if (strcmp(way, "shifts") == 0)
		shifts();
	else if (strcmp(way, "assembly") == 0)
		assembly();
	else if (strcmp(way, "library") == 0)
		library();
	else if (strcmp(way, "serve") == 0)
		serve();
	else
		ends(way, argv[0]);
	return 0;
}
