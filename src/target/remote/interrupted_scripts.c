/*
 * interrupted_scripts.c - leads threads out of the scripts that a tool has left
 * in a process when it died
 *
 * A script is code by which a thread makes system calls for the tool (remote
 * calls). The thread completes the script even if the tool has died. But before
 * the memory of the script can be used again, the thread must have left the
 * script. So the tool leads the thread to the point where the script would end:
 * it lets the thread make the remaining system calls, and then sets the
 * registers that the end of the script would set. In this way the thread
 * executes nothing of the program. If the tool dies meanwhile, the thread is at
 * a place in the script from which it still completes the script.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "remote.h"
#include "target/attach/attach.h"
#include "target/memory/memory.h"
#include "target/proc/proc.h"
#include "target/target_state.h"

struct range {
	uint64_t low, high;
};

static bool is_within(const struct range *range, uint64_t address)
{
	return address >= range->low && address < range->high;
}

/* No script makes so many calls. If a thread makes more, the code is no script,
 * or it is a loop. */
#define MANY_CALLS (2 * ARCH_SCRIPT_CALLS)

static struct error *finish(struct thread *thread, const struct range *range,
			    struct user_regs_struct *regs)
{
	size_t size = range->high - range->low;
	uint8_t *code = xmalloc(size);
	enum script_place place;
	struct error *error;

	error = target_read(thread->process, range->low, code, size);
	for (int calls = 0; !error && is_within(range, regs->rip); calls++) {
		place = arch_script_end(code, size, range->low, regs);
		if (place == SCRIPT_ENDS) {
			regs->orig_rax = UINT64_MAX;
			error = target_set_regs(thread, regs);
			break;
		}
		if (place == SCRIPT_NONE || calls == MANY_CALLS) {
			error = error_create(
				ERROR_OTHER,
				"thread %d is at 0x%llx, which is in no known "
				"script of a perftool that died",
				thread->tid, regs->rip);
			break;
		}
		/* No signal may come before the end of the script, whose last
		 * call restores the signal mask. */
		error = target_set_signal_mask(thread, UINT64_MAX);
		if (!error)
			error = step_to_call(thread);
		if (!error)
			error = step_to_call(thread);
		if (!error)
			error = target_get_regs(thread, regs);
	}
	free(code);
	return error;
}

/* Lead a thread out of its script, if the thread is in a script. After finish()
 * the thread is in the stop at the return of a system call, or, if the script
 * had no more calls to make, in the stop in which it was before. In both cases
 * the thread is still in the kernel, so settle_after_event() must follow. */
static struct error *finish_thread(struct thread *thread,
				   const struct range *ranges, size_t count)
{
	struct user_regs_struct regs;

	TRY(target_get_regs(thread, &regs));
	for (size_t i = 0; i < count; i++) {
		if (!is_within(&ranges[i], regs.rip))
			continue;
		TRY(finish(thread, &ranges[i], &regs));
		return settle_after_event(thread);
	}
	return NULL;
}

/* A range that holds scripts, and the addresses within it that other memory of
 * the process contains. */
struct search {
	const struct range *range;
	/* named[i] is true if a word of other memory is the address
	 * range->low + i, so that a thread may be led there */
	bool *named;
};

/* Search those of the pages that hold data for words that look like an address
 * within the range of scripts. */
static void look_at_pages(struct process *process, uint64_t at, size_t pages,
			  const bool *holds, uint64_t low,
			  const struct search *search)
{
	uint64_t words[ARCH_PAGE / sizeof(uint64_t)];

	for (size_t i = 0; i < pages; i++) {
		if (!holds[i] ||
		    !target_read_callback(process, at + i * ARCH_PAGE, words,
					  sizeof(words)))
			continue;
		for (size_t j = 0; j < ARCH_PAGE / sizeof(uint64_t); j++)
			if (at + i * ARCH_PAGE + j * sizeof(words[0]) >= low &&
			    is_within(search->range, words[j]))
				search->named[words[j] - search->range->low] =
					true;
	}
}

#define RED_ZONE 128

/*
 * The lowest address of a mapping that may still be in use. If the mapping is a
 * stack and only one thread is on it, the bytes below the stack pointer of this
 * thread (and below the red zone) are only old frames. A mapping counts as a
 * stack if it is named so, or if a guard page is directly below it.
 */
static uint64_t lowest_live(struct process *process,
			    const struct mapping *mapping,
			    const struct mapping *below)
{
	bool guarded = below && below->high == mapping->low &&
		       !below->readable && !below->writable;
	uint64_t live = 0;

	if (!guarded && !str_equal(mapping->path, "[stack]"))
		return mapping->low;
	for (size_t i = 0; i < process->threads.count; i++) {
		struct user_regs_struct regs;
		struct error *error;

		error = target_get_regs(process->threads.data[i], &regs);
		if (error) {
			error_destroy(error);
			return mapping->low;
		}
		if (regs.rsp < mapping->low || regs.rsp >= mapping->high)
			continue;
		if (live)
			return mapping->low;
		live = regs.rsp;
	}
	return live > mapping->low + RED_ZONE ? live - RED_ZONE : mapping->low;
}

