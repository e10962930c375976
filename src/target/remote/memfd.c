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
 * beyond those of a tracer. The tool also seals the size (seal_size()).
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

/* The program can open the file through /proc, and so can other processes of
 * its user. If one of them made the file shorter, the tool would get SIGBUS
 * where it reads the memory. */
static struct error *seal_size(int file, uint64_t size)
{
	struct stat status;

	if (fcntl(file, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return error_system(errno, "cannot seal a file");
	if (fstat(file, &status) < 0)
		return error_system(errno, "fstat");
	if ((uint64_t)status.st_size != size)
		return error_create(ERROR_OTHER,
				    "another process has changed the size of "
				    "the file that has perftool's memory");
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

/* Returns an error with the same message and without its errno value. The
 * callers look at the errno value of calls that the program has made, and this
 * error is of a call of the tool. */
static struct error *without_number(struct error *error)
{
	struct error *same =
		error ? error_create(ERROR_OTHER, "%s", error_message(error))
		      : NULL;

	error_destroy(error);
	return same;
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
		return without_number(error_system(errno, "%s", path));
	error = set_size(file, opening->size);
	if (!error)
		error = seal_size(file, opening->size);
	if (!error && opening->shared)
		error = share(file, opening->shared);
	close(file);
	return without_number(error);
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
static const struct script_call create_memfd = {
	.number = SYS_memfd_create,
	.args = {0, MFD_CLOEXEC | MFD_ALLOW_SEALING},
	.use_data = 1,
	.save = true};
static const struct script_call close_memfd = {.number = SYS_close,
					       .use_saved = 1};

/* Create a memfd, map memory from it by `maps`, calls of mmap(2), and close it.
 * `mapped` gets their results, also after an error; -1: the call was not made.
 */
static struct error *make_calls(struct opening *opening,
				const struct script_call *maps, size_t count,
				int64_t *mapped)
{
	const bool has_helper = opening->maker != MAKER_THREAD;
	const struct process *process = opening->thread->process;
	struct script_call calls[ARCH_SCRIPT_CALLS];
	struct remote_look look = {0, open_memfd, opening};
	int64_t results[ARCH_SCRIPT_CALLS];
	struct error *error;
	size_t used = 0;

	for (size_t i = 0; i < ARCH_SCRIPT_CALLS; i++)
		results[i] = -1;

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
	error = remote_calls(opening->thread, calls, used, opening->name,
			     strlen(opening->name) + 1, &look, results);
	memcpy(mapped, results + look.after + 1, count * sizeof(*mapped));
	opening->is_refused = !error && has_helper && failed(results[0]);
	return opening->is_refused ? check_result(process, "clone", results[0])
				   : error;
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

/* ---- access to the memory ------------------------------------------------ */

/*
 * All memory is mapped without access, and the program's thread allows the
 * access afterwards. In between, the thread unlocks the memory and takes it out
 * of core files. In a program that locks all its memory (mlockall(2)) the
 * kernel would otherwise make all pages at once, and so would the writing of a
 * core file; pages that nobody writes to are to take no memory.
 */
#define ALLOWING_CALLS 3

/* Allow the access to all the ranges, with as few scripts as possible.
 * `protection` is 0 if the access is allowed already. */
static struct error *allow_all(struct thread *thread,
			       const struct kept_mapping *mappings,
			       size_t count, int protection)
{
	struct script_call calls[ARCH_SCRIPT_CALLS];
	int64_t results[ARCH_SCRIPT_CALLS];
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t low = mappings[i].address;
		const uint64_t size = mappings[i].size;

		calls[used++] = (struct script_call){.number = SYS_munlock,
						     .args = {low, size}};
		calls[used++] = (struct script_call){
			.number = SYS_madvise,
			.args = {low, size, MADV_DONTDUMP}};
		if (protection)
			calls[used++] = (struct script_call){
				.number = SYS_mprotect,
				.args = {low, size, (uint64_t)protection}};
		if (used + ALLOWING_CALLS <= ARCH_SCRIPT_CALLS && i + 1 < count)
			continue;
		TRY(target_remote_calls(thread, calls, used, NULL, 0, results));
		for (; used; used--)
			if (calls[used - 1].number == SYS_mprotect)
				TRY(check_result(thread->process, "mprotect",
						 results[used - 1]));
	}
	return NULL;
}

/* ---- private memory ----------------------------------------------------- */

static void unmap_some(struct thread *thread,
		       const struct kept_mapping *mappings,
		       const int64_t *mapped, size_t count)
{
	struct script_call calls[AT_ONCE];
	int64_t results[AT_ONCE];
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (!failed(mapped[i]))
			calls[used++] = (struct script_call){
				.number = SYS_munmap,
				.args = {(uint64_t)mapped[i],
					 mappings[i].size}};
	if (used)
		error_destroy(target_remote_calls(thread, calls, used, NULL, 0,
						  results));
}

/* Map the ranges by the calls, and allow the access to them. After an error
 * none of them is mapped. `is_forbidden` (may be NULL): the program may not get
 * access to memory that was mapped without it. */
static struct error *map_ranges(struct opening *opening,
				const struct script_call *maps,
				const struct kept_mapping *mappings,
				size_t count, int protection,
				bool *is_forbidden)
{
	struct error *error;
	int64_t mapped[AT_ONCE];

	error = make(opening, maps, count, mapped);
	for (size_t i = 0; !error && i < count; i++)
		error = check_mapping(opening->thread->process, mapped[i],
				      mappings[i].address);
	if (!error) {
		error = allow_all(opening->thread, mappings, count, protection);
		if (error && is_forbidden)
			*is_forbidden = error_errno(error) == EACCES ||
					error_errno(error) == EPERM;
	}
	if (error)
		unmap_some(opening->thread, mappings, mapped, count);
	return error;
}

/* Map up to AT_ONCE ranges, with this access at first. */
static struct error *map_private(struct thread *thread,
				 const struct kept_mapping *mappings,
				 size_t count, const char *name, int access,
				 bool *is_forbidden)
{
	struct opening opening = {.thread = thread, .name = name};
	struct script_call maps[AT_ONCE];

	for (size_t i = 0; i < count; i++) {
		if (mappings[i].size > opening.size)
			opening.size = mappings[i].size;
		maps[i] = (struct script_call){
			.number = SYS_mmap,
			.args = {mappings[i].address, mappings[i].size,
				 (uint64_t)access,
				 MAP_PRIVATE | MAP_FIXED_NOREPLACE, 0, 0},
			.use_saved = 5};
	}
	return map_ranges(&opening, maps, mappings, count,
			  access ? 0 : PROT_READ | PROT_EXEC, is_forbidden);
}

/* Map up to AT_ONCE ranges. A program may have forbidden itself to make memory
 * executable (PR_SET_MDWE, or a filter): it can only map such memory. */
static struct error *map_some(struct thread *thread,
			      const struct kept_mapping *mappings, size_t count,
			      const char *name)
{
	bool is_forbidden = false;
	struct error *error = map_private(thread, mappings, count, name,
					  PROT_NONE, &is_forbidden);

	if (!is_forbidden)
		return error;
	error_destroy(error);
	return map_private(thread, mappings, count, name, PROT_READ | PROT_EXEC,
			   NULL);
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

struct error *target_map_at(struct thread *thread, uint64_t address,
			    uint64_t size, const char *name)
{
	const struct kept_mapping mapping = {address, size};

	return map_some(thread, &mapping, 1, name);
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
 * Shared memory may have hundreds of megabytes of addresses. A jump in place of
 * a short instruction may be able to lead to a single page, somewhere in the 2
 * GiB on either side of it. So shared memory is mapped far from all code, in
 * the largest range of free addresses, and this far below its end, where the
 * kernel maps nothing of the program's as long as it has so many addresses.
 */
#define FAR_AWAY (64UL * 1024 * 1024 * 1024)
/* The end of user space. (The mapping of vsyscall is above it.) */
#define HIGHEST 0x7ffffffff000UL

/* Find the address that shared memory of `size` bytes is to have. */
static struct error *find_far_away(const struct process *process, uint64_t size,
				   uint64_t *address)
{
	uint64_t previous = 0, most = 0, end = 0;
	struct mapping_list maps = {0};

	TRY(target_read_maps(process->pid, &maps));
	for (size_t i = 0; i < maps.count && maps.data[i].low < HIGHEST; i++) {
		const struct mapping *map = &maps.data[i];

		if (map->low > previous && map->low - previous > most) {
			most = map->low - previous;
			end = map->low;
		}
		previous = map->high;
	}
	mapping_list_deinit(&maps);
	if (most < size + 2 * ARCH_PAGE)
		return error_system(ENOMEM,
				    "process %d has no range of %" PRIu64
				    " free addresses",
				    process->pid, size);
	if (most > 2 * FAR_AWAY + size)
		end -= FAR_AWAY;
	*address = (end - size) & ~(uint64_t)(ARCH_PAGE - 1);
	return NULL;
}

static void list_pieces(const struct shared_memory *shared,
			struct kept_mapping *out)
{
	for (unsigned i = 0; i < shared->layout.count; i++)
		out[i] = (struct kept_mapping){
			shared->address + shared_distance(&shared->layout, i),
			shared_piece_size(&shared->layout, i)};
}

static struct error *map_pieces(struct opening *opening,
				const struct shared_memory *shared)
{
	struct kept_mapping pieces[SHARED_MOST_PIECES];
	struct script_call maps[SHARED_MOST_PIECES];

	list_pieces(shared, pieces);
	for (unsigned i = 0; i < shared->layout.count; i++)
		maps[i] = (struct script_call){
			.number = SYS_mmap,
			.args = {pieces[i].address, pieces[i].size, PROT_NONE,
				 MAP_SHARED | MAP_FIXED_NOREPLACE, 0,
				 shared_offset(&shared->layout, i)},
			.use_saved = 5};
	return map_ranges(opening, maps, pieces, shared->layout.count,
			  PROT_READ | PROT_WRITE, NULL);
}

void target_unmap_shared(struct thread *thread, struct shared_memory *shared)
{
	struct kept_mapping pieces[SHARED_MOST_PIECES];
	int64_t mapped[SHARED_MOST_PIECES];

	list_pieces(shared, pieces);
	for (unsigned i = 0; i < shared->layout.count; i++)
		mapped[i] = (int64_t)pieces[i].address;
	unmap_some(thread, pieces, mapped, shared->layout.count);
	shared_memory_deinit(shared);
}

struct error *target_map_shared(struct thread *thread, const char *name,
				const struct shared_layout *layout,
				uint64_t address, struct shared_memory *out)
{
	const unsigned last = layout->count - 1;
	struct opening opening = {
		.thread = thread, .name = name, .shared = out};
	struct error *error = NULL;

	*out = (struct shared_memory){.address = address, .layout = *layout};
	out->size = opening.size =
		shared_offset(layout, last) + shared_piece_size(layout, last);
	if (!address)
		TRY(find_far_away(thread->process,
				  layout->first +
					  layout->count * layout->stride,
				  &out->address));
	error = map_pieces(&opening, out);
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
