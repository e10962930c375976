/*
 * snapshot.c - see reading.h
 *
 * A system call that asks for something of a stopped thread costs about a
 * microsecond, a tenth of a whole break, whether it brings four bytes or 512:
 * so an expression that can do with the pc and the stack pointer has no more,
 * all registers come with the pc where they were needed of late, the stack
 * is read by blocks, and what a condition has read is there for the value and
 * the keys. Elsewhere no more is read than was asked for: it may be a device's
 * memory.
 */
#include <string.h>

#include "probe/probe_state.h"
#include "probe/site/site.h"
#include "snapshot.h"

#define RED_ZONE 128
#define NEAR_SP 65536 /* bytes of stack above its pointer */
#define MEMORY_OF_WISHES 8

void reading_begin(struct reading *reading, struct probe *probe,
		   const struct event *event)
{
	reading->probe = probe;
	reading->thread = event->thread;
	reading->pc = event->pc - 1;
	reading->sp = event->sp;
	reading->has_regs = event->has_regs;
	reading->wanted_regs = false;
	reading->blocks = 0;
	if (event->has_regs) {
		reading->regs = event->regs;
		reading->regs.rip--;
	}
}

void reading_end(const struct reading *reading)
{
	struct thread *thread = reading->thread;

	if (reading->wanted_regs)
		thread->regs_wanted = MEMORY_OF_WISHES;
	else if (thread->regs_wanted)
		thread->regs_wanted--;
}

struct error *reading_regs(struct reading *reading)
{
	reading->wanted_regs = true;
	if (reading->has_regs)
		return NULL;
	TRY(target_get_regs(reading->thread, &reading->regs));
	/* the int3 was executed, the instruction it stands for was not */
	reading->regs.rip--;
	reading->has_regs = true;
	return NULL;
}

void reading_few_regs(struct reading *reading)
{
	if (reading->has_regs)
		return;
	reading->regs = (struct user_regs_struct){.rip = reading->pc,
						  .rsp = reading->sp};
}

const struct user_regs_struct *
reading_regs_at(struct reading *reading, const struct attachment *attachment)
{
	reading->elsewhere = reading->regs;
	reading->elsewhere.rip = attachment->address;
	reading->elsewhere.rsp += (unsigned long long)attachment->sp_below;
	return &reading->elsewhere;
}

static bool is_on_stack(const struct reading *reading, uint64_t address)
{
	return address - (reading->sp - RED_ZONE) < RED_ZONE + NEAR_SP;
}

static bool find_block(const struct reading *reading, uint64_t address,
		       void *buffer, size_t size)
{
	for (unsigned i = 0; i < reading->blocks && i < READING_BLOCKS; i++) {
		uint64_t offset = address - reading->block[i].address;

		if (offset >= reading->block[i].size ||
		    size > reading->block[i].size - offset)
			continue;
		memcpy(buffer, reading->block[i].bytes + offset, size);
		return true;
	}
	return false;
}

bool reading_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	struct reading *reading = context;
	unsigned at = reading->blocks % READING_BLOCKS;
	uint64_t low = address;
	size_t length = size;

	if (!size || size > READING_BLOCK)
		return target_thread_read(reading->thread, address, buffer,
					  size);
	if (find_block(reading, address, buffer, size))
		return true;
	if (is_on_stack(reading, address) &&
	    address % READING_BLOCK + size <= READING_BLOCK) {
		low = address - address % READING_BLOCK;
		length = READING_BLOCK;
	}
	reading->block[at].size = 0;
	if (!target_thread_read(reading->thread, low, reading->block[at].bytes,
				length))
		return false;
	reading->block[at].address = low;
	reading->block[at].size = length;
	reading->blocks++;
	memcpy(buffer, reading->block[at].bytes + (address - low), size);
	return true;
}

bool reading_vectors(void *context, struct user_fpregs_struct *out)
{
	const struct reading *reading = context;

	return target_thread_vectors(reading->thread, out);
}
