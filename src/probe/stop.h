/*
 * stop.h - what happens when a thread stops, or a process: trap.c, signal.c,
 * events.c, adoption.c
 */
#ifndef PROBE_STOP_H
#define PROBE_STOP_H

#include "perftool/probe.h"
#include "probe/rings/rings.h"

struct site;
struct space;

/* A thread at a site without a slot: its instruction is executed in place once
 * all threads have stopped. */
struct stepping {
	struct thread *thread; /* NULL: none */
	struct process *process;
	struct site *site;
	/* what is told once it is done; of no thread where the hit stops the
	 * program */
	struct finished_stop finished;
};

/* A thread on its way to a site that it was counted at: see signal.c. */
struct interrupted {
	uint32_t thread; /* serial */
	pid_t pid;
	uint64_t site;
	bool moved; /* its handler has returned to somewhere else */
	struct user_regs_struct regs;
};

/* adoption.c */
struct error *adopt(struct probe *probe, struct process *process);
/* Every byte as it was, no thread in a slot, no disposition of ours. */
struct error *space_release(struct probe *probe, struct space *space);

/* events.c */
void forget_thread(struct probe *probe, const struct thread *thread);
/* Ask all threads to stop, not for the user's sake. */
struct error *stop_for_us(struct probe *probe);

/* trap.c */
struct error *handle_trap(struct probe *probe, const struct event *event,
			  struct probe_outcome *outcome);
/* All threads are stopped: execute what a site without a slot displaced. */
struct error *finish_step(struct probe *probe);
/* A thread is at a site of the user, AT_TRAP behind its first byte. */
struct error *user_trap(struct probe *probe, const struct event *event,
			struct site *site, struct probe_outcome *outcome);
void begin_hold(const struct probe *probe, const struct event *event,
		struct finished_stop *out);
/*
 * Report the last stop. This is put off until the next event has arrived:
 * on one CPU the program goes on when the tool begins to wait, so whatever the
 * tool did in between would count as the program's time.
 */
void tell_finished(struct probe *probe, struct finished_stop *finished);
/* Make the hits of a site that a thread has reached (count_hits()), and tell
 * the placement and the cliff of the int3. */
struct error *make_hits(struct probe *probe, const struct event *event,
			struct site *site, struct probe_outcome *outcome);

/* signal.c: a signal must not be delivered with the pc in a slot. */
struct error *prepare_signal(struct probe *probe, struct thread *thread,
			     int signal);
struct error *handle_return(struct probe *probe, const struct event *event);
/* Has this thread been counted at the site, before a handler ran? */
struct error *is_reached_again(struct probe *probe, struct thread *thread,
			       uint64_t address, bool *again);
/* The same of a record of a jump: is it of a thread that was interrupted behind
 * it, as far as the base register (as of DWARF) tells? */
bool is_recorded_again(struct probe *probe, pid_t pid, uint64_t site,
		       unsigned base_register, uint64_t base);
void forget_interrupted(struct probe *probe, const struct thread *thread);
void forget_interrupted_of(struct probe *probe, const struct process *process);
/* A forked child goes on where its parent was. */
void inherit_interrupted(struct probe *probe, const struct thread *parent,
			 struct thread *child);

#endif
