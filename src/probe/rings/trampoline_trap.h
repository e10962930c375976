/*
 * trampoline_trap.h - threads that stop in a trampoline, the code that records
 * the hits of a fast site: trampoline_trap.c
 */
#ifndef PROBE_TRAMPOLINE_TRAP_H
#define PROBE_TRAMPOLINE_TRAP_H

#include "perftool/arch.h"
#include "perftool/probe.h"
#include "perftool/target/target_events.h"

struct space;
struct undone;

/* If the thread has trapped in a trampoline, let it go on, or make its hit as
 * at an int3. `*handled` says whether the trap was in a trampoline. */
struct error *fast_trap(struct probe *probe, const struct event *event,
			struct probe_outcome *outcome, bool *handled);
/* If the thread got a fault in a trampoline, because gs is not what the tool
 * has set or because rdtsc is forbidden, let the thread go on outside of the
 * trampoline, and do without fast sites in its memory. `*handled` says whether
 * the fault was in a trampoline. */
struct error *fast_fault(struct probe *probe, const struct event *event,
			 bool *handled);
/* Replace a pc in a trampoline or landing by the address of the site or of its
 * slot. `*undone` says which reserved record in the ring the caller must make
 * void if the thread is to go on there. Returns false if the pc was in
 * neither. */
bool fast_map_pc(const struct space *space, const struct thread *thread,
		 struct user_regs_struct *regs, struct undone *undone);
/* Move a STOPPED or AT_TRAP thread out of a trampoline or landing, if it is in
 * one. */
struct error *fast_leave(struct space *space, struct thread *thread);

#endif
