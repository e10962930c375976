/*
 * server_start.c - starts a `perftool serve` that is attached to this process
 *
 * The server is a child of a child that ends at once, so that this process does
 * not hear of its end. It waits with its exec until this process has allowed it
 * to trace.
 */
#include "server_start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"

/* How long a new server may take until it answers, in ns. It reads debug
 * information of the process first. */
#define PATIENCE 30000000000ull

/* Finds the program perftool: PERFTOOL, or in PATH. The caller frees the path.
 * NULL: there is none. */
static char *find_perftool(void)
{
	const char *named = getenv("PERFTOOL"), *path = getenv("PATH"), *end;

	if (named && *named)
		return access(named, X_OK) == 0 ? xstrdup(named) : NULL;
	for (path = path ? path : ""; *path; path = *end ? end + 1 : end) {
		char *candidate;

		end = strchrnul(path, ':');
		candidate = xasprintf("%.*s/perftool", (int)(end - path), path);
		if (end > path && access(candidate, X_OK) == 0)
			return candidate;
		free(candidate);
	}
	return NULL;
}

/* What the child that becomes the server needs. After a fork in a process that
 * has threads, it may call only what signal-safety(7) names. */
struct start {
	char *const *argv;
	int go[2];  /* one byte: this process allows to be traced */
	int pid[2]; /* the pid of the server */
};

static void become_server(const struct start *start)
{
	sigset_t none;
	char byte;
	int null;

	close(start->go[1]);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	null = open("/dev/null", O_RDWR);
	if (null < 0 || read(start->go[0], &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	syscall(SYS_close_range, 3, ~0u, 0);
	execv(start->argv[0], start->argv);
	_exit(127);
}

/* The child makes a child of its own, which has no parent when this one has
 * ended. */
static void make_server(const struct start *start)
{
	pid_t pid = fork();

	if (pid == 0)
		become_server(start);
	if (write(start->pid[1], &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	_exit(0);
}

/* Forks the server. Returns its pid, or -1. */
static pid_t fork_server(const struct start *start)
{
	pid_t child = fork(), server = -1;
	int status;

	if (child < 0)
		return -1;
	if (child == 0)
		make_server(start);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (read(start->pid[0], &server, sizeof(server)) != sizeof(server))
		server = -1;
	if (server < 0) {
		errno = EAGAIN;
		return -1;
	}
	/* Where the security module Yama lets only parents trace, the process
	 * names the one that may trace it. Elsewhere this fails. */
	prctl(PR_SET_PTRACER, (unsigned long)server, 0, 0, 0);
	if (write(start->go[1], "", 1) != 1)
		return -1;
	return server;
}

static bool has_ended(int pidfd)
{
	struct pollfd end = {.fd = pidfd, .events = POLLIN};

	return poll(&end, 1, 1) > 0;
}

/* Connects to the server as soon as it listens. */
static int await_server(pid_t server)
{
	const uint64_t until = monotonic_now() + PATIENCE;
	int pidfd = (int)syscall(SYS_pidfd_open, server, 0), fd = -1;

	for (;;) {
		bool is_over = pidfd < 0 || has_ended(pidfd);

		fd = connect_to_server();
		if (fd >= 0)
			break;
		if (is_over) {
			errno = EPERM;
			break;
		}
		if (monotonic_now() > until) {
			kill(server, SIGTERM);
			errno = ETIMEDOUT;
			break;
		}
	}
	if (pidfd >= 0) {
		int number = errno;

		close(pidfd);
		errno = number;
	}
	return fd;
}

int start_server(void)
{
	CLEANUP(free_pointer) char *path = find_perftool();
	CLEANUP(free_pointer) char *pid = xasprintf("%d", (int)getpid());
	char *argv[] = {path, "serve", "-q", "-n", "-p", pid, NULL};
	struct start start = {.argv = argv};
	pid_t server;
	int number;

	if (!path) {
		errno = ENOENT;
		return -1;
	}
	if (pipe2(start.go, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(start.pid, O_CLOEXEC) < 0) {
		close(start.go[0]);
		close(start.go[1]);
		return -1;
	}
	server = fork_server(&start);
	number = errno;
	close(start.go[0]);
	close(start.go[1]);
	close(start.pid[0]);
	close(start.pid[1]);
	errno = number;
	return server < 0 ? -1 : await_server(server);
}
