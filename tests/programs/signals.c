/*
 * signals.c - a timer signal a thousand times a second, in a busy program
 *
 * usage: signals [CALLS [TICKS]]
 *
 * The program calls work() CALLS (5,000) times, or more often, until there were
 * TICKS (0) signals. The handler of SIGALRM calls work(), too. `wrong` counts
 * calls with a wrong result: a handler that was entered with a wrong pc or
 * wrong registers would show in them.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t work_calls, handler_runs;

__attribute__((noinline)) unsigned work(unsigned n)
{
	work_calls++;
	return n * 3 + 1;
}

/* This is the only caller of work() while the handler cannot run. */
__attribute__((noinline)) static unsigned guarded_work(unsigned n)
{
	sigset_t all, old;
	unsigned result;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	result = work(n);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return result;
}

__attribute__((noinline)) unsigned interrupted(unsigned n)
{
	return n * 5 + 2;
}

static void on_alarm(int signal)
{
	(void)signal;
	handler_runs++;
	work(1);
}

int main(int argc, char **argv)
{
	unsigned calls = argc > 1 ? (unsigned)atoi(argv[1]) : 5000;
	int ticks = argc > 2 ? atoi(argv[2]) : 0;
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval tick = {{0, 1000}, {0, 1000}}, none = {0};
	unsigned wrong = 0, interrupted_calls = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &tick, NULL);
	for (unsigned i = 0; i < calls || handler_runs < ticks; i++) {
		if (guarded_work(i) != i * 3 + 1)
			wrong++;
		if (interrupted(i) != i * 5 + 2)
			wrong++;
		interrupted_calls++;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	printf("work %d\nhandler %d\ninterrupted %u\nwrong %u\n",
	       (int)work_calls, (int)handler_runs, interrupted_calls, wrong);
	return wrong != 0;
}
