/*
 * trampoline_trap.h - threads that are found in a trampoline: trampoline_trap.c
 */
#ifndef PROBE_TRAMPOLINE_TRAP_H
#define PROBE_TRAMPOLINE_TRAP_H

#include "perftool/arch.h"
#include "perftool/probe.h"

struct space;
struct undone;

/* If a thread has executed an int3 of a trampoline, handle that. `*handled`
 * says whether it has. */
struct error *fast_trap(struct probe *probe, const struct event *event,
			struct probe_outcome *outcome, bool *handled);
/* If a thread could not go on in a trampoline, because gs is not what the tool
 * has set or because rdtsc is forbidden, let it go on without. `*handled` says
 * whether that was so. */
struct error *fast_fault(struct probe *probe, const struct event *event,
			 bool *handled);
/* Replace a pc in a trampoline or landing by the site or its slot. `*undone`
 * says which reservation in the ring the caller must void if the thread is to
 * go on there. Returns false if the pc was in neither. */
bool fast_map_pc(const struct space *space, const struct thread *thread,
		 struct user_regs_struct *regs, struct undone *undone);
/* Move a STOPPED or AT_TRAP thread out of a trampoline or landing, if it is in
 * one. */
struct error *fast_leave(struct space *space, struct thread *thread);

#endif
