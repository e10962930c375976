/*
 * launch.c - starts a program under ptrace
 *
 * The child process waits until the tool has seized it, so that its exec is the
 * first event that is traced. The program gets the signal dispositions, the
 * signal mask, the file descriptors and the limits with which the tool was
 * started. If a step fails in the child, the child reports this through a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach.h"
#include "perftool/base/alloc.h"
#include "target/target_state.h"

struct pipes {
	int go[2];     /* tool to child: one byte after the seize */
	int failed[2]; /* child to tool: a struct failure */
};

/* The step that has failed in the child. */
struct failure {
	enum { FAILED_START, FAILED_INPUT, FAILED_OUTPUT, FAILED_EXEC } step;
	int errno_value;
};

static void close_pair(int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

static bool redirect(const char *path, int flags, int to)
{
	int fd;

	if (!path)
		return true;
	fd = open(path, flags, 0666);
	if (fd < 0 || dup2(fd, to) < 0)
		return false;
	if (fd != to)
		close(fd);
	return true;
}

/* The code that the child process executes. The function never returns. */
static void child(const struct launch *launch, const struct pipes *pipes)
{
	struct failure failure = {.step = FAILED_INPUT};
	ssize_t got;
	char byte;

	if (launch->own_group)
		setpgid(0, 0);
	do
		got = read(pipes->go[0], &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got == 0)
		/* the tool has died, or could not seize the child */
		_exit(1);
	failure.step = got < 0 ? FAILED_START : FAILED_INPUT;
	if (got == 1 && redirect(launch->input, O_RDONLY, STDIN_FILENO)) {
		failure.step = FAILED_OUTPUT;
		if (redirect(launch->output, O_WRONLY | O_CREAT | O_TRUNC,
			     STDOUT_FILENO)) {
			failure.step = FAILED_EXEC;
			if (launch->inherited)
				inherited_restore(launch->inherited);
			execve(launch->path, (char *const *)launch->argv,
			       (char *const *)launch->envp);
		}
	}
	failure.errno_value = errno;
	_exit(write(pipes->failed[1], &failure, sizeof(failure)) ==
			      sizeof(failure)
		      ? 127
		      : 126);
}

/* Find out why the child has ended before its exec. If the child has not
 * reported a reason, the result is `error`. */
static struct error *read_failure(const struct launch *launch,
				  const struct pipes *pipes,
				  struct error *error)
{
	const char *const paths[] = {[FAILED_START] = "cannot start a child",
				     [FAILED_INPUT] = launch->input,
				     [FAILED_OUTPUT] = launch->output,
				     [FAILED_EXEC] = launch->path};
	struct failure failure;

	if (read(pipes->failed[0], &failure, sizeof(failure)) !=
	    sizeof(failure))
		return error;
	error_destroy(error);
	if (failure.step != FAILED_EXEC)
		return error_system(failure.errno_value, "%s",
				    paths[failure.step]);
	/* The caller has made sure that the program file exists. So if
	 * execve(2) has found that a file does not exist, this file is the
	 * interpreter of the program. */
	return error_create(failure.errno_value == ENOENT
				    ? ERROR_NO_PROGRAM
				    : ERROR_NOT_EXECUTABLE,
			    "%s: cannot be executed: %s%s", launch->path,
			    strerror(failure.errno_value),
			    failure.errno_value == ENOENT
				    ? ": its interpreter (ld.so) is not there"
				    : "");
}

/* Wait for the exec of the child. If the child ends before, the error says
 * why. */
static struct error *wait_for_exec(const struct launch *launch,
				   struct thread *thread,
				   const struct pipes *pipes)
{
	int status;

	for (;;) {
		struct error *error = wait_for_start(thread, &status);

		if (error && error_code(error) == ERROR_GONE) {
			struct interrupt *interrupt =
				&thread->process->target->interrupt;

			/* one signal to the process group may have both ended
			 * the child and interrupted the tool */
			return error_first(interrupt_check(interrupt),
					   read_failure(launch, pipes, error));
		}
		if (error)
			return error;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return NULL;
		/* a signal before the exec is delivered like any other signal
		 * to the program */
		ptrace(PTRACE_CONT, thread->tid, 0,
		       status >> 16 ? 0 : (long)WSTOPSIG(status));
	}
}

static struct error *seize_and_exec(struct process *process,
				    struct thread *thread,
				    const struct launch *launch,
				    struct pipes *pipes)
{
	if (launch->own_group)
		setpgid(process->pid, process->pid);
	if (ptrace(PTRACE_SEIZE, process->pid, 0, trace_options(process)) < 0)
		return error_system(errno, "cannot trace a child: ptrace");
	if (write(pipes->go[1], "", 1) != 1)
		return error_system(errno, "cannot start a child");
	close(pipes->failed[1]);
	pipes->failed[1] = -1;
	TRY(wait_for_exec(launch, thread, pipes));
	TRY(process_open_memory(process));
	return settle_after_event(thread);
}

struct error *target_launch(struct target *target, const struct launch *launch,
			    struct process **out)
{
	struct process *process;
	struct thread *thread;
	struct error *error;
	struct pipes pipes;
	pid_t pid;

	if (pipe2(pipes.go, O_CLOEXEC) < 0)
		return error_system(errno, "pipe");
	if (pipe2(pipes.failed, O_CLOEXEC) < 0) {
		close_pair(pipes.go);
		return error_system(errno, "pipe");
	}
	pid = fork();
	if (pid == 0) {
		/* If the child kept this end of the pipe open, it would wait
		 * for ever after the tool has died. */
		close(pipes.go[1]);
		child(launch, &pipes);
	}
	if (pid < 0) {
		close_pair(pipes.go);
		close_pair(pipes.failed);
		return error_system(errno, "fork");
	}
	process = process_create(target, pid);
	process->survives = launch->survives;
	thread = thread_create(process, pid);
	error = seize_and_exec(process, thread, launch, &pipes);
	close_pair(pipes.go);
	close(pipes.failed[0]);
	if (pipes.failed[1] >= 0)
		close(pipes.failed[1]);
	if (error) {
		kill(pid, SIGKILL);
		reap_soon(target, pid);
		map_remove(&target->processes, (uint64_t)pid);
		process_destroy(process);
		return error;
	}
	target->launched = pid;
	target->has_launched_end = false;
	*out = process;
	return NULL;
}
