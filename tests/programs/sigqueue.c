/*
 * sigqueue.c - queued signals: none may be lost, and they must keep their order
 *
 * usage: sigqueue handler | wait | fd | children
 *
 * handler: a child sends 2,000 numbered real-time signals while the program
 * calls work() all the time, and the handler calls handled(). wait: the program
 * fetches the signals with sigwaitinfo. fd: it reads them from a signalfd.
 * children: instead of all that, 300 children end, and a handler of SIGCHLD
 * reaps them.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS = 2000, CHILDREN = 300 };

static volatile int received, out_of_order, reaped;
static volatile unsigned long work_calls;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

__attribute__((noinline)) void handled(int value)
{
	if (value != received)
		out_of_order++;
	received++;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	handled(info->si_value.sival_int);
}

static void on_child(int signal)
{
	int saved = errno;

	(void)signal;
	while (waitpid(-1, NULL, WNOHANG) > 0) {
		handled(reaped);
		reaped++;
	}
	errno = saved;
}

static pid_t send_all(void)
{
	pid_t parent = getpid(), pid = fork();

	for (int i = 0; pid == 0 && i < SIGNALS;)
		if (sigqueue(parent, SIGRTMIN, (union sigval){.sival_int = i}))
			usleep(100); /* the queue is full */
		else
			i++;
	if (pid == 0)
		_exit(0);
	return pid;
}

static void receive_by_handler(void)
{
	struct sigaction action = {.sa_sigaction = on_signal,
				   .sa_flags = SA_SIGINFO};

	sigaction(SIGRTMIN, &action, NULL);
	waitpid(send_all(), NULL, WNOHANG);
	while (received < SIGNALS)
		work();
}

static void receive_by_call(int by_fd)
{
	struct signalfd_siginfo read_info;
	siginfo_t info;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	send_all();
	while (received < SIGNALS) {
		work();
		if (!by_fd && sigwaitinfo(&set, &info) == SIGRTMIN)
			handled(info.si_value.sival_int);
		else if (by_fd && read(fd, &read_info, sizeof(read_info)) > 0)
			handled(read_info.ssi_int);
	}
}

static void have_children(void)
{
	struct sigaction action = {.sa_handler = on_child};
	sigset_t set, old;

	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (int i = 0; i < CHILDREN; i++) {
		/* no child may inherit the count of a handler that is half done
		 */
		sigprocmask(SIG_BLOCK, &set, &old);
		if (fork() == 0)
			_exit(0);
		sigprocmask(SIG_SETMASK, &old, NULL);
		work();
	}
	while (reaped < CHILDREN)
		work();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "handler";

	if (strcmp(how, "handler") == 0)
		receive_by_handler();
	else if (strcmp(how, "children") == 0)
		have_children();
	else
		receive_by_call(strcmp(how, "fd") == 0);
	printf("received %d\norder %d\nwork %lu\n", received, out_of_order,
	       work_calls);
	return 0;
}
