/*
 * goroutine_descriptor.c - which goroutine a thread of a Go program executes
 *
 * A thread-local variable of the Go runtime points to the descriptor of the
 * goroutine. The runtime never unmaps a descriptor, so the tool can read what
 * the variable points to, unless the pointer is null.
 */
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/expr.h"

bool goroutine_read(const struct go_runtime *go,
		    const struct frame_reader *reader, struct goroutine *out)
{
	uint64_t slot, descriptor;
	int64_t distance = go->slot;

	*out = (struct goroutine){0};
	if (!go->has_slot || !reader->regs)
		return false;
	/*
	 * before the Go runtime has begun, the thread has no such variable, and
	 * executes no goroutine
	 */
	slot = reader->regs->fs_base + (uint64_t)distance;
	if (!reader->regs->fs_base ||
	    !frame_read(reader, slot, &descriptor, sizeof(descriptor)) ||
	    !descriptor)
		return true;
	out->id = descriptor;
	if (go->goid && !frame_read(reader, descriptor + go->goid, &out->id,
				    sizeof(out->id)))
		return false;
	return frame_read(reader, descriptor + go->stack_top, &out->stack_top,
			  sizeof(out->stack_top));
}
