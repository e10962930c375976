/*
 * within.c - ends a command that does not end by itself:
 *
 *	within SECONDS COMMAND [ARG...]
 *
 * A second lasts longer while more threads want to run than there are
 * processors: twice as long, if they are twice as many. A busy machine
 * therefore does not end a command that works. (The wait_for of tests/wait.sh
 * counts in the same way.) Else this is timeout(1): the command ends with
 * SIGTERM, five seconds later with SIGKILL, and `within` with status 124; a
 * signal that `within` gets is passed on.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* However many threads run, a command that hangs must come to its end. */
#define MOST 10.
#define PATIENCE 5. /* seconds between SIGTERM and SIGKILL */

/* Returns how many threads want to run for each processor; at least 1. */
static double crowd(void)
{
	FILE *file = fopen("/proc/loadavg", "re");
	double slowed = 1;
	unsigned running;
	cpu_set_t set;

	/* The thread that reads the file is one of those that run. */
	if (file && fscanf(file, "%*f %*f %*f %u/", &running) == 1 &&
	    sched_getaffinity(0, sizeof(set), &set) == 0)
		slowed = (running - 1.) / CPU_COUNT(&set);
	if (file)
		fclose(file);
	return slowed < 1 ? 1 : slowed > MOST ? MOST : slowed;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Ends as the command has ended. */
static int end_as(int status)
{
	const struct rlimit none = {0, 0};
	sigset_t all;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* Two files `core` would be one too many. */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	signal(WTERMSIG(status), SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const struct timespec tick = {.tv_nsec = 250000000};
	double left = argc > 1 ? atof(argv[1]) : 0, before;
	bool is_over = false;
	sigset_t signals, old;
	int status, signal_number;
	pid_t child;

	if (argc < 3 || left <= 0) {
		fprintf(stderr, "usage: within SECONDS COMMAND [ARG...]\n");
		return 125;
	}
	setpgid(0, 0);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, &old);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	child = fork();
	if (child < 0) {
		perror("within: fork");
		return 125;
	}
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		signal(SIGTTIN, SIG_DFL);
		signal(SIGTTOU, SIG_DFL);
		execvp(argv[2], argv + 2);
		fprintf(stderr, "within: %s: %s\n", argv[2], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	before = now();
	for (;;) {
		double after;

		signal_number = sigtimedwait(&signals, NULL, &tick);
		if (waitpid(child, &status, WNOHANG) == child)
			return is_over ? 124 : end_as(status);
		after = now();
		left -= (after - before) / crowd();
		before = after;
		if (signal_number > 0 && signal_number != SIGCHLD && !is_over) {
			kill(child, signal_number);
			continue;
		}
		if (left > 0)
			continue;
		/* The group has this process, too, which blocks SIGTERM, and
		 * dies of SIGKILL. */
		if (is_over)
			kill(0, SIGKILL);
		fprintf(stderr, "within: not within %s seconds: %s\n", argv[1],
			argv[2]);
		is_over = true;
		left = PATIENCE;
		kill(0, SIGTERM);
		kill(child, SIGCONT);
	}
}
