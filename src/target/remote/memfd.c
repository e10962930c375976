/*
 * memfd.c - maps memory of the tool into a process
 *
 * The memory is that of a memfd: a file that has no name in any directory, but
 * whose name is shown in /proc/PID/maps.
 *
 * Private memory holds code. The tool writes it in the same way as it writes
 * the program's memory. Shared memory is mapped by the tool as well. To do
 * this, the tool must open the file while the process has the file open. It
 * opens the file through /proc/PID/task/TID/fd, which needs no rights beyond
 * those of a tracer.
 *
 * Private memory that is needed at hundreds of addresses is mapped from one
 * memfd: each mapping has the file's beginning, which stays zero, and pages of
 * its own where the tool writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perftool/target/memory_maps.h"
#include "perftool/target/process_status.h"
#include "perftool/target/remote_calls.h"
#include "remote.h"

/*
 * If the file became larger than the limit that the process has for files
 * (RLIMIT_FSIZE), the process would get SIGXFSZ. So the tool checks this limit
 * first.
 */
static struct error *check_file_size(const struct process *process,
				     uint64_t size)
{
	uint64_t limit;

	TRY(target_read_limit(process->pid, "Max file size", &limit));
	if (limit < size)
		return error_create(
			ERROR_OTHER,
			"process %d may not create a file of %" PRIu64
			" bytes, which perftool needs for its memory in the "
			"process; raise the limit (ulimit -f)",
			process->pid, size);
	return NULL;
}

static bool failed(int64_t result)
{
	return result < 0 && result > -4096;
}

enum { CALL_MEMFD, CALL_SIZE, CALL_MAP, CALL_CLOSE, CALLS };

static struct error *check_results(const struct process *process,
				   const int64_t results[CALLS])
{
	static const char *const names[] = {"memfd_create", "ftruncate", "mmap",
					    "close"};

	for (size_t i = 0; i < CALLS; i++)
		if (failed(results[i]))
			return error_system((int)-results[i],
					    "cannot map memory in process %d: "
					    "%s",
					    process->pid, names[i]);
	return NULL;
}

/* Create a memfd of `size` bytes in the process, map it, and close the file
 * descriptor. `wanted` is the address of the mapping; 0: the kernel chooses the
 * address. Without MAP_FIXED_NOREPLACE in `flags` it is only a wish. */
static struct error *map(struct thread *thread, const char *name, uint64_t size,
			 int protection, int flags, uint64_t wanted,
			 const struct remote_look *look, uint64_t *address)
{
	const struct script_call calls[] = {
		[CALL_MEMFD] = {.number = SYS_memfd_create,
				.args = {0, MFD_CLOEXEC},
				.use_data = 1,
				.save = true},
		[CALL_SIZE] = {.number = SYS_ftruncate,
			       .args = {0, size},
			       .use_saved = 1},
		[CALL_MAP] = {.number = SYS_mmap,
			      .args = {wanted, size, (uint64_t)protection,
				       (uint64_t)flags, 0, 0},
			      .use_saved = 5},
		[CALL_CLOSE] = {.number = SYS_close, .use_saved = 1},
	};
	int64_t results[CALLS] = {0};

	TRY(check_file_size(thread->process, size));
	TRY(remote_calls(thread, calls, CALLS, name, strlen(name) + 1, look,
			 results));
	TRY(check_results(thread->process, results));
	*address = (uint64_t)results[CALL_MAP];
	if (flags & MAP_FIXED_NOREPLACE && *address != wanted)
		return error_create(ERROR_OTHER,
				    "memory was mapped at 0x%" PRIx64
				    " instead of 0x%" PRIx64,
				    *address, wanted);
	return NULL;
}

struct error *target_map_at(struct thread *thread, uint64_t address,
			    uint64_t size, const char *name)
{
	uint64_t got;

	return map(thread, name, size, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_FIXED_NOREPLACE, address, NULL, &got);
}

/* ---- many mappings ----------------------------------------------------- */

/* How many mappings one script makes. */
#define AT_ONCE (ARCH_SCRIPT_CALLS - CALLS + 1)

/* Report the first of the calls of a script that has failed. */
static struct error *check_mappings(const struct process *process,
				    const struct kept_mapping *mappings,
				    size_t count, const int64_t *results)
{
	for (size_t i = 0; i < count; i++) {
		const int64_t of_one[CALLS] = {
			results[CALL_MEMFD], results[CALL_SIZE],
			results[CALL_MAP + i], results[CALL_MAP + count]};

		TRY(check_results(process, of_one));
		if ((uint64_t)of_one[CALL_MAP] != mappings[i].address)
			return error_create(ERROR_OTHER,
					    "memory was mapped at 0x%" PRIx64
					    " instead of 0x%" PRIx64,
					    (uint64_t)of_one[CALL_MAP],
					    mappings[i].address);
	}
	return NULL;
}

