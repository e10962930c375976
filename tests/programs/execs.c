/*
 * execs.c - a program that executes itself again until its argument is 0
 *
 * usage: execs N: each image calls work() 10 times
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int work_calls;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 3;
	char next[16];

	for (int i = 0; i < 10; i++)
		work();
	printf("work %d\n", work_calls);
	fflush(stdout);
	if (left == 0)
		return 0;
	snprintf(next, sizeof(next), "%d", left - 1);
	execl("/proc/self/exe", argv[0], next, (char *)NULL);
	return 99;
}
