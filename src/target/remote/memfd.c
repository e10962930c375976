/*
 * memfd.c - maps memory of the tool into a process
 *
 * The memory is that of a memfd: a file that has no name in any directory, but
 * whose name is shown in /proc/PID/maps.
 *
 * Private memory holds code. The tool writes it in the same way as it writes
 * the program's memory. Shared memory is mapped by the tool as well.
 *
 * As long as the memfd is open, it is in a table of files. If that were the
 * program's table, a thread of the program that closes or opens a file at that
 * moment could close the memfd, and get its number for a file of its own. So if
 * the program has several threads, a helper makes the calls: a thread that the
 * script creates, with a copy of the table of files, and that ends behind the
 * calls. Nothing that happens to the tool meanwhile concerns the program.
 *
 * Where the kernel does not let the program have one more thread, the program's
 * thread makes the calls, and the other threads that have its table stand still
 * until the memfd is closed (stand_still()). A tool that dies in between lets
 * them go on, and the script makes the rest of its calls. These calls must not
 * change a file of the program then, so it is the tool that gives the memfd its
 * size: it opens the memfd through /proc/PID/task/TID/fd, which needs no rights
 * beyond those of a tracer.
 *
 * Private memory that is needed at hundreds of addresses is mapped from one
 * memfd: each mapping has the file's beginning, which stays zero, and pages of
 * its own where the tool writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <sched.h>
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
#include "target/attach/attach.h"

/* ---- the program's table of files ---------------------------------------- */

/* Do the threads of the other process have the table of files of this thread?
 * Threads of one process are taken to have one table. */
static bool has_table_of(const struct thread *thread,
			 const struct process *other)
{
	return other == thread->process ||
	       syscall(SYS_kcmp, thread->tid, living_thread(other), KCMP_FILES,
		       0, 0) == 0;
}

static bool runs(const struct thread *thread)
{
	return thread->state == THREAD_RUNNING && !target_is_at_rest(thread);
}

static void interrupt_threads(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (runs(process->threads.data[i]))
			ptrace(PTRACE_INTERRUPT, process->threads.data[i]->tid,
			       0, 0);
}

static void await_threads(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (runs(process->threads.data[i]))
			await_any_report(process->threads.data[i]);
}

/*
 * Stop the threads that have the table of files of this thread and that run.
 * They have then something to report, which is left for target_wait(); until it
 * handles their reports they execute nothing. (A thread that does not leave the
 * kernel is not waited for: it may only open a file, which gets another
 * number.)
 */
static void stand_still(const struct thread *thread)
{
	const struct target *target = thread->process->target;
	const struct process *process;
	size_t cursor = 0;

	while ((process = target_next_process(target, &cursor)))
		if (has_table_of(thread, process))
			interrupt_threads(process);
	cursor = 0;
	while ((process = target_next_process(target, &cursor)))
		if (has_table_of(thread, process))
			await_threads(process);
}

/* Is the thread the only one that can use its table of files? */
static bool is_alone(const struct thread *thread)
{
	const struct target *target = thread->process->target;
	const struct process *process;
	size_t cursor = 0;

	if (thread->process->threads.count > 1)
		return false;
	while ((process = target_next_process(target, &cursor)))
		if (process != thread->process && has_table_of(thread, process))
			return false;
	return true;
}

/* ---- the memfd ----------------------------------------------------------- */

static bool failed(int64_t result)
{
	return result < 0 && result > -4096;
}

static struct error *check_result(const struct process *process,
				  const char *call, int64_t result)
{
	if (!failed(result))
		return NULL;
	return error_system((int)-result, "cannot map memory in process %d: %s",
			    process->pid, call);
}

static struct error *check_mapping(const struct process *process,
				   int64_t result, uint64_t wanted)
{
	TRY(check_result(process, "mmap", result));
	if (wanted && (uint64_t)result != wanted)
		return error_create(ERROR_OTHER,
				    "memory was mapped at 0x%" PRIx64
				    " instead of 0x%" PRIx64,
				    (uint64_t)result, wanted);
	return NULL;
}

