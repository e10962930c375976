/*
 * altstack.c - signal handlers on a signal stack, which end by a return or by
 * siglongjmp
 *
 * outer() raises a signal. The handler runs on the signal stack and calls
 * inner() twice, once nested. Every fifth time, the handler jumps out of the
 * inner call of inner(), of itself, and of outer(). Two threads do all this,
 * each with its own signal stack.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 200 };

static atomic_ulong outer_entered, outer_left, inner_entered, inner_left;
static __thread sigjmp_buf out;
static __thread volatile int round_number;

__attribute__((noinline)) void inner(int depth)
{
	inner_entered++;
	if (depth)
		inner(depth - 1);
	else if (round_number % 5 == 0)
		siglongjmp(out, 1);
	inner_left++;
}

static void on_signal(int signal)
{
	(void)signal;
	inner(1);
	inner(0);
}

__attribute__((noinline)) void outer(void)
{
	outer_entered++;
	raise(SIGUSR1);
	outer_left++;
}

static void *rounds(void *unused)
{
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	stack_t none = {.ss_flags = SS_DISABLE};

	sigaltstack(&stack, NULL);
	for (round_number = 0; round_number < ROUNDS; round_number++)
		if (sigsetjmp(out, 1) == 0)
			outer();
	sigaltstack(&none, NULL);
	free(stack.ss_sp);
	return unused;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_ONSTACK};
	pthread_t other;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&other, NULL, rounds, NULL);
	rounds(NULL);
	pthread_join(other, NULL);
	printf("outer_entered %lu\nouter_left %lu\n"
	       "inner_entered %lu\ninner_left %lu\n",
	       outer_entered, outer_left, inner_entered, inner_left);
	return 0;
}
