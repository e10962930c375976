/*
 * map_near.c - memory of ours in a process, near what it is for
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "internal.h"
#include "perftool/base/str.h"
#include "proc.h"

/* Room for growth on either side of what is there: mremap, guard pages. */
#define MARGIN (1024 * 1024)
#define GIB (1024UL * 1024 * 1024)
#define LOWEST 0x10000UL         /* vm.mmap_min_addr */
#define HIGHEST 0x7ffffffff000UL /* the end of user space */

struct search {
	uint64_t low, high; /* where the mapping may lie, both ends */
	uint64_t near, size;
	uint64_t best, best_distance;
};

/* Consider the free addresses [low, high). */
static void consider(struct search *search, uint64_t low, uint64_t high)
{
	uint64_t address, distance;

	if (low < search->low)
		low = search->low;
	if (low < LOWEST)
		low = LOWEST;
	if (high > search->high)
		high = search->high;
	if (high > HIGHEST)
		high = HIGHEST;
	low = (low + ARCH_PAGE - 1) & ~(uint64_t)(ARCH_PAGE - 1);
	if (high < low || high - low < search->size)
		return;
	high = (high - search->size) & ~(uint64_t)(ARCH_PAGE - 1);
	address = search->near < low ? low : high;
	if (search->near > low && search->near < high)
		address = search->near & ~(uint64_t)(ARCH_PAGE - 1);
	distance = address > search->near ? address - search->near
					  : search->near - address;
	if (distance < search->best_distance) {
		search->best = address;
		search->best_distance = distance;
	}
}

static uint64_t find_gap(const struct mapping_list *maps, uint64_t start_brk,
			 struct search *search)
{
	uint64_t previous = 0, heap_end = start_brk;

	for (size_t i = 0; i < maps->count; i++)
		if (str_equal(maps->data[i].path, "[heap]"))
			heap_end = maps->data[i].high;
	for (size_t i = 0; i < maps->count; i++) {
		const struct mapping *map = &maps->data[i];
		uint64_t low = previous + MARGIN / 2, high = map->low;

		/* where the stack may grow to */
		high -= str_equal(map->path, "[stack]") && high > GIB
				? GIB
				: (high > MARGIN ? MARGIN : 0);
		previous = map->high + MARGIN / 2;
		if (start_brk && low < heap_end + GIB && high > start_brk) {
			if (low < start_brk)
				consider(search, low, start_brk);
			low = heap_end + GIB;
		}
		if (low < high)
			consider(search, low, high);
	}
	return search->best;
}

/*
 * A file larger than the process may make would get it SIGXFSZ: it is told
 * beforehand.
 */
static struct error *check_file_size(const struct process *process,
				     uint64_t size)
{
	struct rlimit limit;

	if (prlimit(process->pid, RLIMIT_FSIZE, NULL, &limit) < 0)
		return errno == ESRCH
			       ? error_create(ERROR_GONE, "process %d is gone",
					      process->pid)
			       : error_system(errno, "limits of process %d",
					      process->pid);
	if (limit.rlim_cur < size)
		return error_create(ERROR_OTHER,
				    "process %d may not make a file of %" PRIu64
				    " bytes (ulimit -f), which memory of ours "
				    "needs",
				    process->pid, size);
	return NULL;
}

static bool failed(int64_t result)
{
	return result < 0 && result > -4096;
}

enum { CALL_MEMFD, CALL_SIZE, CALL_MAP, CALL_CLOSE, CALLS };

static struct error *check_results(const struct process *process,
				   const int64_t *results, uint64_t wanted)
{
	static const char *const names[] = {"memfd_create", "ftruncate", "mmap",
					    "close"};

	for (size_t i = 0; i < CALLS; i++)
		if (failed(results[i]))
			return error_system((int)-results[i],
					    "cannot map memory in process %d: "
					    "%s",
					    process->pid, names[i]);
	if ((uint64_t)results[CALL_MAP] != wanted)
		return error_create(ERROR_OTHER,
				    "memory was mapped at 0x%" PRIx64
				    " instead of 0x%" PRIx64,
				    (uint64_t)results[CALL_MAP], wanted);
	return NULL;
}

struct error *target_map_near(struct thread *thread, uint64_t low,
			      uint64_t high, uint64_t reach, uint64_t size,
			      const char *name, uint64_t *address)
{
	struct search search = {.low = high > reach ? high - reach : 0,
				.high = low + reach,
				.near = low,
				.size = size,
				.best_distance = UINT64_MAX};
	struct mapping_list maps;
	struct proc_stat stat = {0};
	int64_t results[CALLS] = {0};

	TRY(check_file_size(thread->process, size));
	TRY(target_read_maps(thread->process->pid, &maps));
	proc_stat(thread->process->pid, thread->tid, &stat);
	find_gap(&maps, stat.start_brk, &search);
	mapping_list_deinit(&maps);
	if (!search.best)
		return error_create(ERROR_OTHER,
				    "no free memory near 0x%" PRIx64, low);
	TRY(target_remote_calls(
		thread,
		(struct script_call[]){
			[CALL_MEMFD] = {.number = SYS_memfd_create,
					.args = {0, MFD_CLOEXEC},
					.use_data = 1,
					.save = true},
			[CALL_SIZE] = {.number = SYS_ftruncate,
				       .args = {0, size},
				       .use_saved = 1},
			[CALL_MAP] = {.number = SYS_mmap,
				      .args = {search.best, size,
					       PROT_READ | PROT_EXEC,
					       MAP_PRIVATE |
						       MAP_FIXED_NOREPLACE,
					       0, 0},
				      .use_saved = 5},
			[CALL_CLOSE] = {.number = SYS_close, .use_saved = 1},
		},
		CALLS, name, strlen(name) + 1, results));
	TRY(check_results(thread->process, results, search.best));
	*address = search.best;
	return NULL;
}
