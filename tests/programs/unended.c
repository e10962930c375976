/*
 * unended.c - a program that does not end when it is killed
 *
 * The program has a thread that another process traces. This process does not
 * take note of the thread's end, so the kernel keeps the thread, and tells no
 * process that the program is gone. The program ends when that process ends;
 * the first line of output is the pid of that process. The program ignores
 * SIGINT.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREAD                                                                 \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |    \
	 CLONE_SYSVSEM | CLONE_UNTRACED)

static char stack[65536];

__attribute__((noinline)) void work(void)
{
	__asm__ volatile("");
}

/* The thread, and the tracer, execute nothing that a tool may have patched. */
static int wait_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		syscall(SYS_pause);
	return 0;
}

int main(void)
{
	int tid, ends[2];
	char byte = 0;
	pid_t tracer;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	signal(SIGINT, SIG_IGN);
	if (pipe(ends) != 0)
		return 1;
	tid = clone(wait_for_ever, stack + sizeof(stack), THREAD, NULL);
	if (tid < 0)
		return 1;
	/* a fork(2) that the tracer of this program does not see */
	tracer =
		(pid_t)syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
	if (tracer == 0) {
		byte = (char)(syscall(SYS_ptrace, PTRACE_SEIZE, tid, 0, 0) ==
			      0);
		if (write(ends[1], &byte, 1) != 1)
			return 1;
		for (;;)
			pause();
	}
	if (read(ends[0], &byte, 1) != 1 || !byte) {
		kill(tracer, SIGKILL);
		puts("cannot be traced");
		fflush(stdout);
		return 0;
	}
	work();
	printf("%d\n", tracer);
	fflush(stdout);
	for (;;)
		pause();
}
