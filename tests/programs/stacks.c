/*
 * stacks.c - stacks made by hand, which take turns by a few instructions, as
 * the stacks of boost.context do
 *
 * usage: stacks [THREADS]
 *
 * 6 contexts on stacks from malloc call step() 6 times each. step() sleeps,
 * lets the other contexts have their turns in the middle, two calls deep, and
 * begins a request, which end() ends after further turns. The main thread
 * resumes the contexts, or THREADS threads do it in turns. In that case a
 * context goes on in another thread each time.
 *
 * The program counts the calls, and prints for how long it slept while a step()
 * was under way (`asked`), and how long these calls took by its own clock
 * (`took`), in ns.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noipa))

enum { CONTEXTS = 6, STEPS = 6, STACK = 65536, NAP_NS = 500000 };

struct context {
	void *sp; /* the stack pointer with which the context goes on */
	char *stack;
	int number;
	int over;
};

static struct context contexts[CONTEXTS];
static struct context *current;
static void *scheduler;
static unsigned long steps, switches, begins, ends, slept_ns, asked;
static long long took;

/* Save the present context in *from, and go on with the one that was left at
 * `to`. */
void switch_to(void **from, void *to);
__asm__(".text\n"
	".globl switch_to\n"
	".type switch_to, @function\n"
	"switch_to:\n"
	"	endbr64\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size switch_to, . - switch_to\n");

APART static void yield(void)
{
	switches++;
	switch_to(&current->sp, scheduler);
}

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void nap(void)
{
	struct timespec time = {0, NAP_NS};

	while (nanosleep(&time, &time) != 0 && errno == EINTR)
		;
	slept_ns += NAP_NS;
}

APART void begin(int request)
{
	begins += request > 0;
}

APART void end(int request)
{
	ends += request > 0;
}

APART void inner(int request)
{
	begin(request);
	yield();
	if (request % 2)
		yield();
	end(request);
}

APART void step(int request)
{
	steps++;
	nap();
	inner(request);
	nap();
}

/* This is the outermost function of a stack; nothing calls it. */
static void run(void)
{
	for (int i = 0; i < STEPS; i++) {
		unsigned long before = slept_ns;
		long long began = now();

		step(100 * current->number + i + 1);
		took += now() - began;
		asked += slept_ns - before;
	}
	current->over = 1;
	for (;;)
		yield();
}

static void prepare(struct context *context, int number)
{
	void **top;

	context->number = number;
	context->stack = malloc(STACK);
	top = (void **)(((unsigned long)context->stack + STACK) & -16UL);
	*--top = NULL; /* run() has no caller */
	*--top = (void *)run;
	top -= 6;
	memset(top, 0, 6 * sizeof(*top));
	context->sp = top;
}

/* Give each context one turn. Are there contexts that have not ended? */
static int turns(void)
{
	int left = 0;

	for (int i = 0; i < CONTEXTS; i++) {
		current = &contexts[i];
		if (current->over)
			continue;
		switches++;
		switch_to(&scheduler, current->sp);
		left += !current->over;
	}
	return left;
}

/* ---- threads that take turns -------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int threads, turn, over;

static void *work(void *number)
{
	pthread_mutex_lock(&mutex);
	while (!over) {
		if (turn != (int)(long)number) {
			pthread_cond_wait(&changed, &mutex);
			continue;
		}
		over = !turns();
		turn = (turn + 1) % threads;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[16];

	threads = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < CONTEXTS; i++)
		prepare(&contexts[i], i);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)(long)i);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	while (!threads && turns())
		;
	printf("steps %lu switches %lu begins %lu ends %lu asked %lu took "
	       "%lld\n",
	       steps, switches, begins, ends, asked, took);
	for (int i = 0; i < CONTEXTS; i++)
		free(contexts[i].stack);
	return 0;
}
