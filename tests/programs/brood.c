/*
 * brood.c - many children that exist at the same time
 *
 * usage: brood N
 *
 * Each of N children calls work() once, and ends when all of them have called
 * it. Then the program prints how many children ended well, and how many files
 * it may have open.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int all_have[2];
static int has[2];

__attribute__((noinline)) int work(int x)
{
	__asm__ volatile("" ::: "memory");
	return x + 1;
}

static void child(int number)
{
	char byte = (char)(work(number) != 0);

	close(all_have[1]);
	if (write(has[1], &byte, 1) != 1)
		_exit(1);
	/* the end of the file says that the parent has closed its end */
	_exit(read(all_have[0], &byte, 1) == 0 ? 0 : 2);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 10, ended = 0, status;
	struct rlimit files;
	char byte;

	if (pipe(all_have) || pipe(has))
		return 1;
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0)
			child(i);
	}
	for (int i = 0; i < count; i++)
		if (read(has[0], &byte, 1) != 1)
			return 1;
	close(all_have[1]);
	while (wait(&status) > 0)
		ended += status == 0;
	getrlimit(RLIMIT_NOFILE, &files);
	printf("ended %d files %lu\n", ended, (unsigned long)files.rlim_cur);
	return 0;
}
