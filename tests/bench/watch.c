/*
 * watch.c - run a command: how long it takes, or the most memory it has
 *
 * usage: watch time|memory COMMAND [ARG...]: prints "watch N" on standard
 * error, in seconds or KB. Not both at once: memory is that of the command's
 * own process and not of its children, which getrusage(2) cannot tell apart; so
 * it is read as the process is about to end, by a tracer, who costs time.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long peak_memory(pid_t pid)
{
	char path[64], line[256];
	long peak = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmHWM: %ld", &peak);
	if (file)
		fclose(file);
	return peak;
}

static int watch_time(char **command)
{
	double start = seconds();
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(*command, command);
		perror(*command);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	fprintf(stderr, "watch %.4f\n", seconds() - start);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int watch_memory(char **command)
{
	int status = 0, event;
	long peak = 0;
	pid_t pid = fork();

	if (pid == 0) {
		raise(SIGSTOP);
		execvp(*command, command);
		perror(*command);
		_exit(127);
	}
	waitpid(pid, &status, WUNTRACED);
	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXIT)) {
		perror("ptrace");
		return 1;
	}
	kill(pid, SIGCONT);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		event = status >> 16;
		if (event == PTRACE_EVENT_EXIT)
			peak = peak_memory(pid);
		ptrace(event == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP
			       ? PTRACE_LISTEN
			       : PTRACE_CONT,
		       pid, 0, event ? 0 : WSTOPSIG(status));
	}
	fprintf(stderr, "watch %ld\n", peak);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "time") == 0)
		return watch_time(argv + 2);
	if (argc > 2 && strcmp(argv[1], "memory") == 0)
		return watch_memory(argv + 2);
	fprintf(stderr, "usage: watch time|memory COMMAND [ARG...]\n");
	return 2;
}