/*
 * If the file became larger than the limit that the tool has for files
 * (RLIMIT_FSIZE), the tool would get SIGXFSZ, and a program that uses the
 * library would end. So the tool checks this limit first.
 */
static struct error *check_file_size(uint64_t size)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size)
		return error_create(
			ERROR_OTHER,
			"perftool may not create a file of %" PRIu64
			" bytes, which it needs for its memory in the process; "
			"raise the limit (ulimit -f)",
			size);
	return NULL;
}

static struct error *set_size(int file, uint64_t size)
{
	if (ftruncate(file, (off_t)size) < 0)
		return error_system(errno,
				    "cannot create a file of %" PRIu64 " bytes",
				    size);
	return NULL;
}

/* Who makes the calls. */
enum maker {
	MAKER_THREAD,
	MAKER_HELPER,
	/* the program has no number left for a file: a helper that closes one
	 * of its copies */
	MAKER_FREEING_HELPER,
};

/* Memory that is to be mapped, and what the tool does while the memfd is open.
 */
struct opening {
	struct thread *thread;
	const char *name;
	uint64_t size;                /* of the memfd */
	struct shared_memory *shared; /* NULL: the memory is private */
	enum maker maker;
	size_t memfd;    /* the index of the call that creates the memfd */
	bool is_refused; /* the kernel has created no helper */
};

static struct error *share(int file, struct shared_memory *out)
{
	struct stat status = {0};
	void *memory = mmap(NULL, out->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			    file, 0);

	if (memory == MAP_FAILED)
		return error_system(errno,
				    "cannot map shared memory of %zu bytes",
				    out->size);
	fstat(file, &status);
	out->memory = memory;
	out->inode = status.st_ino;
	return NULL;
}

static struct error *open_memfd(void *context, const int64_t *results)
{
	const struct opening *opening = context;
	const struct thread *thread = opening->thread;
	int64_t number = results[opening->memfd];
	struct error *error;
	char path[64];
	int file;

	TRY(check_result(thread->process, "memfd_create", number));
	/* a leader that has ended has no open files any more */
	snprintf(path, sizeof(path), "/proc/%d/task/%" PRId64 "/fd/%" PRId64,
		 thread->process->pid,
		 opening->maker == MAKER_THREAD ? thread->tid : results[0],
		 number);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return error_system(errno, "%s", path);
	error = set_size(file, opening->size);
	if (!error && opening->shared)
		error = share(file, opening->shared);
	close(file);
	return error;
}

/* The calls around those that map memory. */
#define MOST_OTHERS 3
/* How many mappings one script makes. */
#define AT_ONCE (ARCH_SCRIPT_CALLS - MOST_OTHERS)

static const struct script_call create_helper = {
	.number = SYS_clone,
	.args = {CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD |
		 CLONE_SYSVSEM}};
static const struct script_call free_number = {.number = SYS_close};
static const struct script_call create_memfd = {.number = SYS_memfd_create,
						.args = {0, MFD_CLOEXEC},
						.use_data = 1,
						.save = true};
static const struct script_call close_memfd = {.number = SYS_close,
					       .use_saved = 1};

/* Create a memfd, map memory from it by `maps`, calls of mmap(2), and close it.
 * `mapped` gets their results. */
static struct error *make_calls(struct opening *opening,
				const struct script_call *maps, size_t count,
				int64_t *mapped)
{
	const bool has_helper = opening->maker != MAKER_THREAD;
	const struct process *process = opening->thread->process;
	struct script_call calls[ARCH_SCRIPT_CALLS];
	int64_t results[ARCH_SCRIPT_CALLS] = {0};
	struct remote_look look = {0, open_memfd, opening};
	size_t used = 0;

	if (has_helper)
		calls[used++] = create_helper;
	if (opening->maker == MAKER_FREEING_HELPER)
		calls[used++] = free_number;
	look.after = opening->memfd = used;
	calls[used++] = create_memfd;
	for (size_t i = 0; i < count; i++)
		calls[used++] = maps[i];
	if (!has_helper)
		calls[used++] = close_memfd;
	for (size_t i = 1; has_helper && i < used; i++)
		calls[i].by_helper = true;
	TRY(remote_calls(opening->thread, calls, used, opening->name,
			 strlen(opening->name) + 1, &look, results));
	opening->is_refused = has_helper && failed(results[0]);
	if (opening->is_refused)
		return check_result(process, "clone", results[0]);
	memcpy(mapped, results + look.after + 1, count * sizeof(*mapped));
	return NULL;
}

