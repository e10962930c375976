/*
 * trampoline_undo.c - the registers of a thread that is found in a trampoline
 *
 * The tool computes these registers when it delivers a signal, stops a thread
 * or removes a node, because neither the user nor the program may see a pc in a
 * trampoline.
 */
#include <stddef.h>

#include "perftool/ring.h"
#include "trampoline.h"

#define FLAG_OVERFLOW 0x800
/* the flags that lahf stores: sign, zero, adjust, parity, carry */
#define FLAGS_LOW 0xd5

static const struct trampoline_point *
find_point(const struct trampoline *trampoline, uint64_t pc)
{
	const struct trampoline_point *found = NULL;
	uint64_t offset = pc - trampoline->address;

	if (offset >= trampoline->length)
		return NULL;
	for (size_t i = 0; i < trampoline->point_count; i++)
		if (trampoline->points[i].start <= offset)
			found = &trampoline->points[i];
	return found;
}

static uint64_t restored_flags(uint64_t eflags, uint64_t saved)
{
	eflags &= ~(uint64_t)(FLAGS_LOW | FLAG_OVERFLOW);
	eflags |= saved >> 8 & FLAGS_LOW;
	return saved & 1 ? eflags | FLAG_OVERFLOW : eflags;
}

/* What a trampoline has saved on the stack, if it saves there, from the lowest
 * address up. */
struct on_stack {
	uint64_t rdx, rcx, flags, rax;
};

static bool read_saved(const struct trampoline *trampoline,
		       const struct user_regs_struct *regs, uint64_t rsp,
		       arch_read_fn *read, void *context,
		       struct ring_saved *out)
{
	struct on_stack saved;

	if (!trampoline->on_stack)
		return read(context,
			    regs->gs_base + RING_DISTANCE +
				    offsetof(struct ring_header, saved),
			    out, offsetof(struct ring_saved, scratch));
	if (!read(context, rsp - STACK_RDX, &saved, sizeof(saved)))
		return false;
	*out = (struct ring_saved){.rax = saved.rax,
				   .flags = saved.flags,
				   .rcx = saved.rcx,
				   .rdx = saved.rdx};
	return true;
}

/* The registers that a trampoline saves before it calls the counting code. */
static bool restore_more(const struct trampoline_point *point,
			 struct user_regs_struct *regs, arch_read_fn *read,
			 void *context)
{
	struct counting_saved saved;

	if (!point->more_saved && !point->rsp_saved)
		return true;
	if (!read(context,
		  regs->gs_base + RING_DISTANCE +
			  offsetof(struct ring_header, counting_saved),
		  &saved, sizeof(saved)))
		return false;
	if (point->more_saved) {
		regs->rsi = saved.rsi;
		regs->rdi = saved.rdi;
	}
	if (point->rsp_saved)
		regs->rsp = saved.rsp;
	return true;
}

/* Undo what the trampoline has done up to the point. */
static bool undo_to(const struct trampoline *trampoline,
		    const struct trampoline_point *point,
		    struct user_regs_struct *regs, arch_read_fn *read,
		    void *context, struct undone *out)
{
	struct ring_saved saved;
	uint64_t rsp;

	*out = (struct undone){
		.recorded = point->phase == TRAMPOLINE_AFTER,
		.call_counted =
			point->call_counted && point->phase != TRAMPOLINE_AFTER,
		.reserved = point->phase == TRAMPOLINE_RESERVED,
		.position = regs->rcx % RING_BYTES,
	};
	if (!restore_more(point, regs, read, context))
		return false;
	rsp = regs->rsp + point->below;
	if ((point->saved || point->rax_saved) &&
	    !read_saved(trampoline, regs, rsp, read, context, &saved))
		return false;
	if (point->saved || point->rax_saved)
		regs->rax = saved.rax;
	if (point->saved) {
		regs->rcx = saved.rcx;
		regs->rdx = saved.rdx;
		regs->eflags = restored_flags(regs->eflags, saved.flags);
	}
	regs->rsp = rsp;
	regs->rip = out->recorded ? trampoline->slot : trampoline->site;
	return true;
}

bool trampoline_undo(const struct trampoline *trampoline,
		     struct user_regs_struct *regs, arch_read_fn *read,
		     void *context, struct undone *out)
{
	const struct trampoline_point *point =
		find_point(trampoline, regs->rip);

	return point && undo_to(trampoline, point, regs, read, context, out);
}

/* Has the thread counted the hit, or the call, when it is found in the function
 * of the counting code that returns to `called_from`? The points before and
 * behind the call of this function tell. */
static bool is_found_in_call(const struct trampoline *trampoline,
			     uint64_t called_from,
			     const struct counting_undone *inside,
			     struct trampoline_point *point)
{
	const struct trampoline_point *before =
		find_point(trampoline, called_from - 1);
	const struct trampoline_point *behind =
		find_point(trampoline, called_from);

	if (!before || !behind)
		return false;
	if (!inside->counted)
		behind = before;
	point->phase = behind->phase == TRAMPOLINE_AFTER ? TRAMPOLINE_AFTER
							 : TRAMPOLINE_BEFORE;
	point->call_counted = behind->call_counted;
	return true;
}

bool trampoline_undo_call(const struct trampoline *trampoline,
			  uint64_t called_from,
			  const struct counting_undone *inside,
			  struct user_regs_struct *regs, arch_read_fn *read,
			  void *context, struct undone *out)
{
	struct trampoline_point point = {
		.saved = true,
		.rax_saved = true,
		.more_saved = true,
		.rsp_saved = true,
		.below = trampoline->on_stack ? STACK_RDX : 0,
	};

	if (!is_found_in_call(trampoline, called_from, inside, &point) ||
	    !undo_to(trampoline, &point, regs, read, context, out))
		return false;
	out->reserved = inside->reserved;
	out->position = inside->position;
	return true;
}
