/*
 * stops.c - a program that is stopped and continued, again and again
 *
 * usage: stops self | other | threads
 *
 * self: the program raises SIGSTOP 50 times; a child continues it each time it
 * is stopped. other: the child stops the program and continues it 50 times,
 * while the program calls work(). threads: the same with 4 threads that call
 * work(). A handler counts the SIGCONTs.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 50, THREADS = 4 };

static atomic_ulong work_calls;
static atomic_int *continued, over; /* `continued` is shared with the child */

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

static void on_continue(int signal)
{
	(void)signal;
	++*continued;
}

static void on_over(int signal)
{
	(void)signal;
	over = 1;
}

/* Is the process stopped? Its state is T, or t if a tracer has stopped all its
 * threads. */
static int is_stopped(pid_t pid)
{
	char path[64], line[256], state = 'R';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file && fgets(line, sizeof(line), file))
		state = strrchr(line, ')')[2];
	if (file)
		fclose(file);
	return state == 'T' || state == 't';
}

/* The child's work: continue the parent each time it is stopped. `stops`: the
 * child also stops it. */
static void continue_it(int from, pid_t parent, int stops)
{
	char byte;

	for (int i = 0; i < ROUNDS; i++) {
		if (!stops && read(from, &byte, 1) != 1)
			_exit(1);
		if (stops)
			kill(parent, SIGSTOP);
		while (!is_stopped(parent))
			usleep(200);
		kill(parent, SIGCONT);
		/* a second SIGCONT before the first is handled might be lost */
		while (*continued <= i)
			usleep(200);
	}
	if (stops)
		kill(parent, SIGUSR1);
	_exit(0);
}

static void *work_on(void *unused)
{
	while (!over)
		work();
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "self";
	int ends[2], self = strcmp(how, "self") == 0, status;
	int threads = strcmp(how, "threads") == 0 ? THREADS : 1;
	pthread_t others[THREADS];
	pid_t child, parent = getpid();

	continued = mmap(NULL, sizeof(*continued), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (continued == MAP_FAILED)
		return 2;
	signal(SIGCONT, on_continue);
	signal(SIGUSR1, on_over);
	if (pipe(ends))
		return 2;
	child = fork();
	if (child == 0)
		continue_it(ends[0], parent, !self);
	for (int i = 0; self && i < ROUNDS; i++) {
		work();
		if (write(ends[1], "", 1) != 1)
			return 3;
		raise(SIGSTOP);
		while (*continued <= i)
			work();
	}
	for (int i = 1; i < threads; i++)
		pthread_create(&others[i], NULL, work_on, NULL);
	if (!self)
		work_on(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	while (waitpid(child, &status, 0) < 0)
		;
	printf("work %lu\ncontinued %d\nchild %d\n", work_calls, *continued,
	       status);
	return 0;
}
