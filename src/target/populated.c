/*
 * populated.c - which pages of a process's memory hold anything
 *
 * Reading a page of a mapping that nobody has touched would make it one that
 * is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "internal.h"
#include "proc.h"

#define CHUNK 512

/* Of an entry of /proc/PID/pagemap (kernel, admin-guide/mm/pagemap). */
#define PRESENT (1ULL << 63)
#define SWAPPED (1ULL << 62)

static bool read_entries(int fd, uint64_t page, size_t count, uint64_t *entries)
{
	ssize_t size = (ssize_t)(count * sizeof(*entries));

	return pread(fd, entries, (size_t)size,
		     (off_t)(page * sizeof(*entries))) == size;
}

struct error *target_read_populated(struct process *process, uint64_t address,
				    uint8_t *buffer, size_t size,
				    bool *populated)
{
	uint64_t entries[CHUNK];
	size_t pages = size / ARCH_PAGE;
	struct error *error = NULL;
	char path[64];
	int fd;

	proc_path(process->pid, "pagemap", path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_system(errno, "%s", path);
	for (size_t i = 0; !error && i < pages; i++) {
		if (i % CHUNK == 0 &&
		    !read_entries(fd, address / ARCH_PAGE + i,
				  pages - i < CHUNK ? pages - i : CHUNK,
				  entries)) {
			error = error_create(ERROR_OTHER, "%s: cut off", path);
			break;
		}
		populated[i] = entries[i % CHUNK] & (PRESENT | SWAPPED);
		if (populated[i])
			error = target_read(process, address + i * ARCH_PAGE,
					    buffer + i * ARCH_PAGE, ARCH_PAGE);
	}
	close(fd);
	return error;
}
