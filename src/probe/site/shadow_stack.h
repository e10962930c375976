/*
 * shadow_stack.h - processes whose threads have a shadow stack: shadow_stack.c
 */
#ifndef PROBE_SHADOW_STACK_H
#define PROBE_SHADOW_STACK_H

#include "perftool/arch.h"

struct site;
struct space;

/* Do its threads have shadow stacks? See shadow_stack.c. */
enum shadow {
	SHADOW_NONE,
	SHADOW_PERHAPS, /* soon: it has only begun */
	SHADOW_THERE,
};

/* With a process; once its start is over; when a thread is at a site. */
void shadow_begin(struct space *space);
void shadow_decide(struct space *space);
void shadow_look(struct space *space, const struct site *site);
/* Why an instruction has no slot; why there is no jump: a constant. */
struct error *shadow_refuses_slot(struct space *space, const struct insn *insn);
const char *shadow_refuses_jump(const struct space *space,
				const struct insn *insn);

#endif
