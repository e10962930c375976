/*
 * ring_recovery.c - removing the trampolines and rings of a tool that died
 *
 * A trampoline is code that writes a record of a hit into a ring, which is
 * memory of a thread. The jumps that lead to trampolines were taken out of the
 * program before. Only the dead tool knew what each part of a trampoline does.
 * So a thread that is in a trampoline is single-stepped to the end of it, while
 * all other threads stand still. Afterwards no thread has a ring, and the
 * memory of the rings is unmapped.
 */
#include <stddef.h>
#include <sys/syscall.h>

#include "perftool/base/str.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "recovery.h"

#define GS_BASE offsetof(struct user_regs_struct, gs_base)

/* The largest number of steps that a thread makes to leave a trampoline. It is
 * more than any trampoline needs: the counting code, which a trampoline calls,
 * may have to drop COUNTING_MOST_OPEN activations. */
#define MOST_STEPS (32U * COUNTING_MOST_OPEN)

bool is_ring(const struct mapping *mapping)
{
	return str_starts(mapping->path, "/memfd:" RING_NAME " ");
}

static bool is_in_trampoline(struct space *space,
			     const struct mapping_list *maps, uint64_t pc)
{
	const struct mapping *mapping = find_mapping(maps, pc);
	struct arch_slot slot;

	return mapping && is_own_mapping(mapping) &&
	       pc - space->store.address >= STORE_SLOTS &&
	       !space_slot_at(space, pc, &slot);
}

/* Let the thread find room in its ring for any number of records: nothing reads
 * the ring any more, so the thread must not wait for room. */
static struct error *have_room(struct space *space, uint64_t ring)
{
	static const uint64_t limit = UINT64_MAX;

	return target_write(space->process,
			    ring + offsetof(struct ring_header, limit), &limit,
			    sizeof(limit));
}

/* How many bytes of a thread's stack are searched for the frame of a signal. */
#define MOST_STACK (8UL * 1024 * 1024)
#define WORDS 4096

/* Was the thread in a trampoline when a signal came? Then the frame of the
 * signal is on the thread's stack, and the thread returns to the trampoline
 * when the handler returns. */
static bool may_return(struct space *space, const struct mapping_list *maps,
		       uint64_t sp)
{
	const struct mapping *stack = find_mapping(maps, sp);
	uint64_t words[WORDS], at = sp & ~(uint64_t)7;

	for (; stack && at < stack->high && at - sp < MOST_STACK;
	     at += sizeof(words)) {
		size_t size = stack->high - at < sizeof(words)
				      ? stack->high - at
				      : sizeof(words);

		if (!target_read_callback(space->process, at, words, size))
			return false;
		for (size_t i = 0; i < size / sizeof(*words); i++)
			if (is_in_trampoline(space, maps, words[i]))
				return true;
	}
	return false;
}

static struct error *leave(struct space *space, const struct mapping_list *maps,
			   struct thread *thread)
{
	const struct mapping *mapping;
	uint64_t base, pc, sp;

	if (thread->state != THREAD_STOPPED) {
		space->pools_stay = true;
		return NULL;
	}
	TRY(target_get_reg(thread, GS_BASE, &base));
	base += RING_DISTANCE;
	mapping = find_mapping(maps, base);
	if (!mapping || !is_ring(mapping))
		return NULL;
	TRY(have_room(space, base));
	TRY(target_get_pc(thread, &pc, &sp));
	for (unsigned i = 0;
	     i < MOST_STEPS && is_in_trampoline(space, maps, pc); i++) {
		TRY(target_step(thread));
		TRY(target_get_pc(thread, &pc, &sp));
	}
	if (may_return(space, maps, sp)) {
		space->pools_stay = true;
		space->fast.refusal = "a thread may return into code of a "
				      "perftool that died";
		return NULL;
	}
	return target_set_reg(thread, GS_BASE, 0);
}

static struct error *unmap(struct space *space, const struct mapping *mapping)
{
	struct thread *thread;
	int64_t result;

	TRY(space_calling_thread(space, &thread));
	return target_remote_calls(
		thread,
		&(struct script_call){
			.number = SYS_munmap,
			.args = {mapping->low, mapping->high - mapping->low}},
		1, NULL, 0, &result);
}

struct error *recover_rings(struct probe *probe, struct space *space,
			    const struct mapping_list *maps)
{
	struct process *user;
	struct error *error;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++)
			TRY(leave(space, maps, user->threads.data[i]));
	error = recover_counts(probe, space, maps);
	if (error)
		note_error(probe,
			   error_prefix(error,
					"perftool cannot read what a perftool "
					"that died had counted"));
	for (size_t i = 0; i < maps->count; i++)
		if (!space->pools_stay && is_ring(&maps->data[i]))
			TRY(unmap(space, &maps->data[i]));
	return NULL;
}
