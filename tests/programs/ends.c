/*
 * ends.c - a program that ends in the way that its arguments say
 *
 * usage: ends exit STATUS | signal NUMBER | loop | stubborn | thread-exit
 *
 * With `loop` the program says "ready" and works until a signal ends it; on
 * SIGINT it prints how often it worked. With `stubborn` it ignores SIGINT. In
 * each case it first calls work() 10 times.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t work_calls, interrupted;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void *say_later(void *unused)
{
	for (int i = 0; i < 10; i++)
		work();
	printf("work %d\n", (int)work_calls);
	fflush(stdout);
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	int number = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t thread;

	for (int i = 0; i < 10; i++)
		work();
	if (strcmp(how, "exit") == 0) {
		printf("work %d\n", (int)work_calls);
		return number;
	}
	if (strcmp(how, "signal") == 0) {
		printf("work %d\n", (int)work_calls);
		fflush(stdout);
		raise(number);
		return 99;
	}
	if (strcmp(how, "loop") == 0 || strcmp(how, "stubborn") == 0) {
		signal(SIGINT, how[0] == 'l' ? on_interrupt : SIG_IGN);
		puts("ready");
		fflush(stdout);
		while (!interrupted) {
			work();
			usleep(1000);
		}
		printf("work %d\n", (int)work_calls);
		return 3;
	}
	if (strcmp(how, "thread-exit") == 0) {
		pthread_create(&thread, NULL, say_later, NULL);
		pthread_exit(NULL);
	}
	return 98;
}
