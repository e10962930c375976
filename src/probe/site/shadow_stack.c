/*
 * shadow_stack.c - determines whether the threads of a process have a shadow
 * stack (CET), and refuses slots and jumps to calls in such a process
 *
 * On a shadow stack the processor keeps copies of the return addresses, and a
 * return to any other address is a fault. If a call were executed in a slot
 * (the memory for displaced instructions), it would leave an address in the
 * slot on the shadow stack. So calls have no slot in such a process: they are
 * single-stepped at their own address.
 *
 * The program's C library asks for shadow stacks while it starts. Until then it
 * is not known whether the process will have them. Meanwhile, breakpoints on
 * calls are int3s, and the tool checks the process whenever a thread reaches
 * such a breakpoint. A kernel that has no shadow stacks does not report the
 * feature.
 */
#include "shadow_stack.h"
#include "perftool/target/process_status.h"
#include "probe/probe_state.h"
#include "site.h"
#include "store.h"

static bool is_call(const struct insn *insn)
{
	return insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT;
}

static bool does_kernel_tell(void)
{
	struct proc_status own;

	return target_read_status(0, &own) && own.tells_features;
}

/* Does the process have shadow stacks? Either all its threads have one, or none
 * has. */
static bool has_shadow_stack(const struct space *space)
{
	struct proc_status status;

	return target_read_status(space->process->pid, &status) &&
	       status.shadow_stack;
}

void shadow_begin(struct space *space)
{
	space->shadow = does_kernel_tell() ? SHADOW_PERHAPS : SHADOW_NONE;
	if (space->shadow == SHADOW_PERHAPS && space->has_started)
		shadow_decide(space);
}

static void keep_calls(struct space *space)
{
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL))) {
		if (!site->has_slot || !is_call(&site->insn))
			continue;
		/* Neither the tool nor the handler of the store may send a
		 * thread to the slot any more. */
		if (site->inserted)
			error_destroy(store_leave(space, site));
		site->has_slot = false;
	}
}

void shadow_decide(struct space *space)
{
	if (space->shadow != SHADOW_PERHAPS)
		return;
	space->shadow = has_shadow_stack(space) ? SHADOW_THERE : SHADOW_NONE;
	space_outdate(space);
	if (space->shadow == SHADOW_THERE)
		keep_calls(space);
}

void shadow_look(struct space *space, const struct site *site)
{
	if (space->shadow == SHADOW_PERHAPS && is_call(&site->insn) &&
	    has_shadow_stack(space))
		shadow_decide(space);
}

bool shadow_is_there(struct space *space)
{
	shadow_decide(space);
	return space->shadow == SHADOW_THERE;
}

struct error *shadow_refuses_slot(struct space *space, const struct insn *insn)
{
	if (!is_call(insn))
		return NULL;
	space->awaits_start |= space->shadow == SHADOW_PERHAPS;
	if (space->shadow != SHADOW_THERE)
		return NULL;
	return error_create(ERROR_OTHER,
			    "a call instruction cannot be executed at another "
			    "address in a process that has a shadow stack");
}

const char *shadow_refuses_jump(const struct space *space,
				const struct insn *insn)
{
	return space->shadow == SHADOW_PERHAPS && is_call(insn)
		       ? "perftool does not know yet whether its call may be "
			 "executed at another address"
		       : NULL;
}
