/*
 * family.c - a process and its children, each of which counts its own calls of
 * work()
 *
 * usage: family HOW [N]
 *
 * With fork, vfork, clone, spawn, exec, system and popen, N (10) children are
 * made in that way, one after the other. together: N children exist at the same
 * time. daemon: a grandchild goes on alone, in a session of its own. outlive: a
 * child works on when its parent has ended. pipeline: there are N children, and
 * each reads from the one before. inside: work_and_fork() forks in the middle
 * and returns in both processes. leaf: work() is called 5 times, and nothing
 * else happens; the other modes execute this one.
 *
 * Every process writes how often it called work() as a line `work COUNT` in one
 * piece, whether it is traced, and how many bytes of its code differ from the
 * file. The test adds the numbers up.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clean.h"

extern char **environ;
static unsigned long work_calls;
static int harmed;
static char *self;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

static void call_work(int calls)
{
	for (int i = 0; i < calls; i++)
		work();
}

/* Write one line by one write. `who` is parent or child. */
static void say(const char *who)
{
	char line[128];
	int length = snprintf(line, sizeof(line),
			      "%s work %lu traced %d foreign %ld\n", who,
			      work_calls, tracer() != 0, foreign_bytes());

	if (write(1, line, (size_t)length) != length)
		_exit(3);
}

/* A child makes 5 calls of its own. */
static void be_child(void)
{
	work_calls = 0;
	call_work(5);
	say("child");
	_exit(0);
}

static void reap(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, __WALL) != pid || status != 0)
		harmed++;
}

static void by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		be_child();
	reap(pid);
}

static void by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl(self, self, "leaf", (char *)NULL);
		_exit(9);
	}
	reap(pid);
}

/* The child by clone shares neither memory nor anything else, and no signal
 * tells of its end. */
static void by_clone(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);

	if (pid == 0)
		be_child();
	reap(pid);
}

static void by_spawn(void)
{
	char *const arguments[] = {self, "leaf", NULL};
	pid_t pid = -1;

	if (posix_spawn(&pid, self, NULL, NULL, arguments, environ))
		harmed++;
	else
		reap(pid);
}

static void by_exec(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		call_work(1); /* the parent prints the calls of this image,
				 which exec replaces */
		execl(self, self, "leaf", (char *)NULL);
		_exit(9);
	}
	work_calls++; /* the one call of the child */
	reap(pid);
}

static void by_shell(int piped)
{
	char command[4096], line[256];
	FILE *pipe;

	snprintf(command, sizeof(command), "'%s' leaf", self);
	if (!piped) {
		if (system(command))
			harmed++;
		return;
	}
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe)) {
		fputs(line, stdout);
		fflush(stdout);
	}
	if (!pipe || pclose(pipe))
		harmed++;
}

static void all_together(int count)
{
	pid_t *pids = calloc((size_t)count, sizeof(*pids));

	for (int i = 0; i < count; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			be_child();
		work();
	}
	for (int i = 0; i < count; i++)
		reap(pids[i]);
	free(pids);
}

/* The daemon's parents have ended. A reader that waits for the daemon's line
 * learns of its end. */
static void by_daemon(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		if (fork() == 0)
			be_child();
		_exit(0);
	}
	reap(pid);
}

static void outlived(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid != 0)
		return;
	while (getppid() == parent)
		usleep(1000);
	be_child();
}

static void pipeline(int count)
{
	pid_t *pids = calloc((size_t)count, sizeof(*pids));
	int from = -1, ends[2];
	char byte;

	for (int i = 0; i < count; i++) {
		if (pipe(ends))
			exit(4);
		pids[i] = fork();
		if (pids[i] == 0) {
			close(ends[0]);
			if (from >= 0 && read(from, &byte, 1) != 1)
				_exit(5);
			work_calls = 0;
			call_work(5);
			say("child");
			if (write(ends[1], "", 1) != 1)
				_exit(6);
			_exit(0);
		}
		close(ends[1]);
		if (from >= 0)
			close(from);
		from = ends[0];
	}
	for (int i = 0; i < count; i++)
		reap(pids[i]);
	free(pids);
}

/* The function is entered once and left twice. */
__attribute__((noinline)) pid_t work_and_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		work_calls = 0;
	work();
	return pid;
}

static void fork_inside(void)
{
	pid_t pid = work_and_fork();

	if (pid == 0) {
		say("child");
		_exit(0);
	}
	reap(pid);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "leaf";
	int count = argc > 2 ? atoi(argv[2]) : 10;

	self = realpath("/proc/self/exe", NULL);
	call_work(5);
	if (strcmp(how, "leaf") == 0) {
		say("child");
		return 0;
	}
	if (strcmp(how, "together") == 0)
		all_together(count);
	if (strcmp(how, "pipeline") == 0)
		pipeline(count);
	if (strcmp(how, "daemon") == 0)
		by_daemon();
	if (strcmp(how, "outlive") == 0)
		outlived();
	for (int i = 0; i < count; i++) {
		if (strcmp(how, "fork") == 0)
			by_fork();
		if (strcmp(how, "vfork") == 0)
			by_vfork();
		if (strcmp(how, "clone") == 0)
			by_clone();
		if (strcmp(how, "spawn") == 0)
			by_spawn();
		if (strcmp(how, "exec") == 0)
			by_exec();
		if (strcmp(how, "system") == 0)
			by_shell(0);
		if (strcmp(how, "popen") == 0)
			by_shell(1);
		if (strcmp(how, "inside") == 0)
			fork_inside();
	}
	say("parent");
	return harmed != 0;
}
