/* child.c - see perftool/base/child.h */
#include "perftool/base/child.h"

#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a shell says if there is no such program. */
#define NOT_FOUND 127

int child_start(char *const argv[], int fd, int as, const sigset_t *mask,
		pid_t *pid)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};

	*pid = fork();
	if (*pid < 0)
		return errno;
	if (*pid > 0)
		return 0;
	/* The handlers of the tool, which only note a signal, are there until
	 * the exec. */
	sigaction(SIGINT, &usual, NULL);
	sigaction(SIGQUIT, &usual, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (dup2(fd, as) >= 0)
		execvp(argv[0], argv);
	_exit(NOT_FOUND);
}

bool child_await(pid_t pid)
{
	return waitpid(pid, NULL, 0) >= 0 || errno != EINTR;
}
