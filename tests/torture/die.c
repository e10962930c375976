/*
 * die.c - has a tool die at a moment that was chosen
 *
 * A library to preload into the tool alone: what the tool starts does not get
 * it. It counts the calls by which a tool acts on others (ptrace, waits,
 * memory, signals, affinity), and kills the tool before one of them.
 *
 *	DIE_BEFORE=N  SIGKILL before the Nth counted call (from 1)
 *	DIE_FROM=W    begin to count at the first ptrace request W (seize,
 *	              interrupt, cont, detach, ...) or, if W holds a /, as soon
 *	              as the file W exists; W,W: one after the other
 *	DIE_UNTIL=W   count no more from there on
 *	DIE_COUNT=F   write the number of calls to the file F, at the end and
 *	              before dying
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long before, calls;
static char *from; /* what is still to be reached; NULL: counting */
static const char *until, *count_file;
static bool over;
static pid_t tool;

static const struct {
	const char *name;
	int request;
} requests[] = {
	{"seize", PTRACE_SEIZE},     {"interrupt", PTRACE_INTERRUPT},
	{"cont", PTRACE_CONT},       {"detach", PTRACE_DETACH},
	{"setregs", PTRACE_SETREGS}, {"getregs", PTRACE_GETREGS},
	{"step", PTRACE_SINGLESTEP}, {"listen", PTRACE_LISTEN},
	{"mask", PTRACE_SETSIGMASK}, {"poke", PTRACE_POKEUSER},
};

static void *real(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static void write_count(void)
{
	int fd;

	if (!count_file || getpid() != tool)
		return;
	fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	dprintf(fd, "%lu\n", calls);
	close(fd);
}

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("DIE_BEFORE");

	tool = getpid();
	before = number ? strtoul(number, NULL, 10) : 0;
	from = getenv("DIE_FROM");
	if (from)
		from = strdup(from);
	until = getenv("DIE_UNTIL");
	count_file = getenv("DIE_COUNT");
	/* the strings stay where they are */
	unsetenv("LD_PRELOAD");
	atexit(write_count);
}

/* Has it come to `mark`, with this request (-1: none)? */
static bool reached(const char *mark, int request)
{
	if (!mark)
		return false;
	if (strchr(mark, '/'))
		return access(mark, F_OK) == 0;
	for (unsigned i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		if (requests[i].request == request &&
		    strcmp(requests[i].name, mark) == 0)
			return true;
	return false;
}

static void call(int request)
{
	/* a child of the tool before its exec, or one that borrows memory */
	if (getpid() != tool)
		return;
	if (from) {
		const char *mark = from;
		char *comma = strchr(from, ',');

		if (comma)
			*comma = '\0';
		if (reached(mark, request))
			from = comma ? comma + 1 : NULL;
		else if (comma)
			*comma = ',';
	}
	over = over || (!from && reached(until, request));
	if (from || over)
		return;
	if (++calls != before)
		return;
	write_count();
	kill(tool, SIGKILL);
	for (;;)
		pause();
}

/* ---- what is counted ---------------------------------------------------- */

/* The library's own declaration has another type for `request` in C++. */
long ptrace(enum __ptrace_request request, ...)
{
	static long (*next)(enum __ptrace_request, ...);
	void *address, *data;
	va_list list;
	pid_t pid;

	va_start(list, request);
	pid = va_arg(list, pid_t);
	address = va_arg(list, void *);
	data = va_arg(list, void *);
	va_end(list);
	if (!next)
		*(void **)&next = real("ptrace");
	call((int)request);
	return next(request, pid, address, data);
}

#define COUNTED(type, name, parameters, arguments)                             \
	type name parameters;                                                  \
	type name parameters                                                   \
	{                                                                      \
		static type(*next) parameters;                                 \
                                                                               \
		if (!next)                                                     \
			*(void **)&next = real(#name);                         \
		call(-1);                                                      \
		return next arguments;                                         \
	}

COUNTED(ssize_t, pread, (int fd, void *to, size_t size, off_t at),
	(fd, to, size, at))
COUNTED(ssize_t, pread64, (int fd, void *to, size_t size, off_t at),
	(fd, to, size, at))
COUNTED(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at),
	(fd, data, size, at))
COUNTED(ssize_t, pwrite64, (int fd, const void *data, size_t size, off_t at),
	(fd, data, size, at))
COUNTED(ssize_t, process_vm_readv,
	(pid_t pid, const struct iovec *local, unsigned long locals,
	 const struct iovec *remote, unsigned long remotes,
	 unsigned long flags),
	(pid, local, locals, remote, remotes, flags))
COUNTED(ssize_t, process_vm_writev,
	(pid_t pid, const struct iovec *local, unsigned long locals,
	 const struct iovec *remote, unsigned long remotes,
	 unsigned long flags),
	(pid, local, locals, remote, remotes, flags))
COUNTED(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
	(type, id, info, options))
COUNTED(pid_t, waitpid, (pid_t pid, int *status, int options),
	(pid, status, options))
COUNTED(int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set),
	(pid, size, set))
COUNTED(int, tgkill, (pid_t pid, pid_t tid, int sig), (pid, tid, sig))
COUNTED(int, sigqueue, (pid_t pid, int sig, const union sigval value),
	(pid, sig, value))