/* Search the pages of a mapping from `low` on. False: the tool cannot find out
 * which pages hold data. */
static bool look_at_mapping(struct process *process, int pagemap,
			    const struct mapping *mapping, uint64_t low,
			    const struct search *search)
{
	bool holds[PAGEMAP_MOST];

	for (uint64_t at = low & ~(uint64_t)(ARCH_PAGE - 1);
	     at < mapping->high;) {
		size_t pages = (mapping->high - at) / ARCH_PAGE;

		if (pages > PAGEMAP_MOST)
			pages = PAGEMAP_MOST;
		if (!pagemap_read(pagemap, at, pages, holds))
			return false;
		look_at_pages(process, at, pages, holds, low, search);
		at += pages * ARCH_PAGE;
	}
	return true;
}

/* With so many bytes of writable memory, the search would take too long.
 * Usually such memory is that of a sanitizer. */
#define TOO_MUCH (64UL << 30)

/* Search the process for addresses within the range of scripts. If a signal has
 * interrupted a script, the frame of the signal handler leads back into the
 * script. This frame may be on any stack, so the tool searches all memory that
 * may be a stack. False: the tool cannot find out. */
static bool find_names(struct process *process, const struct search *search)
{
	struct mapping_list maps;
	struct error *error;
	uint64_t size = 0;
	int pagemap = pagemap_open(process->pid);
	bool told;

	if (pagemap < 0)
		return false;
	error = target_read_maps(process->pid, &maps);
	if (error) {
		close(pagemap);
		error_destroy(error);
		return false;
	}
	for (size_t i = 0; i < maps.count; i++)
		if (maps.data[i].writable)
			size += maps.data[i].high - maps.data[i].low;
	told = size <= TOO_MUCH;
	for (size_t i = 0; told && i < maps.count; i++)
		if (maps.data[i].writable)
			told = look_at_mapping(
				process, pagemap, &maps.data[i],
				lowest_live(process, &maps.data[i],
					    i ? &maps.data[i - 1] : NULL),
				search);
	close(pagemap);
	mapping_list_deinit(&maps);
	return told;
}

/* Fill the bytes with zeros, except ARCH_SCRIPT_SIZE bytes on either side of
 * each named address: the script to which this address belongs is within these
 * bytes. Old frames contain the addresses of some scripts as long as the
 * program lives, so these scripts stay. */
static void zero_unnamed(uint8_t *bytes, const bool *named, size_t size)
{
	size_t kept = 0; /* up to this offset the bytes are done */

	for (size_t i = 0; i < size; i++) {
		if (!named[i])
			continue;
		if (i > kept + ARCH_SCRIPT_SIZE)
			memset(bytes + kept, 0, i - ARCH_SCRIPT_SIZE - kept);
		kept = i + ARCH_SCRIPT_SIZE;
	}
	if (kept < size)
		memset(bytes + kept, 0, size - kept);
}

/* Free the memory of the scripts to which no frame of a signal handler can lead
 * back, by filling it with zeros. */
static struct error *clear(struct process *process, const struct range *range)
{
	size_t size = range->high - range->low, used = size;
	uint8_t *bytes = xmalloc(size);
	struct search search = {range, xcalloc(size, sizeof(bool))};
	struct error *error;

	error = target_read(process, range->low, bytes, size);
	while (!error && used && !bytes[used - 1])
		used--;
	if (!error && used && find_names(process, &search)) {
		zero_unnamed(bytes, search.named, used);
		error = target_write(process, range->low, bytes, used);
	}
	free(search.named);
	free(bytes);
	return error;
}

/* Does the thread use the memory of the process? */
static bool uses(const struct thread *thread, const struct process *process)
{
	return thread->process == process ||
	       (thread->process->shares_memory &&
		have_one_memory(thread->tid, living_thread(process), false));
}

struct error *target_finish_scripts(struct process *process, uint64_t low,
				    uint64_t high)
{
	struct range ranges[2] = {{.low = low, .high = high}};
	const struct thread_list *ring = &process->target->ring;

	TRY(target_vdso_room(process, &ranges[1].low, &ranges[1].high));
	for (size_t i = 0; i < ring->count; i++) {
		struct thread *thread = ring->data[i];

		if (thread->state == THREAD_STOPPED && uses(thread, process))
			TRY(error_unless(finish_thread(thread, ranges, 2),
					 ERROR_GONE));
	}
	if (low < high)
		TRY(clear(process, &ranges[0]));
	return clear(process, &ranges[1]);
}
