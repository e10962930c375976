/*
 * trap_action.h - what the program does with SIGTRAP, which the tool preserves:
 * trap_action.c, pending_trap.c
 */
#ifndef PROBE_TRAP_ACTION_H
#define PROBE_TRAP_ACTION_H

#include "perftool/probe.h"

struct site;
struct space;

/* The struct sigaction of the kernel. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

/* What the program does with SIGTRAP: see trap_action.c. */
struct trap_action {
	/* If the handler is 0, the action is the default, and the rest means
	 * nothing. */
	struct action action;
	bool is_whole; /* else only the handler is known */
	/* the range of sigaction(), whose entry is SITE_ACTION; {0}: there is
	 * none */
	struct range heard;
	bool is_unknown; /* the tool could not find the action out */
	/* a SIGTRAP was delivered since the action was set */
	bool was_delivered;
	/* The serial number of a thread that is about to set the action (0:
	 * none), and the handler that it sets. */
	uint32_t setter;
	uint64_t next;
};

/* trap_action.c: what an int3 does to the program's handling of SIGTRAP. These
 * two functions call rt_sigaction(2) in the process. */
struct error *get_action(struct process *process, struct action *action);
struct error *set_action(struct process *process, const struct action *action);
/* Find out what the program does with SIGTRAP. A thread of the program is
 * STOPPED. */
struct error *learn_action(struct space *space);
/* Has the action changed without the tool having noticed, as far as /proc
 * shows? */
bool is_action_new(const struct space *space);
/* Put a site into the C library that reports changes of the action, if the
 * library is loaded. */
struct error *hear_actions(struct probe *probe, struct space *space);
/* The thread is at that site. */
struct error *note_action(struct thread *thread);
/* A thread is at a site. The action that was about to be set is set now, unless
 * the thread is the setter and still on its way to the system call. */
void settle_action(struct thread *thread, const struct site *site);
void note_delivered(struct thread *thread, int signal);
/* Has a SIGTRAP that a thread had blocked, or that the process ignores, reset
 * the program's action? */
struct error *seems_reset(struct space *space, bool *reset);

/*
 * A thread is AT_TRAP at an int3 of the tool and is to go on at `pc`. If the
 * int3 has reset the program's action, the action is restored and the thread is
 * STOPPED. `may_block`: SIGTRAP may be blocked again in the thread; false if
 * the tool had unblocked it for the int3.
 */
struct error *undo_reset(struct probe *probe, struct thread *thread,
			 uint64_t pc, bool may_block);
/* Let the thread go on, after undo_reset() or including it. */
struct error *resume_from_int3(struct probe *probe, struct thread *thread,
			       uint64_t pc, uint64_t *resumed);
/* All threads are STOPPED, and no int3 is still to be reported: restore the
 * program's action if necessary. */
void keep_action(struct probe *probe, struct space *space);

/* What the sender said about a signal that the tool has sent again: see
 * pending_trap.c. */
struct merged {
	uint32_t thread; /* its serial number */
	pid_t pid;
	siginfo_t info;
};

/* pending_trap.c: A SIGTRAP was pending when the thread reached a site. When
 * SIGTRAP is blocked again, send_merged() sends the signal again. give_merged()
 * gives the program what the original sender had said. */
struct error *send_merged(struct probe *probe, struct thread *thread,
			  const siginfo_t *info);
struct error *give_merged(struct probe *probe, struct thread *thread);
void forget_merged(struct probe *probe, const struct thread *thread);
void forget_merged_of(struct probe *probe, const struct process *process);

#endif
