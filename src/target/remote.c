/*
 * remote.c - system calls made by a stopped thread on the tool's behalf
 *
 * A call is a script (arch.h): code placed in zero bytes at the end of the
 * vdso, which is there in every process, is executable, and is nobody's data.
 * The script restores what it changes and returns to where the thread was, so
 * that nothing is broken if the tool dies in the middle; if it does not, the
 * tool restores the registers itself as soon as it has the results.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "internal.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "proc.h"

/* Zero bytes at the end of the vdso: where they begin. */
static struct error *find_room(struct process *process, uint64_t *address,
			       size_t *room)
{
	struct mapping_list maps;
	struct mapping *vdso = NULL;
	struct error *error;
	uint8_t *bytes;
	size_t size, used;

	TRY(target_read_maps(process->pid, &maps));
	for (size_t i = 0; i < maps.count; i++)
		if (str_equal(maps.data[i].path, "[vdso]"))
			vdso = &maps.data[i];
	if (!vdso) {
		mapping_list_deinit(&maps);
		return error_create(ERROR_OTHER, "process %d has no vdso",
				    process->pid);
	}
	size = vdso->high - vdso->low;
	*address = vdso->low;
	mapping_list_deinit(&maps);
	bytes = xmalloc(size);
	error = target_read(process, *address, bytes, size);
	for (used = size; !error && used > 0 && !bytes[used - 1]; used--)
		;
	free(bytes);
	/* the zero that may end a string stays; 16 for the script's sake */
	used = (used + 1 + 15) & ~(size_t)15;
	*address += used;
	*room = used < size ? size - used : 0;
	return error;
}

/* One half of a system call: up to its entry or its return. */
static struct error *step_to_call(struct thread *thread)
{
	int status;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, thread->tid, 0, 0) < 0)
			return ptrace_error(thread, "remote call");
		TRY(wait_for_thread(thread, &status));
		if (status >> 8 == (SIGTRAP | 0x80))
			return NULL;
		if (status >> 16 != PTRACE_EVENT_STOP)
			return error_create(ERROR_OTHER,
					    "remote call: thread %d stopped "
					    "with status 0x%x",
					    thread->tid, (unsigned)status);
	}
}

static struct error *run_script(struct thread *thread,
				const struct arch_script *script, size_t count,
				int64_t *results)
{
	struct user_regs_struct regs;

	for (size_t i = 0; i < count; i++) {
		TRY(step_to_call(thread));
		TRY(step_to_call(thread));
		TRY(target_get_regs(thread, &regs));
		if (regs.rip != script->returns[i])
			return error_create(ERROR_OTHER,
					    "remote call: pc is 0x%llx",
					    regs.rip);
		results[i] = (int64_t)regs.rax;
	}
	/* the script's own end would do; registers are set by the caller */
	return settle_after_event(thread);
}

struct error *target_remote_calls(struct thread *thread,
				  const struct script_call *calls, size_t count,
				  const void *data, size_t data_size,
				  int64_t *results)
{
	struct process *process = thread->process;
	struct user_regs_struct regs, start;
	struct arch_script script = {0};
	uint64_t mask, address;
	static const uint8_t zeros[ARCH_SCRIPT_SIZE];
	struct error *error;
	size_t room;

	TRY(find_room(process, &address, &room));
	TRY(target_get_regs(thread, &regs));
	TRY(target_get_signal_mask(thread, &mask));
	TRY(arch_script_build(address, calls, count, &regs, mask, data,
			      data_size, &script));
	if (script.length > room)
		return error_create(ERROR_OTHER,
				    "no room for a remote call in process %d",
				    process->pid);
	TRY(target_write(process, address, script.code, script.length));
	start = regs;
	start.rip = script.start;
	start.rax = 0;
	/* this is no interrupted system call: nothing to restart */
	start.orig_rax = UINT64_MAX;
	TRY(target_set_regs(thread, &start));
	TRY(target_set_signal_mask(thread, UINT64_MAX));
	error = run_script(thread, &script, count, results);
	if (error)
		return error;
	TRY(target_set_signal_mask(thread, mask));
	TRY(target_set_regs(thread, &regs));
	return target_write(process, address, zeros, script.length);
}

/* Room for growth on either side of what is there: mremap, guard pages. */
#define MARGIN (1024 * 1024)
#define PAGE 4096
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
	low = (low + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (high < low || high - low < search->size)
		return;
	high = (high - search->size) & ~(uint64_t)(PAGE - 1);
	address = search->near < low ? low : high;
	if (search->near > low && search->near < high)
		address = search->near & ~(uint64_t)(PAGE - 1);
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
	int64_t result;

	(void)name;
	TRY(target_read_maps(thread->process->pid, &maps));
	proc_stat(thread->process->pid, thread->tid, &stat);
	find_gap(&maps, stat.start_brk, &search);
	mapping_list_deinit(&maps);
	if (!search.best)
		return error_create(ERROR_OTHER,
				    "no free memory near 0x%" PRIx64, low);
	TRY(target_remote_calls(
		thread,
		&(struct script_call){
			.number = SYS_mmap,
			.args = {search.best, size, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
					 MAP_FIXED_NOREPLACE,
				 UINT64_MAX, 0}},
		1, NULL, 0, &result));
	if (result < 0 && result > -4096)
		return error_system((int)-result,
				    "cannot map memory in process %d",
				    thread->process->pid);
	if ((uint64_t)result != search.best)
		return error_create(ERROR_OTHER,
				    "memory was mapped at 0x%" PRIx64
				    " instead of 0x%" PRIx64,
				    (uint64_t)result, search.best);
	*address = search.best;
	return NULL;
}
