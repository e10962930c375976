/*
 * watch.c - run a command: how long it took, and the most memory it had
 *
 * usage: watch COMMAND [ARG...]: prints "SECONDS PEAK_KB" on standard error.
 * The peak is of the command's own process and not of its children, which
 * getrusage(2) cannot tell apart: it is read as the process is about to end.
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

int main(int argc, char **argv)
{
	double start = seconds();
	int status, event;
	long peak = 0;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (pid == 0) {
		raise(SIGSTOP);
		execvp(argv[1], argv + 1);
		perror(argv[1]);
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
	fprintf(stderr, "watch %.4f %ld\n", seconds() - start, peak);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
