/*
 * command_line.c - tells how a process was started: the name by which its
 * program was called, its arguments, and the time
 *
 * The program may have written over its arguments since then, to show a title
 * in ps(1). The title may be in the first argument, over all arguments, over
 * the environment behind the arguments, or in other memory (PR_SET_MM).
 * /proc/PID/cmdline then shows the title. The functions here return the
 * arguments with which the program began, or nothing.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/base/str.h"
#include "perftool/command_line.h"
#include "perftool/target.h"
#include "proc.h"

static bool read_at(int memory, uint64_t address, void *buffer, size_t size)
{
	return pread(memory, buffer, size, (off_t)address) == (ssize_t)size;
}

static int open_memory(pid_t pid)
{
	char path[64];

	proc_path(pid, "mem", path, sizeof(path));
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* ---- arguments ----------------------------------------------------------- */

/* execve(2) accepts at most 6 MiB of arguments. If /proc shows more, the
 * program itself has set these addresses. */
#define MOST_BYTES (8u << 20)

/* The strings of the arguments as exec(2) has placed them, one behind the
 * other. */
struct arguments {
	uint64_t count;
	uint64_t *starts; /* the addresses of the strings, sorted */
	char *strings;
	uint64_t low, high; /* address range of `strings` in the process */
};

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Read the pointers of argv, and sort them: getopt(3) changes the order of the
 * pointers, but not the strings. */
static bool read_starts(int memory, const struct proc_exec *exec,
			struct arguments *out)
{
	/* each string has at least the byte that ends it */
	if (!read_at(memory, exec->stack, &out->count, sizeof(out->count)) ||
	    out->count > out->high - out->low)
		return false;
	out->starts = xcalloc(out->count + 1, sizeof(*out->starts));
	if (!read_at(memory, exec->stack + sizeof(out->count), out->starts,
		     out->count * sizeof(*out->starts)))
		return false;
	qsort(out->starts, out->count, sizeof(*out->starts), compare_addresses);
	out->starts[out->count] = out->high;
	return true;
}

static bool read_arguments(pid_t pid, struct arguments *out)
{
	int memory = open_memory(pid);
	struct proc_exec exec;
	bool is_read = false;
	size_t size;

	*out = (struct arguments){0};
	if (memory >= 0 && proc_exec(pid, &exec) && exec.stack &&
	    exec.arg_start <= exec.arg_end &&
	    exec.arg_end - exec.arg_start <= MOST_BYTES) {
		out->low = exec.arg_start;
		out->high = exec.arg_end;
		size = out->high - out->low;
		out->strings = xcalloc(size + 1, 1);
		is_read = read_at(memory, out->low, out->strings, size) &&
			  read_starts(memory, &exec, out);
	}
	if (memory >= 0)
		close(memory);
	return is_read;
}

/*
 * Are the strings behind the first one those that exec(2) has placed there?
 * Each of these strings begins where a pointer of argv points to, and has only
 * one zero byte, at its end, where the next string begins. A title that was
 * written over some of the strings has moved or removed one of these zero
 * bytes, unless the title has exactly the same lengths. Of the first string,
 * which is the name of the program, only the end matters.
 */
static bool are_original(const struct arguments *arguments)
{
	const uint64_t *starts = arguments->starts;

	if (!arguments->count)
		return arguments->low == arguments->high;
	if (starts[0] != arguments->low)
		return false;
	for (uint64_t i = 0; i < arguments->count; i++) {
		const char *string =
			arguments->strings + (starts[i] - starts[0]);
		uint64_t room = starts[i + 1] - starts[i];

		if (starts[i + 1] <= starts[i] ||
		    starts[i + 1] > arguments->high || string[room - 1])
			return false;
		if (i > 0 && strlen(string) != room - 1)
			return false;
	}
	return true;
}

char **target_arguments(pid_t pid)
{
	struct arguments arguments;
	VEC(char *) list = {0};

	if (read_arguments(pid, &arguments) && are_original(&arguments)) {
		for (uint64_t i = 1; i < arguments.count; i++)
			vec_push(&list, xstrdup(arguments.strings +
						(arguments.starts[i] -
						 arguments.low)));
		vec_push(&list, NULL);
	}
	free(arguments.starts);
	free(arguments.strings);
	return list.data;
}

