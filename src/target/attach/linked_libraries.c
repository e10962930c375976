/*
 * linked_libraries.c - finds the libraries with which a program will be linked,
 * before the program runs
 *
 * The paths of the libraries depend on RPATH, LD_LIBRARY_PATH, the cache of
 * ldconfig and more. So the tool asks the run-time linker itself. If the
 * run-time linker is called as a program with --list, it loads the libraries,
 * prints their paths, and executes nothing of them. A run-time linker that does
 * not know --list would run the program, so the tool asks only those of glibc
 * and musl.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"
#include "perftool/base/str.h"
#include "perftool/target.h"

/* The longest time for which the tool waits for the run-time linker, whose
 * files may come over a network that hangs. */
#define MOST_TIME_NS 5000000000u

static bool knows_list(const char *linker)
{
	const char *slash = strrchr(linker, '/');
	const char *name = slash ? slash + 1 : linker;

	return str_starts(name, "ld-linux") || str_starts(name, "ld-musl");
}

static bool start(const char *linker, const char *program,
		  const char *const *env, int output, pid_t *pid)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	char *const argv[] = {(char *)linker, (char *)"--list", (char *)program,
			      NULL};
	sigset_t none;
	int nothing;

	/* (Not vfork(2), as posix_spawn(3) does it: see
	 * perftool/base/child.h.) */
	*pid = fork();
	if (*pid)
		return *pid > 0;
	sigaction(SIGTSTP, &ignore, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	nothing = open("/dev/null", O_RDWR);
	if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
	    dup2(nothing, STDERR_FILENO) >= 0 &&
	    dup2(output, STDOUT_FILENO) >= 0)
		execve(linker, argv, (char *const *)env);
	_exit(1);
}

/* Read everything until the end of the file. False: a read has failed, or there
 * was not enough time. */
static bool read_all(int fd, struct str *out)
{
	uint64_t end = monotonic_now() + MOST_TIME_NS, now;
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	char buffer[4096];
	ssize_t got;

	while ((now = monotonic_now()) < end) {
		if (poll(&ready, 1, (int)((end - now) / 1000000) + 1) <= 0)
			continue;
		got = read(fd, buffer, sizeof(buffer));
		if (got == 0)
			return true;
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0)
			str_append_n(out, buffer, (size_t)got);
	}
	return false;
}

static bool has_succeeded(pid_t pid)
{
	int status;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool ask(const char *linker, const char *program, const char *const *env,
		struct str *out)
{
	bool is_whole = false;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	if (!start(linker, program, env, ends[1], &pid)) {
		close(ends[0]);
		close(ends[1]);
		return false;
	}
	close(ends[1]);
	is_whole = read_all(ends[0], out);
	close(ends[0]);
	if (!is_whole)
		kill(pid, SIGKILL);
	return has_succeeded(pid) && is_whole;
}

/* Take the path from a line of the output: "libc.so.6 => /lib/libc.so.6
 * (0x7f...)", or only the path, which may be relative. False: the run-time
 * linker has not found the library. */
static bool take_line(const char *line, struct string_list *out)
{
	const char *path = line + strspn(line, " \t");
	const char *arrow = strstr(path, " => "), *end = strrchr(path, '(');

	if (strstr(line, "=> not found"))
		return false;
	if (arrow)
		path = arrow + strlen(" => ");
	if (!end || end < path + 2 || end[-1] != ' ' ||
	    !memchr(path, '/', (size_t)(end - path)))
		return true; /* no file: linux-vdso.so.1 (0x7fff...) */
	vec_push(out, xstrndup(path, (size_t)(end - 1 - path)));
	return true;
}

bool target_linked_libraries(const char *linker, const char *program,
			     const char *const *env, struct string_list *out)
{
	struct str text = {0};
	bool known;

	*out = (struct string_list){0};
	known = knows_list(linker) && ask(linker, program, env, &text);
	for (char *line = text.data, *end; known && line && *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		known = take_line(line, out);
	}
	str_deinit(&text);
	if (!known)
		string_list_deinit(out);
	return known;
}
