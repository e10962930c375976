/*
 * stack.c - which stack a frame is on
 *
 * Comparing the depths of two frames makes sense only if both are on one stack.
 * The only stack that is known for certain is the one with which a thread was
 * created. It extends from the thread's first stack pointer down to the low end
 * of the mapping that contains this address. (The stack of the main thread
 * grows, down to its limit.) If a thread existed before the tool attached, its
 * first stack pointer is not known: the first thread of the process has the
 * mapping [stack]; another thread has the mapping into which its thread pointer
 * points, because the C library puts the control block of a thread at the top
 * of the thread's stack. Signal stacks and the stacks of coroutines are
 * elsewhere, and the tool concludes nothing about them.
 */
#include <stddef.h>
#include <stdlib.h>

#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/process_status.h"
#include "probe/probe_state.h"
#include "stack.h"

#define GIB (1024UL * 1024 * 1024)

/* The lowest address of the stack that is mapped there. */
static uint64_t lowest_of(const struct thread *thread,
			  const struct mapping *map)
{
	struct error *error;
	uint64_t limit;

	if (!str_equal(map->path, "[stack]"))
		return map->low;
	error = target_read_limit(thread->process->pid, "Max stack size",
				  &limit);
	if (error || limit > GIB)
		limit = GIB;
	error_destroy(error);
	return map->high > limit ? map->high - limit : 0;
}

/* The lowest address of the stack that contains `sp`. */
static uint64_t lowest(const struct thread *thread, uint64_t sp)
{
	struct mapping map;
	uint64_t low;
	bool found;

	error_destroy(
		target_read_mapping(thread->process->pid, sp, &map, &found));
	low = found ? lowest_of(thread, &map) : sp;
	free(map.path);
	return low;
}

/* The value of `first_sp` if nothing is known about the thread's stack: no
 * stack pointer is at or below this address. */
#define UNKNOWN 1

/* The high end of the mapping named [stack]; 0 if there is none. */
static uint64_t stack_end(pid_t pid)
{
	struct mapping_list maps;
	struct error *error;
	uint64_t end = 0;

	error = target_read_maps(pid, &maps);
	if (error) {
		error_destroy(error);
		return 0;
	}
	for (size_t i = 0; i < maps.count; i++)
		if (str_equal(maps.data[i].path, "[stack]"))
			end = maps.data[i].high;
	mapping_list_deinit(&maps);
	return end;
}

static uint64_t find_top(struct thread *thread)
{
	struct error *error;
	uint64_t top = 0;

	if (thread->tid == thread->process->pid)
		top = stack_end(thread->process->pid);
	if (top)
		return top - 1;
	error = target_get_reg(
		thread, offsetof(struct user_regs_struct, fs_base), &top);
	error_destroy(error);
	return top ? top : UNKNOWN;
}

uint64_t stack_of(struct thread *thread, uint64_t sp)
{
	if (!thread->first_sp)
		thread->first_sp = find_top(thread);
	if (!thread->stack_low)
		thread->stack_low = lowest(thread, thread->first_sp);
	/* No two threads have the same stack, so the serial number of the
	 * thread names it. */
	return sp >= thread->stack_low && sp <= thread->first_sp
		       ? thread->serial
		       : 0;
}
