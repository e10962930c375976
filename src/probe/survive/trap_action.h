/*
 * trap_action.h - what the program does with SIGTRAP, kept as it is:
 * trap_action.c, pending_trap.c
 */
#ifndef PROBE_TRAP_ACTION_H
#define PROBE_TRAP_ACTION_H

#include "perftool/probe.h"

struct site;
struct space;

/* What the kernel takes for a struct sigaction. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

/* What the program does with SIGTRAP: see trap_action.c. */
struct trap_action {
	struct action action; /* handler 0: the default; then no more of it */
	bool is_whole;        /* else the handler alone is known */
	struct range heard;   /* sigaction(): SITE_ACTION is its entry */
	bool is_unknown;      /* asking has failed */
	bool was_delivered;   /* a SIGTRAP, since it was set */
	/* a thread that is about to set it (its serial; 0: none), to what */
	uint32_t setter;
	uint64_t next;
};

/* trap_action.c: what an int3 does to the program's handling of SIGTRAP */
struct error *get_action(struct process *process, struct action *action);
struct error *set_action(struct process *process, const struct action *action);
/* Ask what the program does with SIGTRAP; a thread of it is STOPPED. */
struct error *learn_action(struct space *space);
/* Has it changed without our having heard of it, as far as /proc tells? */
bool is_action_new(const struct space *space);
/* Have a site tell of changes, if the libc is there. */
struct error *hear_actions(struct probe *probe, struct space *space);
/* The thread is at that site. */
struct error *note_action(struct thread *thread);
/* A thread is at a site: what was to be set is set, unless it is the setter, on
 * its way there. */
void settle_action(struct thread *thread, const struct site *site);
void note_delivered(struct thread *thread, int signal);
/* Did a SIGTRAP that a thread had blocked, or that is ignored, reset what the
 * program does with it? */
struct error *seems_reset(struct space *space, bool *reset);

/*
 * A thread AT_TRAP by an int3 of ours, to go on at `pc`: if that has reset what
 * the program does with SIGTRAP, it is put back, and the thread is STOPPED.
 * `may_block`: not if SIGTRAP was unblocked for the int3.
 */
struct error *undo_reset(struct probe *probe, struct thread *thread,
			 uint64_t pc, bool may_block);
/* After that, or with it: let the thread go on. */
struct error *resume_from_int3(struct probe *probe, struct thread *thread,
			       uint64_t pc, uint64_t *resumed);
/* All threads are STOPPED, and no int3 is on its way: put it back if needed. */
void keep_action(struct probe *probe, struct space *space);

/* What was said of a signal that we have sent anew: see pending_trap.c. */
struct merged {
	uint32_t thread; /* serial */
	pid_t pid;
	siginfo_t info;
};

/* pending_trap.c: a SIGTRAP that was pending at a hit. Blocked again, it is
 * sent anew; the program gets what its sender had said. */
struct error *send_merged(struct probe *probe, struct thread *thread,
			  const siginfo_t *info);
struct error *give_merged(struct probe *probe, struct thread *thread);
void forget_merged(struct probe *probe, const struct thread *thread);
void forget_merged_of(struct probe *probe, const struct process *process);

#endif