/* Map up to AT_ONCE ranges. */
static struct error *map_some(struct thread *thread,
			      const struct kept_mapping *mappings, size_t count,
			      const char *name)
{
	struct script_call calls[ARCH_SCRIPT_CALLS];
	int64_t results[ARCH_SCRIPT_CALLS] = {0};
	uint64_t largest = 0;

	for (size_t i = 0; i < count; i++) {
		if (mappings[i].size > largest)
			largest = mappings[i].size;
		calls[CALL_MAP + i] = (struct script_call){
			.number = SYS_mmap,
			.args = {mappings[i].address, mappings[i].size,
				 PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0, 0},
			.use_saved = 5};
	}
	calls[CALL_MEMFD] = (struct script_call){.number = SYS_memfd_create,
						 .args = {0, MFD_CLOEXEC},
						 .use_data = 1,
						 .save = true};
	calls[CALL_SIZE] = (struct script_call){
		.number = SYS_ftruncate, .args = {0, largest}, .use_saved = 1};
	calls[CALL_MAP + count] =
		(struct script_call){.number = SYS_close, .use_saved = 1};
	TRY(remote_calls(thread, calls, count + CALLS - 1, name,
			 strlen(name) + 1, NULL, results));
	return check_mappings(thread->process, mappings, count, results);
}

static struct error *map_all(struct thread *thread,
			     const struct kept_mapping *mappings, size_t count,
			     const char *name)
{
	for (size_t i = 0; i < count; i += AT_ONCE)
		TRY(map_some(thread, mappings + i,
			     count - i < AT_ONCE ? count - i : AT_ONCE, name));
	return NULL;
}

struct error *map_at_some_time(struct thread *thread, uint64_t address,
			       uint64_t size, const char *name)
{
	const struct process *process = thread->process;
	const struct kept *kept = &process->target->kept;
	const struct kept_mapping mapping = {address, size};

	if (!kept_is_on(process))
		return target_map_at(thread, address, size, name);
	if (size > kept->largest)
		TRY(check_file_size(process, size));
	kept_defer_mapping(thread, &mapping, name, map_all);
	return NULL;
}

/* ---- shared with the tool ---------------------------------------------- */

/*
 * Shared memory may be hundreds of megabytes of addresses. A jump in place of a
 * short instruction may be able to lead to a single page, somewhere in the 2
 * GiB on either side of it. So shared memory is mapped far from all code, in
 * the largest range of free addresses, and this far below its end.
 */
#define FAR_AWAY (64UL * 1024 * 1024 * 1024)
/* The end of user space. (The mapping of vsyscall is above it.) */
#define HIGHEST 0x7ffffffff000UL

/* The address that shared memory of `size` bytes is to have; 0: the kernel is
 * to choose one, because no range of free addresses is large enough. */
static uint64_t find_far_away(const struct process *process, uint64_t size)
{
	struct mapping_list maps = {0};
	uint64_t previous = 0, most = 0, end = 0;

	/* (If the mappings cannot be read, the kernel chooses.) */
	error_destroy(target_read_maps(process->pid, &maps));
	for (size_t i = 0; i < maps.count && maps.data[i].low < HIGHEST; i++) {
		const struct mapping *map = &maps.data[i];

		if (map->low > previous && map->low - previous > most) {
			most = map->low - previous;
			end = map->low;
		}
		previous = map->high;
	}
	mapping_list_deinit(&maps);
	return most > 2 * FAR_AWAY + size
		       ? (end - FAR_AWAY - size) & ~(uint64_t)(ARCH_PAGE - 1)
		       : 0;
}

struct opening {
	const struct thread *thread;
	struct shared_memory *out;
};

/* Open the file and map it into the tool, while the process has the file open.
 * If the tool dies, the process still closes the file by itself, because the
 * script completes. */
static struct error *open_file(void *context, const int64_t *results)
{
	const struct opening *opening = context;
	struct shared_memory *out = opening->out;
	struct stat status = {0};
	char path[64];
	void *memory;
	int file, saved;

	TRY(check_results(opening->thread->process, results));
	/* a leader that has ended has no open files any more */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/fd/%" PRId64,
		 opening->thread->process->pid, opening->thread->tid,
		 results[CALL_MEMFD]);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return error_system(errno, "%s", path);
	memory = mmap(NULL, out->size, PROT_READ | PROT_WRITE, MAP_SHARED, file,
		      0);
	saved = errno;
	fstat(file, &status);
	close(file);
	if (memory == MAP_FAILED)
		return error_system(saved,
				    "cannot map shared memory of %zu bytes",
				    out->size);
	out->memory = memory;
	out->inode = status.st_ino;
	return NULL;
}

struct error *target_map_shared(struct thread *thread, const char *name,
				size_t size, struct shared_memory *out)
{
	struct opening opening = {thread, out};
	const struct remote_look look = {CALL_MAP, open_file, &opening};

	*out = (struct shared_memory){.size = size};
	return map(thread, name, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   find_far_away(thread->process, size), &look, &out->address);
}

void shared_memory_deinit(struct shared_memory *shared)
{
	if (shared->memory)
		munmap(shared->memory, shared->size);
	*shared = (struct shared_memory){0};
}
