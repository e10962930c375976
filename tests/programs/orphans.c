/*
 * orphans.c - children whose parent is killed while it makes them
 *
 * usage: orphans ROUNDS reaper | stranger | exec
 *
 * In each round, a process makes children, which call work() ten times, until
 * it is killed at some moment. Then the program waits for all the children.
 * With `reaper` the children become children of this program. With `stranger`
 * they become children of another process, and a pipe tells of their end. A
 * round ends only when each child has ended. With `exec`, a thread makes the
 * children, until another thread executes the program anew.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 10 };

struct shared {
	volatile int is_ready;
	unsigned long work_calls, children, ended;
};

static struct shared *shared;

__attribute__((noinline)) void work(void)
{
	__atomic_fetch_add(&shared->work_calls, 1, __ATOMIC_RELAXED);
}

static void make_children(void)
{
	shared->is_ready = 1;
	for (;;) {
		pid_t child = fork();

		if (child == 0) {
			__atomic_fetch_add(&shared->children, 1,
					   __ATOMIC_RELAXED);
			for (int i = 0; i < CALLS; i++)
				work();
			__atomic_fetch_add(&shared->ended, 1, __ATOMIC_RELAXED);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static void *make_in_thread(void *unused)
{
	make_children();
	return unused;
}

/* The shared memory and the pipe stay the same after each exec. */
static void execute_anew(char **argv, int rounds, int memory, const int *ends)
{
	unsigned seed = (unsigned)rounds;
	char numbers[4][16], byte;
	pthread_t maker;

	if (rounds == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 0)
			exit(3);
		return;
	}
	pthread_create(&maker, NULL, make_in_thread, NULL);
	usleep(500 + (unsigned)rand_r(&seed) % 5000);
	snprintf(numbers[0], sizeof(numbers[0]), "%d", rounds - 1);
	snprintf(numbers[1], sizeof(numbers[1]), "%d", memory);
	snprintf(numbers[2], sizeof(numbers[2]), "%d", ends[0]);
	snprintf(numbers[3], sizeof(numbers[3]), "%d", ends[1]);
	execl(argv[0], argv[0], numbers[0], "exec", numbers[1], numbers[2],
	      numbers[3], NULL);
	exit(4);
}

static void one_round(unsigned *seed)
{
	int ends[2];
	pid_t maker;
	char byte;

	if (pipe(ends))
		exit(2);
	shared->is_ready = 0;
	maker = fork();
	if (maker == 0)
		make_children();
	while (!shared->is_ready)
		usleep(100);
	usleep((unsigned)rand_r(seed) % 1500);
	kill(maker, SIGKILL);
	close(ends[1]);
	/* the read ends when no process has the other end of the pipe any more
	 */
	if (read(ends[0], &byte, 1) != 0)
		exit(3);
	close(ends[0]);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	const char *how = argc > 2 ? argv[2] : "";
	int memory = argc > 5 ? atoi(argv[3]) : memfd_create("shared", 0);
	int ends[2] = {argc > 5 ? atoi(argv[4]) : -1,
		       argc > 5 ? atoi(argv[5]) : -1};
	unsigned seed = 1;

	if (ftruncate(memory, sizeof(*shared)) || (argc <= 5 && pipe(ends)))
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      memory, 0);
	if (strcmp(how, "exec") == 0) {
		execute_anew(argv, rounds, memory, ends);
	} else {
		if (strcmp(how, "reaper") == 0)
			prctl(PR_SET_CHILD_SUBREAPER, 1);
		while (rounds--)
			one_round(&seed);
	}
	printf("work %lu\nharmed %lu\n", shared->work_calls,
	       shared->children - shared->ended);
	return 0;
}
