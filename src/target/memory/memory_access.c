/*
 * memory_access.c - reads and writes bytes of a process's memory, through
 * /proc/PID/mem or else by other system calls
 *
 * Through the file of /proc the tool can read and write everything that is
 * mapped, whether or not threads are stopped. This may fail: the file cannot be
 * opened (no file descriptor is free, or /proc is not what it should be), or
 * the kernel has no memory for an access through the file. The tool then uses
 * other system calls, because the bytes may be original bytes of the program
 * that the tool must put back.
 */
#include "memory_access.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "target/target_state.h"

#define WORD sizeof(long)

static pid_t a_thread(const struct process *process)
{
	size_t count = process->threads.count;

	/* the first thread may have ended, and has no memory then */
	return count ? process->threads.data[count - 1]->tid : process->pid;
}

ssize_t access_read(const struct process *process, uint64_t address,
		    void *buffer, size_t size)
{
	ssize_t got = pread(process->mem, buffer, size, (off_t)address);
	int failure = errno;

	/* 0: the memory does not exist any more */
	if (got >= 0 || target_peek(a_thread(process), address, buffer, size))
		return got >= 0 ? got : (ssize_t)size;
	errno = failure;
	return -1;
}

/* Write those of the `size` bytes that are in the word at `address`, through a
 * stopped thread. Returns how many bytes were written; 0: the thread is not
 * stopped, or there is no such memory. */
static size_t poke_word(pid_t tid, uint64_t address, const uint8_t *data,
			size_t size)
{
	size_t into = address % WORD;
	size_t part = WORD - into < size ? WORD - into : size;
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, tid, address - into, 0);
	if (word == -1 && errno)
		return 0;
	memcpy((uint8_t *)&word + into, data, part);
	return ptrace(PTRACE_POKEDATA, tid, address - into, word) < 0 ? 0
								      : part;
}

static bool poke(pid_t tid, uint64_t address, const uint8_t *data, size_t size)
{
	while (size) {
		size_t part = poke_word(tid, address, data, size);

		if (!part)
			return false;
		address += part;
		data += part;
		size -= part;
	}
	return true;
}

ssize_t access_write(const struct process *process, uint64_t address,
		     const void *data, size_t size)
{
	ssize_t put = pwrite(process->mem, data, size, (off_t)address);
	int failure = errno;

	if (put >= 0)
		return put;
	for (size_t i = 0; i < process->threads.count; i++)
		if (poke(process->threads.data[i]->tid, address, data, size))
			return (ssize_t)size;
	errno = failure;
	return -1;
}