/* Do what make_calls() does, by whoever can. */
static struct error *make(struct opening *opening,
			  const struct script_call *maps, size_t count,
			  int64_t *mapped)
{
	struct thread *thread = opening->thread;
	struct error *error;

	TRY(check_file_size(opening->size));
	/* Other memory may have to be mapped first, by calls of its own. */
	TRY(target_settle(thread->process->target));
	opening->maker = is_alone(thread) ? MAKER_THREAD : MAKER_HELPER;
	error = make_calls(opening, maps, count, mapped);
	if (error && error_errno(error) == EMFILE) {
		error_destroy(error);
		opening->maker = MAKER_FREEING_HELPER;
		error = make_calls(opening, maps, count, mapped);
	}
	if (opening->maker == MAKER_HELPER && opening->is_refused) {
		error_destroy(error);
		stand_still(thread);
		opening->maker = MAKER_THREAD;
		error = make_calls(opening, maps, count, mapped);
	}
	return error;
}

/* Create a memfd, map it, and close it. `wanted` is the address of the mapping;
 * 0: the kernel chooses the address. Without MAP_FIXED_NOREPLACE in `flags` it
 * is only a wish. */
static struct error *map(struct opening *opening, int protection, int flags,
			 uint64_t wanted, uint64_t *address)
{
	const struct script_call call = {.number = SYS_mmap,
					 .args = {wanted, opening->size,
						  (uint64_t)protection,
						  (uint64_t)flags, 0, 0},
					 .use_saved = 5};
	int64_t mapped;

	TRY(make(opening, &call, 1, &mapped));
	TRY(check_mapping(opening->thread->process, mapped,
			  flags & MAP_FIXED_NOREPLACE ? wanted : 0));
	*address = (uint64_t)mapped;
	return NULL;
}

struct error *target_map_at(struct thread *thread, uint64_t address,
			    uint64_t size, const char *name)
{
	struct opening opening = {.thread = thread, .name = name, .size = size};
	uint64_t got;

	return map(&opening, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_FIXED_NOREPLACE, address, &got);
}

/* ---- many mappings ----------------------------------------------------- */

/* Map up to AT_ONCE ranges. */
static struct error *map_some(struct thread *thread,
			      const struct kept_mapping *mappings, size_t count,
			      const char *name)
{
	struct opening opening = {.thread = thread, .name = name};
	struct script_call maps[AT_ONCE];
	int64_t mapped[AT_ONCE];

	for (size_t i = 0; i < count; i++) {
		if (mappings[i].size > opening.size)
			opening.size = mappings[i].size;
		maps[i] = (struct script_call){
			.number = SYS_mmap,
			.args = {mappings[i].address, mappings[i].size,
				 PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0, 0},
			.use_saved = 5};
	}
	TRY(make(&opening, maps, count, mapped));
	for (size_t i = 0; i < count; i++)
		TRY(check_mapping(thread->process, mapped[i],
				  mappings[i].address));
	return NULL;
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
	const struct kept_mapping mapping = {address, size};

	if (!kept_is_on(process))
		return target_map_at(thread, address, size, name);
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

struct error *target_map_shared(struct thread *thread, const char *name,
				size_t size, struct shared_memory *out)
{
	struct opening opening = {
		.thread = thread, .name = name, .size = size, .shared = out};
	struct error *error;

	*out = (struct shared_memory){.size = size};
	error = map(&opening, PROT_READ | PROT_WRITE, MAP_SHARED,
		    find_far_away(thread->process, size), &out->address);
	if (error)
		shared_memory_deinit(out);
	return error;
}

void shared_memory_deinit(struct shared_memory *shared)
{
	if (shared->memory)
		munmap(shared->memory, shared->size);
	*shared = (struct shared_memory){0};
}
