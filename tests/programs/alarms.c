/*
 * alarms.c - a timer that interrupts a program at any instruction, and handlers
 * that return or jump out
 *
 * usage: alarms own|alternate SIGNALS
 *
 * The program calls outer() until there were SIGNALS signals. outer() calls
 * leaf() LEAVES times. The handler runs on the thread's own stack or on an
 * alternate one; it calls handled(), which calls itself. Every fifth handler
 * jumps out of handled(), of itself, and of outer(), if outer() has counted its
 * entry and not yet its end. A handler may also jump out of leaf(), before or
 * after leaf() has counted itself.
 *
 * A signal comes only when the program has gone on since the last one, so that
 * it is never slower than the signals. `wrong` counts wrong results of leaf().
 */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { LEAVES = 20, MOST_US = 40 };

static volatile unsigned long signals, leaps, outer_entered, outer_left,
	handled_entered, handled_left, wrong;
static unsigned long leaf_entered, leaf_left;
static volatile sig_atomic_t may_leap, is_armed;
static unsigned long random_state = 1;
static sigjmp_buf out;

static unsigned draw(unsigned below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 32) % below;
}

/* (No signal comes in the middle of this.) */
static void count(unsigned long *calls)
{
	__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
}

__attribute__((noipa)) unsigned long leaf(unsigned long n)
{
	count(&leaf_entered);
	n = n * 3 + 1;
	count(&leaf_left);
	return n;
}

__attribute__((noipa)) void handled(int depth, bool leap)
{
	handled_entered++;
	if (depth) {
		handled(depth - 1, leap);
	} else if (leap) {
		leaps++;
		may_leap = false;
		siglongjmp(out, 1);
	}
	handled_left++;
}

static void on_alarm(int signal)
{
	(void)signal;
	is_armed = false;
	signals++;
	handled(2, false);
	handled(1, may_leap && signals % 5 == 0);
	if (leaf(signals) != signals * 3 + 1)
		wrong++;
}

__attribute__((noipa)) void outer(void)
{
	outer_entered++;
	may_leap = true;
	for (unsigned long i = 0; i < LEAVES; i++)
		if (leaf(i) != i * 3 + 1)
			wrong++;
	may_leap = false;
	outer_left++;
}

static void arm(void)
{
	const struct itimerval soon = {.it_value.tv_usec =
					       1 + (suseconds_t)draw(MOST_US)};

	is_armed = true;
	setitimer(ITIMER_REAL, &soon, NULL);
}

int main(int argc, char **argv)
{
	const bool is_alternate = argc > 1 && strcmp(argv[1], "own") != 0;
	const unsigned long most = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	struct sigaction action = {.sa_handler = on_alarm};

	if (is_alternate) {
		sigaltstack(&stack, NULL);
		action.sa_flags = SA_ONSTACK;
	}
	sigfillset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	while (signals < most) {
		if (!is_armed)
			arm();
		if (sigsetjmp(out, 1) == 0)
			outer();
	}
	/* After this it is known which frames are gone. */
	signal(SIGALRM, SIG_IGN);
	outer();
	printf("signals %lu\nleaps %lu\nouter_entered %lu\nouter_left %lu\n"
	       "leaf_entered %lu\nleaf_left %lu\nhandled_entered %lu\n"
	       "handled_left %lu\nwrong %lu\n",
	       signals, leaps, outer_entered, outer_left, leaf_entered,
	       leaf_left, handled_entered, handled_left, wrong);
	return wrong != 0;
}
