/*
 * watched.c - writes and reads a global variable in threads, in forked children
 * and after exec, and prints how often
 *
 * Flags: -O0 -pthread
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct {
	int a;
	short b;
	char text[24];
	double d;
} object;
long shared;
static long *pointer = &shared;

static void *add(void *arg)
{
	for (int i = 0; i < 50; i++)
		__atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED);
	return arg;
}

/* Writes `shared` ten times. */
__attribute__((noinline)) static void in_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 10; i++)
			*pointer = i;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Writes `local` eleven times. */
__attribute__((noinline)) long accumulate(int rounds)
{
	volatile long local = 0;

	for (int i = 0; i < rounds; i++)
		local += i + 1;
	return local;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	long sum = 0;

	if (argc > 1 && argv[1][0] == 'o') {
		/* `on`: writes until it is killed, and tells its progress */
		for (;;) {
			for (int i = 0; i < 100; i++)
				shared++;
			printf("%ld\n", shared);
			fflush(stdout);
			usleep(1000);
		}
	}
	if (argc > 1) {
		shared = 1;
		shared = 1; /* a write that changes nothing counts */
		return 0;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 100; i++)
		shared = i % 7;
	for (int i = 0; i < 30; i++)
		sum += *(volatile long *)pointer;
	for (int i = 0; i < 20; i++) {
		object.a = i;
		object.d = i / 2.0;
	}
	sum += accumulate(10);
	in_child();
	if (vfork() == 0) {
		execl("/proc/self/exe", argv[0], "executed", NULL);
		_exit(1);
	}
	wait(NULL);
	printf("writes %d\nreads %d\nmembers %d\nsum %ld\n",
	       2 * 50 + 100 + 10 + 2, 30, 20, sum);
	return 0;
}
