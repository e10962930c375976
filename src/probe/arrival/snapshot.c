/*
 * snapshot.c - the registers and the memory of a thread, as far as its hits at
 * one break need them
 *
 * A system call that reads something from a stopped thread costs about a
 * microsecond, which is a tenth of a whole break. It makes no difference
 * whether the call reads four bytes or 512. So for an expression that only
 * needs the pc and the stack pointer, nothing else is read. All registers are
 * read together with the pc if recent hits of the thread needed them. The stack
 * is read by blocks, and what was read for a condition is kept for the value
 * and the keys. Outside of the stack, no more is read than was asked for,
 * because the memory may be that of a device.
 */
#include <string.h>

#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"
#include "snapshot.h"

#define RED_ZONE 128
/* how many bytes above the stack pointer count as stack */
#define NEAR_SP 65536
#define MEMORY_OF_WISHES 8

void snapshot_begin(struct snapshot *snapshot, struct probe *probe,
		    const struct event *event)
{
	snapshot->probe = probe;
	snapshot->thread = event->thread;
	snapshot->pc = event->pc - 1;
	snapshot->sp = event->sp;
	snapshot->has_regs = event->has_regs;
	snapshot->wanted_regs = false;
	snapshot->blocks = 0;
	if (event->has_regs) {
		snapshot->regs = event->regs;
		snapshot->regs.rip--;
	}
}

void snapshot_end(const struct snapshot *snapshot)
{
	struct thread *thread = snapshot->thread;

	if (snapshot->wanted_regs)
		thread->regs_wanted = MEMORY_OF_WISHES;
	else if (thread->regs_wanted)
		thread->regs_wanted--;
}

struct error *snapshot_regs(struct snapshot *snapshot)
{
	snapshot->wanted_regs = true;
	if (snapshot->has_regs)
		return NULL;
	TRY(target_get_regs(snapshot->thread, &snapshot->regs));
	/* The pc is behind the int3, but the instruction that the int3 replaces
	 * was not executed yet. */
	snapshot->regs.rip--;
	snapshot->has_regs = true;
	return NULL;
}

void snapshot_few_regs(struct snapshot *snapshot)
{
	if (snapshot->has_regs)
		return;
	snapshot->regs = (struct user_regs_struct){.rip = snapshot->pc,
						   .rsp = snapshot->sp};
}

const struct user_regs_struct *
snapshot_regs_at(struct snapshot *snapshot, const struct attachment *attachment)
{
	snapshot->elsewhere = snapshot->regs;
	snapshot->elsewhere.rip = attachment->address;
	snapshot->elsewhere.rsp += (unsigned long long)attachment->sp_below;
	return &snapshot->elsewhere;
}

static bool is_on_stack(const struct snapshot *snapshot, uint64_t address)
{
	return address - (snapshot->sp - RED_ZONE) < RED_ZONE + NEAR_SP;
}

static bool find_block(const struct snapshot *snapshot, uint64_t address,
		       void *buffer, size_t size)
{
	for (unsigned i = 0; i < snapshot->blocks && i < SNAPSHOT_BLOCKS; i++) {
		uint64_t offset = address - snapshot->block[i].address;

		if (offset >= snapshot->block[i].size ||
		    size > snapshot->block[i].size - offset)
			continue;
		memcpy(buffer, snapshot->block[i].bytes + offset, size);
		return true;
	}
	return false;
}

bool snapshot_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	struct snapshot *snapshot = context;
	unsigned at = snapshot->blocks % SNAPSHOT_BLOCKS;
	uint64_t low = address;
	size_t length = size;

	if (!size || size > SNAPSHOT_BLOCK)
		return target_thread_read(snapshot->thread, address, buffer,
					  size);
	if (find_block(snapshot, address, buffer, size))
		return true;
	if (is_on_stack(snapshot, address) &&
	    address % SNAPSHOT_BLOCK + size <= SNAPSHOT_BLOCK) {
		low = address - address % SNAPSHOT_BLOCK;
		length = SNAPSHOT_BLOCK;
	}
	snapshot->block[at].size = 0;
	if (!target_thread_read(snapshot->thread, low,
				snapshot->block[at].bytes, length))
		return false;
	snapshot->block[at].address = low;
	snapshot->block[at].size = length;
	snapshot->blocks++;
	memcpy(buffer, snapshot->block[at].bytes + (address - low), size);
	return true;
}

bool snapshot_vectors(void *context, struct user_fpregs_struct *out)
{
	const struct snapshot *snapshot = context;

	return target_thread_vectors(snapshot->thread, out);
}
