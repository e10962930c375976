/*
 * passage.h - threads that are between a place and the site to which the
 * breakpoints of the place were moved: passage.c, passage_signal.c
 *
 * When breakpoints move to a nearby instruction, or back (transfer.c), each
 * thread between the two instructions must count exactly once. Here, `home` is
 * the address of the place to which breakpoints belong, and `site` is the site
 * where they are.
 */
#ifndef PROBE_PASSAGE_H
#define PROBE_PASSAGE_H

#include "perftool/probe.h"

struct site;
struct space;

/* A thread whose signal handler will return to an address near a place whose
 * breakpoints may move to another instruction: see passage_signal.c. */
struct amid {
	uint32_t thread; /* the serial number of the thread */
	pid_t pid;
	uint64_t home;   /* the address of the place */
	uint64_t pc, sp; /* the pc and rsp to which the handler returns */
	/* The breakpoints that belong at `home` have already counted this
	 * arrival of the thread. */
	bool counted;
	/* the breakpoints have moved since the thread was noted */
	bool is_watched;
	/* The handler has returned, and the next arrival of the thread at
	 * `site` must not count. */
	bool is_back;
	uint64_t site;
};

/* Make the hits of the breakpoints that belong at `home` and are at `site` now,
 * for a thread that has these registers. The thread has passed one of the two
 * addresses and not yet the other one, and would otherwise not be counted. */
struct error *count_on_way(struct probe *probe, struct thread *thread,
			   const struct user_regs_struct *regs,
			   const struct site *site, uint64_t home);
/* Single-step a STOPPED thread that is behind the site `from`, or in its slot,
 * until it reaches the site `to`, and put it into the slot of `to`, so that
 * `to` does not count it. No other breakpoint may lie between the two sites.
 * `from` is NULL if the thread is in no slot. */
struct error *pass_on_way(struct thread *thread, const struct site *from,
			  const struct site *to);

/* passage_signal.c. A signal interrupts a thread at this pc: is the pc near a
 * place whose breakpoints may move? If so, note_amid() notes the thread; `slot`
 * is the address of the site in whose slot the thread was, or 0. */
bool is_amid(const struct space *space, uint64_t pc);
void note_amid(struct probe *probe, const struct space *space,
	       const struct thread *thread, const struct user_regs_struct *regs,
	       uint64_t slot);
/* The next arrival of the thread at the site's int3 must not count. */
void pass_later(struct probe *probe, const struct thread *thread,
		uint64_t site);
/* The breakpoints that belong at `home` are about to move, and all threads have
 * stopped: watch the threads noted near `home` until their handlers return. */
void watch_amid(struct probe *probe, const struct space *space, uint64_t home);
bool is_amid_watched(const struct probe *probe, const struct thread *thread);
/* A handler of the thread has returned. `in_slot`: the thread was put into the
 * slot of the site to which the handler returned. */
struct error *return_amid(struct probe *probe, struct thread *thread,
			  const struct user_regs_struct *regs, bool in_slot);
/* The thread reaches the int3 of the site at this address: was this arrival
 * already counted, when the breakpoints were elsewhere? */
bool is_passed_amid(struct probe *probe, const struct thread *thread,
		    uint64_t address);
void forget_amid(struct probe *probe, const struct thread *thread);
void forget_amid_of(struct probe *probe, const struct process *process);
void inherit_amid(struct probe *probe, const struct thread *parent,
		  struct thread *child);

#endif
