/*
 * debuginfo_samples.h - small programs, compiled as the tests run
 *
 * A test of debug information needs files as compilers write them: these
 * helpers compile sources into a temporary directory, run other tools on what
 * comes out, and run it to an address.
 */
#ifndef DEBUGINFO_SAMPLES_H
#define DEBUGINFO_SAMPLES_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo.h"
#include "perftool/debuginfo/frame_rules.h"

/* ---- files and tools ------------------------------------------------- */

static char sample_directory[64];

static inline int samples_setup(void **state)
{
	(void)state;
	strcpy(sample_directory, "/tmp/perftool-test-XXXXXX");
	return mkdtemp(sample_directory) ? 0 : -1;
}

static inline int samples_teardown(void **state)
{
	char *command = xasprintf("rm -rf %s", sample_directory);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

static inline char *sample_path(const char *name)
{
	return xasprintf("%s/%s", sample_directory, name);
}

static inline void write_sample(const char *name, const void *bytes,
				size_t size)
{
	char *path = sample_path(name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static inline uint8_t *read_whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	uint8_t *bytes;
	struct stat status;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	*size = (size_t)status.st_size;
	bytes = xmalloc(*size + 1);
	assert_int_equal(fread(bytes, 1, *size, file), *size);
	bytes[*size] = '\0';
	fclose(file);
	return bytes;
}

/* What a shell command prints; it must succeed. */
__attribute__((format(printf, 1, 2))) static inline char *
output_of(const char *format, ...)
{
	struct str text = {0};
	char buffer[4096], *command;
	FILE *pipe;
	size_t got;
	va_list ap;

	va_start(ap, format);
	command = xvasprintf(format, ap);
	va_end(ap);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((got = fread(buffer, 1, sizeof(buffer), pipe)) > 0)
		str_append_n(&text, buffer, got);
	if (pclose(pipe) != 0)
		fail_msg("this failed: %s", command);
	free(command);
	return str_take(&text);
}

static inline bool has_tool(const char *name)
{
	char *command = xasprintf("command -v %s >/dev/null 2>&1", name);
	bool there = system(command) == 0;

	free(command);
	return there;
}

/* Write `source` to NAME.SUFFIX and run `compiler` (with its flags) on it;
 * returns the path of what it made, which the caller frees. */
static inline char *compile(const char *compiler, const char *name,
			    const char *suffix, const char *source)
{
	char *file = xasprintf("%s.%s", name, suffix);
	char *path = sample_path(name);

	write_sample(file, source, strlen(source));
	free(output_of("cd %s && %s %s -o %s 2>&1", sample_directory, compiler,
		       file, name));
	free(file);
	return path;
}

static inline struct debugfile *open_sample(const char *path)
{
	struct debugfile *file = NULL;
	struct error *error = debugfile_open(path, &file);

	if (error)
		fail_msg("%s", error_message(error));
	return file;
}

/* The only function of this name. */
static inline struct function function_named(struct debugfile *file,
					     const char *name)
{
	struct function_list list = {0};
	struct function function;

	assert_null(debugfile_find_functions(file, name, &list));
	if (list.count != 1)
		fail_msg("%zu functions called %s", list.count, name);
	function = list.data[0];
	vec_free(&list);
	return function;
}

/* ---- a running program ----------------------------------------------- */

struct running {
	pid_t pid;
	uint64_t bias;
	struct user_regs_struct regs;
	struct frame_reader reader;
	struct scratch scratch;
};

static inline bool running_read(void *context, uint64_t address, void *buffer,
				size_t size)
{
	const struct running *running = context;
	char *path = xasprintf("/proc/%d/mem", running->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, buffer, size, (off_t)address);

	free(path);
	if (fd >= 0)
		close(fd);
	return got == (ssize_t)size;
}

static inline bool running_vectors(void *context,
				   struct user_fpregs_struct *out)
{
	const struct running *running = context;

	return ptrace(PTRACE_GETFPREGS, running->pid, NULL, out) == 0;
}

/* Where the program is loaded, less what its file says. */
static inline uint64_t running_bias(const struct running *running,
				    const struct debugfile *file)
{
	char *path = xasprintf("/proc/%d/maps", running->pid);
	FILE *maps = fopen(path, "r");
	unsigned long low = 0;

	assert_non_null(maps);
	assert_int_equal(fscanf(maps, "%lx", &low), 1);
	fclose(maps);
	free(path);
	return low - debugfile_facts(file)->low;
}

static inline void running_stop(struct running *running)
{
	kill(running->pid, SIGKILL);
	waitpid(running->pid, NULL, 0);
}

/* Start the program; it stops before its first instruction. */
static inline void run_start(struct running *running, const char *path,
			     const struct debugfile *file)
{
	int status;

	running->pid = fork();
	assert_true(running->pid >= 0);
	if (running->pid == 0) {
		personality(ADDR_NO_RANDOMIZE); /* every run the same */
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(running->pid, &status, 0), running->pid);
	assert_true(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, running->pid, NULL, PTRACE_O_EXITKILL);
	running->bias = running_bias(running, file);
}

/* Let it run on to an address of its memory. */
static inline void run_on_to(struct running *running, uint64_t at)
{
	long word;
	int status;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, running->pid, at, NULL);
	assert_int_equal(errno, 0);
	assert_int_equal(ptrace(PTRACE_POKETEXT, running->pid, at,
				(word & ~0xffL) | 0xcc),
			 0);
	assert_int_equal(ptrace(PTRACE_CONT, running->pid, NULL, NULL), 0);
	assert_int_equal(waitpid(running->pid, &status, 0), running->pid);
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		fail_msg("the program did not reach %#lx", at);
	assert_int_equal(
		ptrace(PTRACE_GETREGS, running->pid, NULL, &running->regs), 0);
	running->regs.rip--;
	assert_int_equal(running->regs.rip, at);
	ptrace(PTRACE_POKETEXT, running->pid, at, word);
	ptrace(PTRACE_SETREGS, running->pid, NULL, &running->regs);
	running->scratch.used = 0;
	running->reader = (struct frame_reader){
		.read = running_read,
		.context = running,
		.regs = &running->regs,
		.read_vectors = running_vectors,
		.bias = running->bias,
		.scratch = &running->scratch,
	};
}

/* Start the program and let it run to `address` of its file. */
static inline void run_to(struct running *running, const char *path,
			  const struct debugfile *file, uint64_t address)
{
	run_start(running, path, file);
	run_on_to(running, address + running->bias);
}

#endif
