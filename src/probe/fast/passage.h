/*
 * passage.h - threads between a place and where its breakpoints are: passage.c,
 * passage_signal.c
 */
#ifndef PROBE_PASSAGE_H
#define PROBE_PASSAGE_H

#include "perftool/probe.h"

struct site;
struct space;

/* A thread whose handler returns to near a place that may move: see
 * passage_signal.c. */
struct amid {
	uint32_t thread; /* serial */
	pid_t pid;
	uint64_t home;   /* the place */
	uint64_t pc, sp; /* where the handler returns to */
	bool counted;    /* what belongs at home was, on this way */
	bool is_watched; /* it has moved meanwhile */
	bool is_back;    /* and its next arrival at `site` is none */
	uint64_t site;
};

/* Count what belongs at `home`, and is at the site now, of a thread that has
 * these registers behind the one and before the other. */
struct error *count_on_way(struct probe *probe, struct thread *thread,
			   const struct user_regs_struct *regs,
			   const struct site *site, uint64_t home);
/* A STOPPED thread behind `from`, or in its slot, goes on as far as to the slot
 * of `to`; no breakpoint is in between. NULL: it is in no slot. */
struct error *pass_on_way(struct thread *thread, const struct site *from,
			  const struct site *to);

/* passage_signal.c. A signal interrupts the thread at regs->rip, perhaps in the
 * slot of that site (0: in none). Is that near a place that may move? */
bool is_amid(const struct space *space, uint64_t pc);
void note_amid(struct probe *probe, const struct space *space,
	       const struct thread *thread, const struct user_regs_struct *regs,
	       uint64_t slot);
/* The next arrival of the thread at the site's int3 is none. */
void pass_later(struct probe *probe, const struct thread *thread,
		uint64_t site);
/* What belongs at `home` is about to move; all threads have stopped. */
void watch_amid(struct probe *probe, const struct space *space, uint64_t home);
bool is_amid_watched(const struct probe *probe, const struct thread *thread);
/* Its handler has returned; it goes on in the slot of the site there, or not.
 */
struct error *return_amid(struct probe *probe, struct thread *thread,
			  const struct user_regs_struct *regs, bool in_slot);
/* Has it been counted already that reaches this site's int3? */
bool is_passed_amid(struct probe *probe, const struct thread *thread,
		    uint64_t address);
void forget_amid(struct probe *probe, const struct thread *thread);
void forget_amid_of(struct probe *probe, const struct process *process);
void inherit_amid(struct probe *probe, const struct thread *parent,
		  struct thread *child);

#endif
