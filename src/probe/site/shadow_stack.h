/*
 * shadow_stack.h - determines whether the threads of a process have a shadow
 * stack, and refuses what a shadow stack makes impossible: see shadow_stack.c
 */
#ifndef PROBE_SHADOW_STACK_H
#define PROBE_SHADOW_STACK_H

#include "perftool/arch.h"

struct site;
struct space;

/* Do the threads of a process have shadow stacks? See shadow_stack.c. */
enum shadow {
	SHADOW_NONE,
	/* not known yet, because the program's C library asks for shadow stacks
	 * while it starts */
	SHADOW_PERHAPS,
	SHADOW_THERE,
};

/* Determine whether the threads of a space have shadow stacks: shadow_begin()
 * when the space gets its process, shadow_decide() when the start of the
 * program is over, shadow_look() when a thread is at a site. */
void shadow_begin(struct space *space);
void shadow_decide(struct space *space);
void shadow_look(struct space *space, const struct site *site);
/* Have the threads of the space shadow stacks? A thread is in the program,
 * which has started. */
bool shadow_is_there(struct space *space);
/* The reason why an instruction may have no slot, as an error; the reason why
 * it may not become a jump, as a constant. NULL if it may. */
struct error *shadow_refuses_slot(struct space *space, const struct insn *insn);
const char *shadow_refuses_jump(const struct space *space,
				const struct insn *insn);

#endif
