/*
 * trampoline_trap.h - threads that are found in a trampoline: trampoline_trap.c
 */
#ifndef PROBE_TRAMPOLINE_TRAP_H
#define PROBE_TRAMPOLINE_TRAP_H

#include "perftool/arch.h"
#include "perftool/probe.h"

struct space;
struct undone;

/* A thread has executed an int3 of a trampoline; *handled: it has. */
struct error *fast_trap(struct probe *probe, const struct event *event,
			struct probe_outcome *outcome, bool *handled);
/* A thread could not go on in a trampoline: gs is not what it was, or rdtsc is
 * forbidden. *handled: so it is, and it goes on without. */
struct error *fast_fault(struct probe *probe, const struct event *event,
			 bool *handled);
/* A pc in a trampoline or landing becomes the site or its slot. What was
 * reserved is `*undone`, to be voided, if the thread is to go on so. */
bool fast_map_pc(const struct space *space, const struct thread *thread,
		 struct user_regs_struct *regs, struct undone *undone);
/* A STOPPED or AT_TRAP thread that is in one leaves it. */
struct error *fast_leave(struct space *space, struct thread *thread);

#endif