/* ---- the program --------------------------------------------------------- */

/* The address of the name with which execve(2) was called; 0: the address
 * cannot be read. */
static uint64_t name_address(pid_t pid)
{
	uint64_t address = 0;
	Elf64_auxv_t entry;
	char path[64];
	FILE *file;

	proc_path(pid, "auxv", path, sizeof(path));
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!address && fread(&entry, sizeof(entry), 1, file) == 1)
		if (entry.a_type == AT_EXECFN)
			address = entry.a_un.a_val;
	fclose(file);
	return address;
}

/* Read the name with which execve(2) was called. The name is at the end of the
 * stack, and may end together with the last page, so fewer bytes than asked for
 * may be read. */
static char *read_name(pid_t pid)
{
	uint64_t address = name_address(pid);
	int memory = address ? open_memory(pid) : -1;
	char name[PATH_MAX + 1];
	ssize_t length;

	if (memory < 0)
		return NULL;
	length = pread(memory, name, sizeof(name) - 1, (off_t)address);
	close(memory);
	if (length <= 0)
		return NULL;
	name[length] = '\0';
	return strlen(name) < (size_t)length ? xstrdup(name) : NULL;
}

static char *link_of(pid_t pid, const char *name)
{
	char path[64], target[PATH_MAX];
	ssize_t length;

	proc_path(pid, name, path, sizeof(path));
	length = readlink(path, target, sizeof(target) - 1);
	return length > 0 ? xstrndup(target, (size_t)length) : NULL;
}

/* Does the path lead to the file that the process executes now? */
static bool leads_to_program(const char *path, pid_t pid)
{
	struct stat named, executed;
	char exe[64];

	proc_path(pid, "exe", exe, sizeof(exe));
	return stat(path, &named) == 0 && stat(exe, &executed) == 0 &&
	       named.st_dev == executed.st_dev &&
	       named.st_ino == executed.st_ino;
}

/* The path by which the program was called, as an absolute path. NULL: the path
 * does not lead to the program, because the process has changed its directory,
 * the file was replaced, or a script was called; or the path leads to another
 * file for the tool than for the process. */
static char *called_path(pid_t pid, const char *name)
{
	char *directory = link_of(pid, "cwd"), *path;

	path = directory ? path_absolute(directory, name) : NULL;
	free(directory);
	if (path && leads_to_program(path, pid))
		return path;
	free(path);
	return NULL;
}

char *target_program_path(pid_t pid)
{
	CLEANUP(free_pointer) char *name = read_name(pid);
	char *path = name ? called_path(pid, name) : NULL;

	return path ? path : link_of(pid, "exe");
}

char *target_program_name(pid_t pid)
{
	char *name = read_name(pid);
	CLEANUP(free_pointer) char *path = name ? called_path(pid, name) : NULL;

	if (path)
		return name;
	free(name);
	return link_of(pid, "exe");
}

/* ---- the title and the time -------------------------------------------- */

#define NS_PER_S 1000000000

char *target_title(pid_t pid)
{
	struct str text = {0};
	char path[64], buffer[4096];
	size_t got;
	FILE *file;

	proc_path(pid, "cmdline", path, sizeof(path));
	file = fopen(path, "re");
	while (file && (got = fread(buffer, 1, sizeof(buffer), file)) > 0)
		str_append_n(&text, buffer, got);
	if (file)
		fclose(file);
	while (text.length && !text.data[text.length - 1])
		text.length--;
	for (size_t i = 0; i < text.length; i++)
		if (!text.data[i])
			text.data[i] = ' ';
	if (text.length)
		return str_take(&text);
	str_deinit(&text);
	return NULL;
}

static int64_t nanoseconds(struct timespec time)
{
	return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

bool target_start_time(pid_t pid, struct timespec *out)
{
	long hertz = sysconf(_SC_CLK_TCK);
	struct timespec now, boot;
	struct proc_exec exec;
	int64_t since_boot, time;

	if (hertz <= 0 || !proc_exec(pid, &exec))
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	since_boot = (int64_t)exec.start * (NS_PER_S / hertz);
	time = nanoseconds(now) - nanoseconds(boot) + since_boot;
	*out = (struct timespec){.tv_sec = time / NS_PER_S,
				 .tv_nsec = time % NS_PER_S};
	return true;
}
