/*
 * departures.c - what becomes of a process or a thread amid open frames
 *
 * usage: departures HOW [N]
 *
 * N (20) times dive() calls itself until DEPTH of its frames are open, and then
 * this happens:
 *
 *	fork	the frames return in the child, and then in the parent
 *	vfork	a child calls work() in the memory of its parent, and ends
 *	vexec	a child of vfork calls work(), and executes the program, which
 *		calls work()
 *	spawn	a child of posix_spawn executes the program
 *	exec	the program executes itself, with N - 1
 *	exit	the thread ends; its clean-up handler calls work()
 *	cancel	the thread is cancelled where it waits; likewise
 *
 * In the end dive() is called once more. Each process prints how often it has
 * entered and left dive(), and called work(), in one piece.
 */
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 10, CALLS = 5 };

extern char **environ;
static volatile unsigned long entered, left, works;
static const char *how;
static int count = 20;
static sem_t arrived, never;

__attribute__((noipa)) void work(void)
{
	works++;
}

static void call_work(void)
{
	for (int i = 0; i < CALLS; i++)
		work();
}

static void say(void)
{
	char line[128];
	int length =
		snprintf(line, sizeof(line), "entered %lu left %lu work %lu\n",
			 entered, left, works);

	if (write(1, line, (size_t)length) != length)
		_exit(3);
}

static void reap(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		_exit(4);
}

static void execute(const char *next_how, int next)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", next);
	execl("/proc/self/exe", "departures", next_how, number, (char *)NULL);
	_exit(5);
}

/* Returns true in the child. */
static bool depart_by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		entered = left = works = 0;
		return true;
	}
	reap(pid);
	return false;
}

static void depart_by_vfork(bool executes)
{
	pid_t pid = vfork();

	if (pid == 0) {
		call_work();
		if (executes)
			execute("none", 0);
		_exit(0);
	}
	reap(pid);
}

static void depart_by_spawn(void)
{
	char *const arguments[] = {(char *)"departures", (char *)"none", NULL};
	pid_t pid = -1;

	posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ);
	reap(pid);
}

static void depart_by_exec(void)
{
	if (count == 0)
		return;
	say();
	execute(how, count - 1);
}

static bool is_child;

static void depart(void)
{
	if (strcmp(how, "fork") == 0)
		is_child = depart_by_fork();
	if (strcmp(how, "vfork") == 0 || strcmp(how, "vexec") == 0)
		depart_by_vfork(how[1] == 'e');
	if (strcmp(how, "spawn") == 0)
		depart_by_spawn();
	if (strcmp(how, "exec") == 0)
		depart_by_exec();
	if (strcmp(how, "exit") == 0)
		pthread_exit(NULL);
	if (strcmp(how, "cancel") == 0) {
		sem_post(&arrived);
		for (;;)
			sem_wait(&never);
	}
}

__attribute__((noipa)) void dive(int depth, bool departs)
{
	entered++;
	if (depth < DEPTH)
		dive(depth + 1, departs);
	else if (departs)
		depart();
	left++;
}

static void clean_up(void *unused)
{
	(void)unused;
	call_work();
}

static void *thread(void *unused)
{
	pthread_cleanup_push(clean_up, NULL);
	dive(1, true);
	pthread_cleanup_pop(0);
	return unused;
}

static void dive_in_thread(void)
{
	pthread_t one;

	pthread_create(&one, NULL, thread, NULL);
	if (strcmp(how, "cancel") == 0) {
		while (sem_wait(&arrived))
			;
		pthread_cancel(one);
	}
	pthread_join(one, NULL);
}

int main(int argc, char **argv)
{
	bool has_threads;

	how = argc > 1 ? argv[1] : "none";
	if (argc > 2)
		count = atoi(argv[2]);
	has_threads = strcmp(how, "exit") == 0 || strcmp(how, "cancel") == 0;
	sem_init(&arrived, 0, 0);
	sem_init(&never, 0, 0);
	call_work();
	for (int i = 0; i < count && strcmp(how, "none") != 0; i++) {
		if (has_threads)
			dive_in_thread();
		else
			dive(1, true);
		if (is_child) {
			call_work();
			say();
			_exit(0);
		}
	}
	dive(1, false);
	say();
	return 0;
}
