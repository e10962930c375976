/*
 * spy_spaces.c - `spy watch spaces`
 *
 * The target tells each successful call of mmap, munmap, mremap, brk, shmat and
 * shmdt. A mapping that is deleted or changed counts for the stack that made
 * it, so that a stack with more created than deleted mappings shows a leak.
 * What existed before the Spy recorded has no known maker, and counts for the
 * stack that deletes it.
 */
#include "spy_spaces.h"
#include "perftool/target/target_events.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096

static const int calls[] = {SYS_mmap, SYS_munmap, SYS_mremap,
			    SYS_brk,  SYS_shmat,  SYS_shmdt};

void spaces_watch(struct session *session, bool on)
{
	target_tell_calls(session->target, calls,
			  on ? sizeof(calls) / sizeof(*calls) : 0);
}

/* ---- the mappings -------------------------------------------------------- */

/* Returns the index of the first mapping of the process that ends above the
 * address, or where it would be. */
static size_t find(const struct spied_mapping_list *spaces, pid_t pid,
		   uint64_t address)
{
	size_t low = 0, high = spaces->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct spied_mapping *at = &spaces->data[middle];

		if (at->pid < pid || (at->pid == pid && at->high <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct spied_mapping_list *spaces,
		   const struct spied_mapping *mapping)
{
	size_t index = find(spaces, mapping->pid, mapping->low);

	vec_push(spaces, *mapping);
	for (size_t i = spaces->count - 1; i > index; i--)
		spaces->data[i] = spaces->data[i - 1];
	spaces->data[index] = *mapping;
}

void spaces_forget(struct spied_mapping_list *spaces, pid_t pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < spaces->count; i++) {
		if (spaces->data[i].pid != pid)
			spaces->data[kept++] = spaces->data[i];
	}
	spaces->count = kept;
}

/* ---- counting ------------------------------------------------------------ */

/* One call that is handled. */
struct space_call {
	struct recorder *recorder;
	struct spied_mapping_list *spaces;
	struct thread *thread;
	struct user_regs_struct regs;
};

static uint32_t record(struct space_call *call, enum sample_reason reason)
{
	return recorder_add(call->recorder, call->thread, &call->regs, reason,
			    1);
}

static void credit(struct space_call *call, const struct spied_mapping *mapping,
		   enum sample_reason reason)
{
	stack_log_credit(&call->recorder->log,
			 &(struct stack_log_sample){.node = mapping->node,
						    .thread = mapping->thread,
						    .reason = reason,
						    .weight = 1});
}

static void created(struct space_call *call, uint64_t low, uint64_t size)
{
	const struct spied_mapping mapping = {
		.pid = call->thread->process->pid,
		.low = low,
		.high = low + size,
		.node = record(call, SAMPLE_CREATED),
		.thread = call->thread->serial};

	insert(call->spaces, &mapping);
}

/* Is any part of the mapping left? */
static bool has_parts(const struct spied_mapping_list *spaces, uint32_t parts)
{
	for (size_t i = 0; parts && i < spaces->count; i++) {
		if (spaces->data[i].parts == parts)
			return true;
	}
	return false;
}

/* Returns a number that no mapping has. */
static uint32_t new_parts(const struct spied_mapping_list *spaces)
{
	uint32_t most = 0;

	for (size_t i = 0; i < spaces->count; i++) {
		if (spaces->data[i].parts > most)
			most = spaces->data[i].parts;
	}
	return most + 1;
}

/* Takes the range out of the mapping at `index`, which overlaps it. Returns
 * whether nothing is left of the mapping, or of the part of it. */
static bool cut(struct spied_mapping_list *spaces, size_t index, uint64_t low,
		uint64_t high)
{
	struct spied_mapping *at = &spaces->data[index];
	struct spied_mapping rest = *at;

	if (low <= at->low && high >= at->high) {
		vec_remove(spaces, index);
		return true;
	}
	if (low <= at->low) {
		at->low = high;
		return false;
	}
	at->high = low;
	rest.low = high;
	if (rest.low < rest.high) {
		if (!at->parts)
			rest.parts = at->parts = new_parts(spaces);
		insert(spaces, &rest);
	}
	return false;
}

/* A range is not mapped any more. `is_replaced`: something else was mapped in
 * its place, as the run-time linker does; then only whole mappings count.
 * Returns whether any known mapping was there. */
static bool gone(struct space_call *call, uint64_t low, uint64_t high,
		 bool is_replaced)
{
	struct spied_mapping_list *spaces = call->spaces;
	const pid_t pid = call->thread->process->pid;
	size_t index = find(spaces, pid, low);
	bool found = false;

	while (index < spaces->count && spaces->data[index].pid == pid &&
	       spaces->data[index].low < high) {
		const struct spied_mapping before = spaces->data[index];
		const bool whole = cut(spaces, index, low, high);

		found = true;
		if (whole && !has_parts(spaces, before.parts))
			credit(call, &before, SAMPLE_DELETED);
		else if (!is_replaced)
			credit(call, &before, SAMPLE_SHRUNK);
		if (!whole)
			index = find(spaces, pid,
				     high > before.high ? before.high : high);
	}
	return found;
}

static void on_mmap(struct space_call *call, const struct thread_call *made)
{
	const uint64_t low = (uint64_t)made->result;
	const uint64_t size =
		(made->args[1] + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (made->args[3] & MAP_FIXED)
		gone(call, low, low + size, true);
	created(call, low, size);
}

static void on_munmap(struct space_call *call, uint64_t low, uint64_t size)
{
	size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (!gone(call, low, low + size, false))
		record(call, SAMPLE_DELETED);
}

/* shmdt() names only the address. */
static void on_shmdt(struct space_call *call, uint64_t low)
{
	const pid_t pid = call->thread->process->pid;
	const size_t index = find(call->spaces, pid, low);

	if (index < call->spaces->count &&
	    call->spaces->data[index].pid == pid &&
	    call->spaces->data[index].low == low)
		gone(call, low, call->spaces->data[index].high, false);
	else
		record(call, SAMPLE_DELETED);
}

static void on_mremap(struct space_call *call, const struct thread_call *made)
{
	const pid_t pid = call->thread->process->pid;
	const uint64_t old = made->args[0], new = (uint64_t)made->result;
	const uint64_t size =
		(made->args[2] + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	const size_t index = find(call->spaces, pid, old);
	const enum sample_reason reason =
		made->args[2] < made->args[1] ? SAMPLE_SHRUNK : SAMPLE_GROWN;
	struct spied_mapping mapping;

	if (index >= call->spaces->count ||
	    call->spaces->data[index].pid != pid ||
	    call->spaces->data[index].low != old) {
		record(call, reason);
		return;
	}
	mapping = call->spaces->data[index];
	vec_remove(call->spaces, index);
	credit(call, &mapping, reason);
	mapping.low = new;
	mapping.high = new + size;
	insert(call->spaces, &mapping);
}

/* brk() returns the end of the heap. Only a change of it counts. */
static void on_brk(struct space_call *call, const struct thread_call *made)
{
	struct process *process = call->thread->process;
	const uint64_t end = (uint64_t)made->result;
	const pid_t pid = process->pid;
	const uint64_t start = process->start_brk;
	const size_t index = find(call->spaces, pid, start);
	struct spied_mapping *heap =
		index < call->spaces->count &&
				call->spaces->data[index].pid == pid &&
				call->spaces->data[index].low == start
			? &call->spaces->data[index]
			: NULL;

	if (!made->args[0] || made->args[0] != end || !start)
		return;
	if (!heap) {
		const uint32_t node = record(call, SAMPLE_GROWN);

		insert(call->spaces,
		       &(struct spied_mapping){.pid = pid,
					       .low = start,
					       .high = end > start ? end
								   : start + 1,
					       .node = node,
					       .thread = call->thread->serial});
	} else if (end != heap->high) {
		record(call, end > heap->high ? SAMPLE_GROWN : SAMPLE_SHRUNK);
		heap->high = end > start ? end : start + 1;
	}
}

static void handle(struct space_call *call, const struct thread_call *made)
{
	switch (made->number) {
	case SYS_mmap:
		on_mmap(call, made);
		break;
	case SYS_munmap:
		on_munmap(call, made->args[0], made->args[1]);
		break;
	case SYS_mremap:
		on_mremap(call, made);
		break;
	case SYS_brk:
		on_brk(call, made);
		break;
	case SYS_shmat:
		/* The size is not told; a page keeps the address. */
		created(call, (uint64_t)made->result, PAGE);
		break;
	case SYS_shmdt:
		on_shmdt(call, made->args[0]);
		break;
	default:
		break;
	}
}

void spaces_event(struct recorder *recorder, struct spied_mapping_list *spaces,
		  const struct event *event)
{
	const struct thread_call *made = &event->thread->call;
	struct space_call call = {.recorder = recorder,
				  .spaces = spaces,
				  .thread = event->thread};
	struct error *error;

	if (made->result < 0 && made->result >= -4095)
		return;
	error = target_get_regs(event->thread, &call.regs);
	if (!error)
		handle(&call, made);
	error_destroy(error);
}
