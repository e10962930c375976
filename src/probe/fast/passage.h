/*
 * passage.h - threads between a place and the site where its breakpoints are:
 * passage.c, passage_signal.c
 */
#ifndef PROBE_PASSAGE_H
#define PROBE_PASSAGE_H

#include "perftool/probe.h"

struct site;
struct space;

/* A thread whose signal handler will return to an address near a place whose
 * breakpoints may move: see passage_signal.c. */
struct amid {
	uint32_t thread; /* the serial number of the thread */
	pid_t pid;
	uint64_t home;   /* the address of the place */
	uint64_t pc, sp; /* where the handler returns to */
	/* On this way, the breakpoints that belong at `home` have counted
	 * already. */
	bool counted;
	bool is_watched; /* the breakpoints have moved meanwhile */
	/* The thread is on its way again, and its next arrival at `site` must
	 * not count. */
	bool is_back;
	uint64_t site;
};

/* Count the breakpoints that belong at `home` and are at `site` now. The
 * thread, which has these registers, is behind the one and before the other. */
struct error *count_on_way(struct probe *probe, struct thread *thread,
			   const struct user_regs_struct *regs,
			   const struct site *site, uint64_t home);
/* Let a STOPPED thread that is behind `from`, or in its slot, go on until it
 * reaches `to`, and put it into the slot of `to`. No other breakpoint may lie
 * between. `from` is NULL if the thread is in no slot. */
struct error *pass_on_way(struct thread *thread, const struct site *from,
			  const struct site *to);

/* passage_signal.c. A signal interrupts a thread at this pc: is that near a
 * place whose breakpoints may move? If so, note_amid() notes it; `slot` is the
 * address of the site in whose slot the thread was, or 0. */
bool is_amid(const struct space *space, uint64_t pc);
void note_amid(struct probe *probe, const struct space *space,
	       const struct thread *thread, const struct user_regs_struct *regs,
	       uint64_t slot);
/* The next arrival of the thread at the site's int3 must not count. */
void pass_later(struct probe *probe, const struct thread *thread,
		uint64_t site);
/* The breakpoints that belong at `home` are about to move. All threads have
 * stopped. */
void watch_amid(struct probe *probe, const struct space *space, uint64_t home);
bool is_amid_watched(const struct probe *probe, const struct thread *thread);
/* The thread's handler has returned. `in_slot`: the thread was put into the
 * slot of the site there. */
struct error *return_amid(struct probe *probe, struct thread *thread,
			  const struct user_regs_struct *regs, bool in_slot);
/* The thread reaches the int3 of this site: was it counted already, on the same
 * way? */
bool is_passed_amid(struct probe *probe, const struct thread *thread,
		    uint64_t address);
void forget_amid(struct probe *probe, const struct thread *thread);
void forget_amid_of(struct probe *probe, const struct process *process);
void inherit_amid(struct probe *probe, const struct thread *parent,
		  struct thread *child);

#endif
