/*
 * fault.c - has one system call of a tool fail, at a place that was chosen
 *
 * A library to preload into the tool alone: what the tool starts does not get
 * it. It stands before the functions of libc by which the tool, and the
 * libraries that it uses, ask the kernel for something. A site is such a
 * function, with its request if it has several, and the innermost return
 * addresses within the tool's own file (FAULT_DEPTH of them; 3).
 *
 *	FAULT_LIST=F   append each site to the file F as it is first reached:
 *	               its name and its return addresses, relative to the file
 *	FAULT_AT=SITE  the first call from this site (a name and addresses, as
 *	               in the list) fails
 *	FAULT_ERRNO=N  with this errno, without a call of the kernel; a close
 *	               does close the descriptor
 *	FAULT_KILL=1   or the thread that a ptrace or process_vm_readv is about
 *	               is killed before the call, so that it fails by itself
 *	FAULT_DONE=F   make the file F as the fault happens, and write to it the
 *	               number of a thread that was killed
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* A request is part of the name: any number but this. */
#define NO_REQUEST (-1L)

enum { FRAMES = 40, DEPTH = 8, NAME = 200, SITES = 1 << 14 };

static int list = -1, done = -1;
static const char *wanted, *done_file;
static int number;
static bool kills, is_over;
static unsigned depth = 3;
static uintptr_t low, high; /* the tool's own file */
static char (*seen)[NAME];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread bool inside;

