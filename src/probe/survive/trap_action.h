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
	bool is_whole; /* all of `action` is known; else only its handler */
	/* the range of the C library's sigaction(), whose entry has the site
	 * SITE_ACTION; {0}: there is no such site */
	struct range heard;
	/* the tool tried to find the action out, or to restore it, and
	 * failed */
	bool is_unknown;
	/* a SIGTRAP was delivered to the program since it set the action */
	bool was_delivered;
	/* The serial number of a thread that has called sigaction() and is
	 * about to set the action (0: none), and the handler that it will
	 * set. */
	uint32_t setter;
	uint64_t next;
};

/* trap_action.c: preserves the program's handling of SIGTRAP, which an int3 may
 * change. The next two functions call rt_sigaction(2) in the process. */
struct error *get_action(struct process *process, struct action *action);
struct error *set_action(struct process *process, const struct action *action);
/* Find out what the program does with SIGTRAP. A thread of the program is
 * STOPPED. */
struct error *learn_action(struct space *space);
/* Has the program changed the action without the tool having noticed, as far as
 * /proc shows? */
bool is_action_new(const struct space *space);
/* If the C library is loaded, put a site into it that reports when the program
 * changes the action. */
struct error *hear_actions(struct probe *probe, struct space *space);
/* The thread is at the site of hear_actions(): note which action it is about to
 * set. */
struct error *note_action(struct thread *thread);
/* A thread is at a site. If a thread was about to set the action, the action is
 * set by now, unless that thread is this one and still on its way to the system
 * call. */
void settle_action(struct thread *thread, const struct site *site);
void note_delivered(struct thread *thread, int signal);
/* Does it seem that an int3 has reset the program's action, because a thread
 * blocked SIGTRAP or the process ignores it? */
struct error *seems_reset(struct space *space, bool *reset);

/*
 * A thread is AT_TRAP at an int3 of the tool and is to go on at `pc`. If the
 * int3 has reset the program's action, the action is restored and the thread is
 * STOPPED. `may_block`: the thread may have blocked SIGTRAP, so SIGTRAP may be
 * blocked again in the thread; false if the tool had unblocked it for the int3.
 */
struct error *undo_reset(struct probe *probe, struct thread *thread,
			 uint64_t pc, bool may_block);
/* Let a thread go on at `pc` from an int3. If the int3 has reset the program's
 * action for SIGTRAP, the function first restores the action (undo_reset()).
 * `*resumed` gets the time just before the thread goes on; `resumed` may be
 * NULL. */
struct error *resume_from_int3(struct probe *probe, struct thread *thread,
			       uint64_t pc, uint64_t *resumed);
/* All threads are STOPPED, and no int3 is still to be reported: restore the
 * program's action if necessary. */
void keep_action(struct probe *probe, struct space *space);

/* A signal that the tool has sent again to a thread, with what its original
 * sender had said: see pending_trap.c. */
struct merged {
	uint32_t thread; /* its serial number */
	pid_t pid;
	siginfo_t info;
};

/* pending_trap.c: Called when a SIGTRAP that was sent to the thread was pending
 * while the thread executed an int3. send_merged() sends this signal again.
 * give_merged() gives the program what the original sender had said.
 * keep_merged() sends the signal with which the thread has stopped at an int3
 * of the tool again, if it is not that of the int3 and the program has a
 * handler. (Without one it would end the program.) */
struct error *send_merged(struct probe *probe, struct thread *thread,
			  const siginfo_t *info);
/* Has an instruction of the thread caused this SIGTRAP: an int3, a step, or an
 * access to watched memory? Else somebody has sent it, or a perf event has. */
static inline bool is_of_instruction(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL || info->si_code == TRAP_BRKPT ||
	       info->si_code == TRAP_TRACE || info->si_code == TRAP_HWBKPT;
}
struct error *keep_merged(struct probe *probe, struct thread *thread);
struct error *give_merged(struct probe *probe, struct thread *thread);
void forget_merged(struct probe *probe, const struct thread *thread);
void forget_merged_of(struct probe *probe, const struct process *process);

#endif
