/*
 * watchable.c - ends with status 0 if the processor reports a write to memory
 * that a debug register watches, and with 1 if it does not
 *
 * The program traces a child, as a debugger does.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int watched;

static void set(pid_t pid, int number, unsigned long value)
{
	if (ptrace(PTRACE_POKEUSER, pid,
		   offsetof(struct user, u_debugreg[0]) +
			   (unsigned)number * sizeof(long),
		   value) < 0)
		perror("watchable: PTRACE_POKEUSER");
}

int main(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		watched = 1;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	set(pid, 0, (unsigned long)&watched);
	set(pid, 7, 0xd0001); /* writes of four bytes */
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status))
		return 1;
	kill(pid, SIGKILL);
	return WSTOPSIG(status) != SIGTRAP;
}
