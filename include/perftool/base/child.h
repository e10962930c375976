/*
 * child.h - starting a program beside the measured one: a shell, a pager
 */
#ifndef PERFTOOL_BASE_CHILD_H
#define PERFTOOL_BASE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts the program `argv[0]`, which is searched in PATH, with the signals of
 * `mask` blocked, and with `fd` as its descriptor `as`. SIGINT and SIGQUIT do
 * there what they do by default. Returns 0, or an errno value.
 *
 * This is fork(2) and not posix_spawn(3), nor popen(3), which waits in vfork(2)
 * until the child executes the program. If the user presses Ctrl-Z meanwhile,
 * the child stops first, and the tool, which cannot stop in vfork(2), waits for
 * it: no shell learns of that and continues the child.
 */
int child_start(char *const argv[], int fd, int as, const sigset_t *mask,
		pid_t *pid);

/* Waits for the end of a child, unless somebody else has waited for it. Returns
 * false if a signal has ended the wait. */
bool child_await(pid_t pid);

#endif
