/*
 * stop.h - what happens when a thread or a process stops: trap.c, signal.c,
 * own_stop.c, events.c, adoption.c
 */
#ifndef PROBE_STOP_H
#define PROBE_STOP_H

#include "perftool/probe.h"
#include "perftool/target/target_events.h"
#include "probe/rings/rings.h"

struct site;
struct space;

/* The stop that is being handled, or the last one. */
struct stop_in_hand {
	uint32_t thread; /* the serial number of the thread */
	uint64_t seen;   /* when the tool has seen it, ns of its clock */
	/* When the thread arrived: when the kernel took it off its CPU, if
	 * `is_off_known`, else `seen`. */
	uint64_t arrival;
	bool is_off_known;
	struct unseen cost;
};

/* A thread at a site without a slot. The tool single-steps the site's
 * instruction at its own address as soon as all threads have stopped. */
struct stepping {
	struct thread *thread; /* NULL if no thread is being stepped */
	struct process *process;
	struct site *site;
	/* The stop of the thread, which is reported after the step. It has no
	 * thread if the hit stops the program for the user, because that stop
	 * is not over. */
	struct finished_stop finished;
};

/* A thread whose hit was counted at a site, and that a signal has sent back to
 * this site before it executed the displaced instruction: see signal.c. */
struct interrupted {
	uint32_t thread; /* the serial number of the thread */
	pid_t pid;
	uint64_t site;
	/* the signal handler has returned to another address than the site */
	bool moved;
	struct user_regs_struct regs;
};

/* adoption.c */
struct error *adopt(struct probe *probe, struct process *process);
/* Let a process go, see probe_release(): afterwards every byte is as it was, no
 * thread is in a slot, and no signal disposition of the tool is left. */
struct error *space_release(struct probe *probe, struct space *space);
/* The tool could not do in the memory of one process what it had to do there
 * while all threads are STOPPED. Tell the user, and let this process go; the
 * others are measured on. Returns the error if the process is the one of the
 * last probe_adopt() and has not begun yet. The function does nothing if
 * `error` is NULL, or if the process has ended (ERROR_GONE). It may free the
 * space. */
struct error *space_fail(struct probe *probe, struct space *space,
			 struct error *error);

/* events.c */
void forget_thread(struct probe *probe, const struct thread *thread);

/* own_stop.c: Ask all threads to stop, for the tool's own purposes. */
struct error *stop_for_us(struct probe *probe);
/* All threads have stopped at `time`. */
void own_stop_begin(struct probe *probe, uint64_t time);
/* All threads are about to go on: report the time for which the tool has held
 * them (PROBE_EVENT_HELD), unless the client has wanted the stop, too. */
void own_stop_end(struct probe *probe);

/* trap.c */
struct error *handle_trap(struct probe *probe, const struct event *event,
			  struct probe_outcome *outcome);
/* All threads are stopped: single-step the thread that is at a site without a
 * slot (struct stepping), if there is one. */
struct error *finish_step(struct probe *probe);

/* watch.c: Has the trap of the event come from an object that the thread
 * watches? If so, `*handled` is set: the hits were made, and the thread goes
 * on, or the outcome says that it is to stop. */
struct error *watch_trap(struct probe *probe, const struct event *event,
			 struct probe_outcome *outcome, bool *handled);
/* The thread has been single-stepped: make the hits of objects that it has
 * touched. */
struct error *watch_step(struct probe *probe, struct thread *thread);
/* Enable or disable a watchpoint. */
struct error *watch_enable(struct probe *probe, struct breakpoint *breakpoint,
			   bool enabled);
/* A thread has executed the int3 of a site at which breakpoints of the user may
 * be: make their hits, and let the thread go on unless a hit stops the
 * program. `in_trampoline`: the thread has stopped in the trampoline of the
 * site, which has left the hit to the tool. */
struct error *user_trap(struct probe *probe, const struct event *event,
			struct site *site, bool in_trampoline,
			struct probe_outcome *outcome);
/* A thread has stopped: begin to describe the stop. */
void begin_hold(struct probe *probe, const struct event *event,
		struct finished_stop *out);
/*
 * Report a stop to the client (PROBE_EVENT_HELD) after the tool has let the
 * thread go on. The tool does this only when the next event has arrived. On one
 * CPU, the program goes on as soon as the tool begins to wait, so work that the
 * tool does before that would count as the program's time. `is_told`: the
 * thread itself has recorded when it went on (resumption.c).
 */
void tell_finished(struct probe *probe, struct finished_stop *finished,
		   bool is_told);
/* Make the hits of a site that a thread has reached (count_hits()), and tell
 * placement.c and cliff.c of the int3. */
struct error *make_hits(struct probe *probe, const struct event *event,
			struct site *site, struct probe_outcome *outcome);

/* signal.c: Prepare a thread for the delivery of a signal. If the program will
 * look at the pc, the thread is moved out of its slot first. */
struct error *prepare_signal(struct probe *probe, struct thread *thread,
			     int signal);
struct error *handle_return(struct probe *probe, const struct event *event);
/* Does rax contain a result with which the kernel marks a system call that it
 * will make again, at least for some handlers (linux/errno.h)? Then the thread
 * was stopped while it waited in this call. */
bool may_restart(const struct user_regs_struct *regs);
/* Was this arrival of the thread at the site already counted, before a signal
 * handler ran? `*again` is set to true if so, and is left as it is if not. */
struct error *is_reached_again(struct probe *probe, struct thread *thread,
			       uint64_t address, bool *again);
/* The question of is_reached_again(), for the record of a jump: does the record
 * come from an arrival that was counted before a signal handler ran? Only the
 * base register (a DWARF number) of the arrival is known and compared. */
bool is_recorded_again(struct probe *probe, pid_t pid, uint64_t site,
		       unsigned base_register, uint64_t base);
void forget_interrupted(struct probe *probe, const struct thread *thread);
void forget_interrupted_of(struct probe *probe, const struct process *process);
/* A forked child goes on where its parent was: copy to the child what was noted
 * of the parent. */
void inherit_interrupted(struct probe *probe, const struct thread *parent,
			 struct thread *child);

#endif
