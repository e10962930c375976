/*
 * watch_support.c - does the processor report what it watches?
 *
 * The debug registers of a virtual machine are what its hypervisor makes of
 * them. Some take every value that is written to them, and never report
 * anything. The tool would then show 0 for each object, which is wrong. So
 * before the first object is watched, the tool has a child of its own write to
 * memory that is watched.
 */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/target/target_events.h"
#include "target_state.h"

/* Runs in the child of a process that may have several threads, so only system
 * calls are allowed. */
static void write_watched(volatile uint32_t *word)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
	syscall(SYS_tgkill, getpid(), getpid(), SIGSTOP);
	*word = 1;
	_exit(0);
}

/* Waits for the next stop or the end of the child. Returns true if it is
 * stopped. */
static bool wait_for_stop(pid_t pid, int *status)
{
	pid_t found;

	do
		found = waitpid(pid, status, __WALL);
	while (found < 0 && errno == EINTR);
	return found == pid && WIFSTOPPED(*status);
}

/* Has the child, which is stopped before its write, watch the word. */
static bool watch(pid_t pid, volatile uint32_t *word)
{
	const struct target_watch four = {.size = sizeof(*word)};

	return ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL) == 0 &&
	       ptrace(PTRACE_POKEUSER, pid, debug_register(0), word) == 0 &&
	       ptrace(PTRACE_POKEUSER, pid, debug_register(DEBUG_CONTROL),
		      watch_control(0, &four)) == 0;
}

/* Returns false only if the child has written, and that was not reported. */
static bool is_write_reported(void)
{
	volatile uint32_t word = 0;
	bool is_watching, is_stopped;
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		write_watched(&word);
	if (pid < 0)
		return true;
	is_stopped = wait_for_stop(pid, &status);
	is_watching = is_stopped && watch(pid, &word);
	/* Other signals may come from a terminal. The child takes none. */
	while (is_watching && is_stopped && WSTOPSIG(status) != SIGTRAP) {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		is_stopped = wait_for_stop(pid, &status);
	}
	if (is_stopped) {
		kill(pid, SIGKILL);
		while (wait_for_stop(pid, &status))
			;
		return true;
	}
	return !is_watching || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

struct error *target_check_watching(struct target *target)
{
	if (target->watching == WATCHING_UNKNOWN)
		target->watching = is_write_reported()
					   ? WATCHING_WORKS
					   : WATCHING_REPORTS_NOTHING;
	if (target->watching == WATCHING_WORKS)
		return NULL;
	return error_create(ERROR_OTHER,
			    "the processor of this machine does not report "
			    "what it watches: a write that perftool made as a "
			    "test was not reported. On a virtual machine this "
			    "depends on the hypervisor");
}
