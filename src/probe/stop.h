/*
 * stop.h - what happens when a thread or a process stops: trap.c, signal.c,
 * events.c, adoption.c
 */
#ifndef PROBE_STOP_H
#define PROBE_STOP_H

#include "perftool/probe.h"
#include "probe/rings/rings.h"

struct site;
struct space;

/* A thread at a site without a slot. The tool executes the site's instruction
 * in place as soon as all threads have stopped. */
struct stepping {
	struct thread *thread; /* NULL if no thread is being stepped */
	struct process *process;
	struct site *site;
	/* The stop that is reported after the step. It has no thread if the hit
	 * stops the program, because that stop is not over. */
	struct finished_stop finished;
};

/* A thread that was counted at a site and will come to that site again: see
 * signal.c. */
struct interrupted {
	uint32_t thread; /* the serial number of the thread */
	pid_t pid;
	uint64_t site;
	bool moved; /* the signal handler has returned to another address */
	struct user_regs_struct regs;
};

/* adoption.c */
struct error *adopt(struct probe *probe, struct process *process);
/* Let a process go, see probe_release(): every byte is as it was, no thread is
 * in a slot, no signal disposition of the tool is left. */
struct error *space_release(struct probe *probe, struct space *space);

/* events.c */
void forget_thread(struct probe *probe, const struct thread *thread);
/* Ask all threads to stop, for the tool's own purposes. */
struct error *stop_for_us(struct probe *probe);

/* trap.c */
struct error *handle_trap(struct probe *probe, const struct event *event,
			  struct probe_outcome *outcome);
/* All threads are stopped: execute the instruction that a site without a slot
 * has displaced. */
struct error *finish_step(struct probe *probe);
/* A thread is AT_TRAP behind the first byte of a site of the user. */
struct error *user_trap(struct probe *probe, const struct event *event,
			struct site *site, struct probe_outcome *outcome);
void begin_hold(const struct probe *probe, const struct event *event,
		struct finished_stop *out);
/*
 * Report the last stop. The tool does this only when the next event has
 * arrived: on one CPU, the program goes on as soon as the tool begins to wait,
 * so that work of the tool before that would count as the program's time.
 */
void tell_finished(struct probe *probe, struct finished_stop *finished);
/* Make the hits of a site that a thread has reached (count_hits()), and tell
 * the placement and the cliff about the int3. */
struct error *make_hits(struct probe *probe, const struct event *event,
			struct site *site, struct probe_outcome *outcome);

/* signal.c: Prepare a thread for the delivery of a signal, which must not find
 * the pc in a slot. */
struct error *prepare_signal(struct probe *probe, struct thread *thread,
			     int signal);
struct error *handle_return(struct probe *probe, const struct event *event);
/* Was this thread already counted at the site, before a signal handler ran?
 * `*again` is set to true only if so. */
struct error *is_reached_again(struct probe *probe, struct thread *thread,
			       uint64_t address, bool *again);
/* The same question about the record of a jump: is the record of a thread that
 * was interrupted behind the jump and came through it again? Only the base
 * register (a DWARF number) is compared. */
bool is_recorded_again(struct probe *probe, pid_t pid, uint64_t site,
		       unsigned base_register, uint64_t base);
void forget_interrupted(struct probe *probe, const struct thread *thread);
void forget_interrupted_of(struct probe *probe, const struct process *process);
/* A forked child goes on where its parent was: copy what was noted of the
 * parent. */
void inherit_interrupted(struct probe *probe, const struct thread *parent,
			 struct thread *child);

#endif
