/*
 * children.c - children by fork, vfork, posix_spawn and system
 *
 * The parent and each child by fork call work() 5 times. A child says by its
 * exit status how many calls it made. A child whose memory was damaged by what
 * a tool has put there dies of a signal, and is counted in `harmed`.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int work_calls;
static unsigned forked, vforked, spawned, ran, harmed;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

static void call_work(void)
{
	for (int i = 0; i < 5; i++)
		work();
}

static int reap(pid_t pid, int wanted)
{
	int status;

	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == wanted)
		return 1;
	harmed++;
	return 0;
}

/* This function returns in the parent only. */
__attribute__((noinline)) static pid_t vfork_and_work(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		work();
		_exit(6);
	}
	return pid;
}

int main(void)
{
	char *const say_7[] = {"sh", "-c", "exit 7", NULL};
	int status;
	pid_t pid;

	for (int round = 0; round < 10; round++) {
		call_work();
		pid = fork();
		if (pid == 0) {
			work_calls = 0;
			call_work();
			_exit(work_calls);
		}
		forked += (unsigned)reap(pid, 5);
		vforked += (unsigned)reap(vfork_and_work(), 6);
		if (posix_spawn(&pid, "/bin/sh", NULL, NULL, say_7, environ))
			harmed++;
		else
			spawned += (unsigned)reap(pid, 7);
		status = system("exit 8");
		if (WIFEXITED(status) && WEXITSTATUS(status) == 8)
			ran++;
	}
	/* a vfork child counts its call of work() in the parent's memory */
	printf("work %d\nforked %u\nvforked %u\nspawned %u\nran %u\n"
	       "harmed %u\n",
	       work_calls, forked, vforked, spawned, ran, harmed);
	return 0;
}
