/*
 * execs.c - a program that executes itself again until its argument is 0
 *
 * usage: execs N           each image calls work() 10 times
 *        execs N threads   each image has five more threads: four call work(),
 * and the last one executes the next image, 5 ms after it has begun; in every
 * other image the first thread ends before
 *
 * Flags: -pthread
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int work_calls;
static char **arguments;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

static void *execute_next(void *unused)
{
	char next[16];

	(void)unused;
	/* (/proc/self shows a first thread that has ended.) */
	snprintf(next, sizeof(next), "%d", atoi(arguments[1]) - 1);
	execl("/proc/thread-self/exe", arguments[0], next, arguments[2],
	      (char *)NULL);
	_exit(99);
}

static void *execute_soon(void *unused)
{
	usleep(5000);
	return execute_next(unused);
}

static void *work_on(void *unused)
{
	(void)unused;
	for (;;)
		work();
	return NULL;
}

static void run_threads(int left)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, work_on, NULL);
	pthread_create(&thread, NULL, execute_soon, NULL);
	if (left % 2)
		pthread_exit(NULL);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 3;

	arguments = argv;
	if (argc > 2 && left)
		run_threads(left);
	for (int i = 0; i < 10; i++)
		work();
	printf("work %d\n", work_calls);
	fflush(stdout);
	if (left == 0)
		return 0;
	execute_next(NULL);
}
