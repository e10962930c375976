/*
 * memory_access.c - reads and writes bytes of a process's memory, through
 * /proc/PID/mem or else by ptrace
 *
 * Through the file of /proc the tool can read and write everything that is
 * mapped, whether or not threads are stopped. This may fail: the file cannot be
 * opened (no file descriptor is free, or /proc is not what it should be), or
 * the kernel has no memory for an access through the file. The tool then uses
 * ptrace, because the bytes may be original bytes of the program that the tool
 * must put back.
 *
 * A page may be missing that the program provides itself when it is accessed
 * (userfaultfd(2)). The thread that provides it may be one that the tool holds,
 * so the tool must not wait for the page. Through the file, and by ptrace, such
 * an access fails at once, because the kernel keeps the memory locked
 * meanwhile. process_vm_readv(2) would wait for the page, and only SIGKILL
 * would end that.
 */
#include "memory_access.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "served_pages.h"
#include "target/proc/proc.h"
#include "target/target_state.h"

#define WORD sizeof(long)

/* How many of the `size` bytes at `address` are in the word of `address`. */
static size_t clip(uint64_t address, size_t size)
{
	size_t left = WORD - address % WORD;

	return size < left ? size : left;
}

/* Read the word of `address` through a stopped thread. False: the thread is not
 * stopped, or there is no such memory. */
static bool peek_word(pid_t tid, uint64_t address, long *word)
{
	errno = 0;
	*word = ptrace(PTRACE_PEEKDATA, tid, address - address % WORD, 0);
	return *word != -1 || !errno;
}

static bool peek(pid_t tid, uint64_t address, uint8_t *data, size_t size)
{
	while (size) {
		size_t part = clip(address, size);
		long word;

		if (!peek_word(tid, address, &word))
			return false;
		memcpy(data, (uint8_t *)&word + address % WORD, part);
		address += part;
		data += part;
		size -= part;
	}
	return true;
}

static bool poke(pid_t tid, uint64_t address, const uint8_t *data, size_t size)
{
	while (size) {
		size_t part = clip(address, size);
		long word;

		if (!peek_word(tid, address, &word))
			return false;
		memcpy((uint8_t *)&word + address % WORD, data, part);
		if (ptrace(PTRACE_POKEDATA, tid, address - address % WORD,
			   word) < 0)
			return false;
		address += part;
		data += part;
		size -= part;
	}
	return true;
}

ssize_t access_read(const struct process *process, uint64_t address,
		    void *buffer, size_t size)
{
	ssize_t got;
	int failure;

	if (!served_pages_await(process, address, size))
		return -1;
	got = pread(process->mem, buffer, size, (off_t)address);
	failure = errno;
	/* 0: the memory does not exist any more */
	if (got >= 0)
		return got;
	for (size_t i = 0; i < process->threads.count; i++) {
		const struct thread *thread = process->threads.data[i];

		if (thread->state == THREAD_RUNNING)
			continue;
		if (peek(thread->tid, address, buffer, size))
			return (ssize_t)size;
		if (errno != ESRCH)
			break; /* each other thread has the same memory */
	}
	errno = failure;
	return -1;
}

ssize_t access_write(const struct process *process, uint64_t address,
		     const void *data, size_t size)
{
	ssize_t put;
	int failure;

	if (!served_pages_await(process, address, size))
		return -1;
	put = pwrite(process->mem, data, size, (off_t)address);
	failure = errno;
	if (put >= 0)
		return put;
	for (size_t i = 0; i < process->threads.count; i++)
		if (poke(process->threads.data[i]->tid, address, data, size))
			return (ssize_t)size;
	errno = failure;
	return -1;
}

bool target_peek(pid_t pid, uint64_t address, void *buffer, size_t size)
{
	char path[64];
	bool done;
	int mem;

	proc_path(pid, "mem", path, sizeof(path));
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0)
		return false;
	done = pread(mem, buffer, size, (off_t)address) == (ssize_t)size;
	close(mem);
	return done;
}