static void *real(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

static int note_file(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	low = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			high = low + info->dlpi_phdr[i].p_vaddr +
			       info->dlpi_phdr[i].p_memsz;
	return 1; /* the first one is the program */
}

/* For good: the environment is handed on to what the tool starts. */
static const char *take(const char *name)
{
	const char *value = getenv(name);
	char *copy = value ? strdup(value) : NULL;

	unsetenv(name);
	return copy;
}

static int make(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path,
			    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path, *text;
	void *frames[FRAMES];

	inside = true;
	backtrace(frames, FRAMES); /* it loads a library the first time */
	dl_iterate_phdr(note_file, NULL);
	seen = calloc(SITES, sizeof(*seen));
	if ((path = take("FAULT_LIST")))
		/* out of the way of the tool's own descriptors */
		list = fcntl(make(path), F_DUPFD_CLOEXEC, 50);
	wanted = take("FAULT_AT");
	done_file = take("FAULT_DONE");
	if ((text = take("FAULT_ERRNO")))
		number = atoi(text);
	if ((text = take("FAULT_DEPTH")))
		depth = (unsigned)atoi(text);
	kills = take("FAULT_KILL");
	unsetenv("LD_PRELOAD");
	inside = false;
}

/* May it be the one that is to fail? Most calls are of another name. */
static bool is_of_interest(const char *name)
{
	size_t length = strlen(name);

	return list >= 0 ||
	       (wanted && !is_over && strncmp(wanted, name, length) == 0 &&
		(wanted[length] == '@' || wanted[length] == '.'));
}

/* Its name, and the innermost return addresses in the tool. */
static bool describe(char *text, const char *name, long request)
{
	void *frames[FRAMES];
	int count = backtrace(frames, FRAMES);
	size_t length;
	unsigned found = 0;

	length = (size_t)snprintf(text, NAME, "%s", name);
	if (request != NO_REQUEST)
		length += (size_t)snprintf(text + length, NAME - length, ".%lx",
					   request);
	for (int i = 0; i < count && found < depth; i++) {
		uintptr_t at = (uintptr_t)frames[i];

		if (at < low || at >= high)
			continue;
		length +=
			(size_t)snprintf(text + length, NAME - length, "%c%lx",
					 found ? ',' : '@', at - low);
		found++;
	}
	return found > 0; /* else it is libc's own, at the start or the end */
}

static void add(const char *site)
{
	uint32_t hash = 5381;

	for (const char *c = site; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	for (;; hash++) {
		char *known = seen[hash % SITES];

		if (strcmp(known, site) == 0)
			return;
		if (!*known) {
			strcpy(known, site);
			break;
		}
	}
	if (dprintf(list, "%s\n", site) < 0)
		abort();
}

/* Is this the call that fails? Then errno is set. */
static bool fails(const char *name, long request)
{
	char site[NAME];
	bool now = false;
	int before = errno;

	if (inside || !is_of_interest(name))
		return false;
	inside = true;
	if (describe(site, name, request)) {
		pthread_mutex_lock(&lock);
		if (list >= 0)
			add(site);
		now = wanted && !is_over && strcmp(site, wanted) == 0;
		is_over = is_over || now;
		pthread_mutex_unlock(&lock);
	}
	if (now && done_file)
		done = make(done_file);
	errno = now ? number : before;
	inside = false;
	return now;
}

/* The thread that the call is about dies; the call says so by itself. */
static bool fails_for(const char *name, long request, pid_t tid)
{
	if (!fails(name, request))
		return false;
	if (!kills)
		return true;
	syscall(SYS_tkill, tid, SIGKILL);
	dprintf(done, "%d\n", tid);
	return false;
}

/* ---- functions with a variable number of arguments ------------------------
 */

#define MODE(flags, list)                                                      \
	((flags) & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0)

/* `first` is what comes before the path: nothing, or a folder's descriptor. */
#define OPEN(name, first, ...)                                                 \
	int name(first const char *path, int flags, ...)                       \
	{                                                                      \
		static int (*next)(first const char *, int, ...);              \
		va_list rest;                                                  \
		int mode;                                                      \
                                                                               \
		va_start(rest, flags);                                         \
		mode = MODE(flags, rest);                                      \
		va_end(rest);                                                  \
		if (!next)                                                     \
			*(void **)&next = real(#name);                         \
		return fails("open", NO_REQUEST)                               \
			       ? -1                                            \
			       : next(__VA_ARGS__, flags, mode);               \
	}

#define FOLDER int at,
OPEN(open, , path)
OPEN(open64, , path)
OPEN(openat, FOLDER, at, path)
OPEN(openat64, FOLDER, at, path)

/* The library's own declaration has another type for `request` in C++. */
long ptrace(enum __ptrace_request request, ...)
{
	static long (*next)(enum __ptrace_request, ...);
	void *address, *data;
	va_list rest;
	pid_t pid;

	va_start(rest, request);
	pid = va_arg(rest, pid_t);
	address = va_arg(rest, void *);
	data = va_arg(rest, void *);
	va_end(rest);
	if (!next)
		*(void **)&next = real("ptrace");
	if (fails_for("ptrace", (long)request, pid))
		return -1;
	return next(request, pid, address, data);
}

int prctl(int option, ...)
{
	static int (*next)(int, ...);
	unsigned long a, b, c, d;
	va_list rest;

	va_start(rest, option);
	a = va_arg(rest, unsigned long);
	b = va_arg(rest, unsigned long);
	c = va_arg(rest, unsigned long);
	d = va_arg(rest, unsigned long);
	va_end(rest);
	if (!next)
		*(void **)&next = real("prctl");
	return fails("prctl", option) ? -1 : next(option, a, b, c, d);
}

long syscall(long which, ...)
{
	static long (*next)(long, ...);
	long a, b, c, d, e, f;
	va_list rest;

	va_start(rest, which);
	a = va_arg(rest, long);
	b = va_arg(rest, long);
	c = va_arg(rest, long);
	d = va_arg(rest, long);
	e = va_arg(rest, long);
	f = va_arg(rest, long);
	va_end(rest);
	if (!next)
		*(void **)&next = real("syscall");
	return fails("syscall", which) ? -1 : next(which, a, b, c, d, e, f);
}

#define CONTROL(name, type)                                                    \
	int name(int fd, type command, ...)                                    \
	{                                                                      \
		static int (*next)(int, type, ...);                            \
		va_list rest;                                                  \
		void *argument;                                                \
                                                                               \
		va_start(rest, command);                                       \
		argument = va_arg(rest, void *);                               \
		va_end(rest);                                                  \
		if (!next)                                                     \
			*(void **)&next = real(#name);                         \
		return fails(#name, (long)command)                             \
			       ? -1                                            \
			       : next(fd, command, argument);                  \
	}

CONTROL(ioctl, unsigned long)
CONTROL(fcntl, int)
CONTROL(fcntl64, int)

/* ---- all others -------------------------------------------------------------
 */

#define CALL(type, name, as, failed, parameters, arguments)                    \
	type name parameters;                                                  \
	type name parameters                                                   \
	{                                                                      \
		static type(*next) parameters;                                 \
                                                                               \
		if (!next)                                                     \
			*(void **)&next = real(#name);                         \
		if (fails(as, NO_REQUEST))                                     \
			return failed;                                         \
		return next arguments;                                         \
	}

#define ONE(type, name, failed, parameters, arguments)                         \
	CALL(type, name, #name, failed, parameters, arguments)

#define BOTH(type, name, failed, parameters, arguments)                        \
	CALL(type, name, #name, failed, parameters, arguments)                 \
	CALL(type, name##64, #name, failed, parameters, arguments)

BOTH(ssize_t, pread, -1, (int fd, void *to, size_t size, off_t at),
     (fd, to, size, at))
BOTH(ssize_t, pwrite, -1, (int fd, const void *data, size_t size, off_t at),
     (fd, data, size, at))
ONE(ssize_t, read, -1, (int fd, void *to, size_t size), (fd, to, size))
ONE(ssize_t, write, -1, (int fd, const void *data, size_t size),
    (fd, data, size))
BOTH(void *, mmap, MAP_FAILED,
     (void *at, size_t size, int protection, int flags, int fd, off_t offset),
     (at, size, protection, flags, fd, offset))
ONE(int, munmap, -1, (void *at, size_t size), (at, size))
ONE(int, madvise, -1, (void *at, size_t size, int advice), (at, size, advice))
ONE(int, memfd_create, -1, (const char *name, unsigned flags), (name, flags))
ONE(int, access, -1, (const char *path, int mode), (path, mode))
ONE(int, stat, -1, (const char *path, struct stat *to), (path, to))
ONE(int, fstat, -1, (int fd, struct stat *to), (fd, to))
CALL(int, fstat64, "fstat", -1, (int fd, struct stat64 *to), (fd, to))
ONE(int, statvfs, -1, (const char *path, struct statvfs *to), (path, to))
ONE(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))
ONE(ssize_t, readlink, -1, (const char *path, char *to, size_t size),
    (path, to, size))
ONE(char *, realpath, NULL, (const char *path, char *to), (path, to))
ONE(ssize_t, getxattr, -1,
    (const char *path, const char *name, void *to, size_t size),
    (path, name, to, size))
ONE(DIR *, opendir, NULL, (const char *path), (path))
ONE(struct dirent *, readdir, NULL, (DIR * folder), (folder))
BOTH(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
ONE(int, fflush, EOF, (FILE * file), (file))
ONE(int, pipe2, -1, (int fds[2], int flags), (fds, flags))
ONE(int, dup2, -1, (int from, int to), (from, to))
ONE(int, poll, -1, (struct pollfd * fds, nfds_t count, int limit),
    (fds, count, limit))
ONE(int, ppoll, -1,
    (struct pollfd * fds, nfds_t count, const struct timespec *limit,
     const sigset_t *mask),
    (fds, count, limit, mask))
ONE(int, nanosleep, -1, (const struct timespec *time, struct timespec *left),
    (time, left))
ONE(int, waitid, -1, (idtype_t type, id_t id, siginfo_t *info, int options),
    (type, id, info, options))
ONE(pid_t, waitpid, -1, (pid_t pid, int *status, int options),
    (pid, status, options))
ONE(int, sigtimedwait, -1,
    (const sigset_t *set, siginfo_t *info, const struct timespec *limit),
    (set, info, limit))
ONE(pid_t, fork, -1, (void), ())
ONE(int, execve, -1, (const char *path, char *const *argv, char *const *env),
    (path, argv, env))
ONE(int, kill, -1, (pid_t pid, int sig), (pid, sig))
ONE(int, tgkill, -1, (pid_t pid, pid_t tid, int sig), (pid, tid, sig))
ONE(int, setpgid, -1, (pid_t pid, pid_t group), (pid, group))
ONE(int, sched_setaffinity, -1, (pid_t pid, size_t size, const cpu_set_t *set),
    (pid, size, set))
ONE(int, sched_getaffinity, -1, (pid_t pid, size_t size, cpu_set_t *set),
    (pid, size, set))
ONE(int, getrlimit, -1, (__rlimit_resource_t which, struct rlimit *to),
    (which, to))
ONE(int, setrlimit, -1, (__rlimit_resource_t which, const struct rlimit *to),
    (which, to))
ONE(ssize_t, getrandom, -1, (void *to, size_t size, unsigned flags),
    (to, size, flags))
ONE(int, clock_getres, -1, (clockid_t clock, struct timespec *to), (clock, to))
ONE(int, timer_create, -1,
    (clockid_t clock, struct sigevent *event, timer_t *timer),
    (clock, event, timer))
ONE(FILE *, popen, NULL, (const char *command, const char *mode),
    (command, mode))
/* these return the errno */
ONE(int, posix_spawnp, number,
    (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
     const posix_spawnattr_t *attributes, char *const *argv, char *const *env),
    (pid, file, actions, attributes, argv, env))
ONE(int, pthread_create, number,
    (pthread_t * thread, const pthread_attr_t *attributes,
     void *(*start)(void *), void *argument),
    (thread, attributes, start, argument))

ssize_t process_vm_readv(pid_t pid, const struct iovec *local,
			 unsigned long locals, const struct iovec *remote,
			 unsigned long remotes, unsigned long flags)
{
	static ssize_t (*next)(pid_t, const struct iovec *, unsigned long,
			       const struct iovec *, unsigned long,
			       unsigned long);

	if (!next)
		*(void **)&next = real("process_vm_readv");
	if (fails_for("process_vm_readv", NO_REQUEST, pid))
		return -1;
	return next(pid, local, locals, remote, remotes, flags);
}

/* What is closed is closed, whatever the kernel says. */
#define CLOSE(name, parameter)                                                 \
	int name(parameter it)                                                 \
	{                                                                      \
		static int (*next)(parameter);                                 \
		bool now = fails(#name, NO_REQUEST);                           \
		int result;                                                    \
                                                                               \
		if (!next)                                                     \
			*(void **)&next = real(#name);                         \
		result = next(it);                                             \
		if (!now)                                                      \
			return result;                                         \
		errno = number;                                                \
		return -1;                                                     \
	}

CLOSE(close, int)
CLOSE(fclose, FILE *)
CLOSE(pclose, FILE *)

/* Streams read within libc: it is as if their read had failed. */
#define STREAM(type, name, failed, parameters, arguments)                      \
	type name parameters;                                                  \
	type name parameters                                                   \
	{                                                                      \
		static type(*next) parameters;                                 \
                                                                               \
		if (!next)                                                     \
			*(void **)&next = real(#name);                         \
		if (!fails("fread", NO_REQUEST))                               \
			return next arguments;                                 \
		file->_flags |= 0x20; /* _IO_ERR_SEEN */                       \
		return failed;                                                 \
	}

STREAM(ssize_t, __getdelim, -1,
       (char **line, size_t *size, int end, FILE *file),
       (line, size, end, file))
STREAM(char *, fgets, NULL, (char *line, int size, FILE *file),
       (line, size, file))
STREAM(size_t, fread, 0, (void *to, size_t size, size_t count, FILE *file),
       (to, size, count, file))
