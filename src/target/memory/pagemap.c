/* pagemap.c - reads /proc/PID/pagemap; see pagemap.h */
#include "pagemap.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "target/proc/proc.h"
#include "target/target_state.h"

/* Bits of an entry of /proc/PID/pagemap. */
#define PRESENT (1ULL << 63)
#define SWAPPED (1ULL << 62)

int pagemap_open(pid_t pid)
{
	char path[64];

	proc_path(pid, "pagemap", path, sizeof(path));
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool pagemap_read(int pagemap, uint64_t address, size_t pages, bool *holds)
{
	uint64_t entries[PAGEMAP_MOST];
	size_t size = pages * sizeof(entries[0]);
	uint64_t offset = address / ARCH_PAGE * sizeof(entries[0]);

	if (pread(pagemap, entries, size, (off_t)offset) != (ssize_t)size)
		return false;
	for (size_t i = 0; i < pages; i++)
		holds[i] = entries[i] & (PRESENT | SWAPPED);
	return true;
}

static struct error *read_held(struct process *process, int pagemap,
			       uint64_t address, uint8_t *buffer, size_t pages,
			       bool *populated)
{
	if (!pagemap_read(pagemap, address, pages, populated))
		return error_create(ERROR_OTHER,
				    "/proc/%d/pagemap: the file ends too early",
				    process->pid);
	for (size_t i = 0; i < pages; i++)
		if (populated[i])
			TRY(target_read(process, address + i * ARCH_PAGE,
					buffer + i * ARCH_PAGE, ARCH_PAGE));
	return NULL;
}

struct error *target_read_populated(struct process *process, uint64_t address,
				    uint8_t *buffer, size_t size,
				    bool *populated)
{
	size_t pages = size / ARCH_PAGE, count;
	struct error *error = NULL;
	int pagemap = pagemap_open(process->pid);

	if (pagemap < 0)
		return error_system(errno, "/proc/%d/pagemap", process->pid);
	for (size_t i = 0; !error && i < pages; i += count) {
		count = pages - i < PAGEMAP_MOST ? pages - i : PAGEMAP_MOST;
		error = read_held(process, pagemap, address + i * ARCH_PAGE,
				  buffer + i * ARCH_PAGE, count, populated + i);
	}
	close(pagemap);
	return error;
}
