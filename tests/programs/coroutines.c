/*
 * coroutines.c - stacks that take turns, by makecontext and swapcontext
 *
 * 8 coroutines call step() 50 times each, and yield in the middle of every
 * call, nested at different depths. So the entries and exits of all coroutines
 * are mixed, and each frame is left. Then 20 more coroutines begin one after
 * the other on the same stack and are abandoned within step(). The frame of
 * each of them but the last is entered again by the next one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { COROUTINES = 8, STEPS = 50, ABANDONED = 20, STACK = 65536 };

static ucontext_t scheduler, contexts[COROUTINES];
static int current, over[COROUTINES];
static unsigned long entered, left;

__attribute__((noinline)) void step(int depth)
{
	entered++;
	if (depth)
		step(depth - 1);
	else
		swapcontext(&contexts[current], &scheduler);
	left++;
}

static void run(void)
{
	for (int i = 0; i < STEPS; i++)
		step((current + i) % 4);
	over[current] = 1;
}

static void abandoned(void)
{
	step(0);
}

static void prepare(ucontext_t *context, char *stack, void (*function)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = STACK;
	context->uc_link = &scheduler;
	makecontext(context, function, 0);
}

int main(void)
{
	char *stacks = malloc(COROUTINES * STACK);

	for (int i = 0; i < COROUTINES; i++)
		prepare(&contexts[i], stacks + i * STACK, run);
	for (int left_over = COROUTINES; left_over;
	     current = (current + 1) % COROUTINES) {
		if (over[current])
			continue;
		swapcontext(&scheduler, &contexts[current]);
		left_over -= over[current];
	}
	current = 0;
	for (int i = 0; i < ABANDONED; i++) {
		prepare(&contexts[0], stacks, abandoned);
		swapcontext(&scheduler, &contexts[0]);
	}
	printf("entered %lu\nleft %lu\nabandoned %d\n", entered, left,
	       ABANDONED);
	free(stacks);
	return 0;
}
