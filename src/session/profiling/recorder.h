/*
 * recorder.h - what records stacks for one of the profiles: a sampler, the log
 * of its stacks, and the threads that were seen
 */
#ifndef SESSION_RECORDER_H
#define SESSION_RECORDER_H

#include "perftool/profile/stack_log.h"
#include "perftool/sample.h"
#include "perftool/scheduling.h"
#include "perftool/target/target_events.h"
#include "session/session_state.h"

/* A thread that was recorded. */
struct recorded_thread {
	uint32_t serial;
	pid_t pid, tid;
	struct thread_scheduling last;
	/* on the tool's clock: when it was first seen, and when `last` was read
	 */
	uint64_t came, looked;
	/* The thread has ended since, and nobody knows what it did meanwhile:
	 * the figures of `last` are the least ones. */
	bool misses_end;
	/* the priorities that it was seen to have, parted by ", " */
	struct str priorities;
	/* its page faults when it was first seen */
	uint64_t minor_before, major_before;
	uint64_t cpu_before; /* and its time on CPUs */
	bool is_gone;        /* it has ended, and `last` stays as it is */
};

struct recorder {
	struct session *session;
	struct sampler *sampler;
	struct stack_log log;
	struct map threads;             /* struct recorded_thread, by serial */
	struct sampler_account account; /* of the samplings that are over */
	struct sampling sampling;       /* the present one, or the last */
	uint64_t began; /* when it went on last, on the tool's clock */
	/* samples that found a thread in the tool's own code, at a breakpoint;
	 * they count for nobody */
	uint64_t in_tool;
	bool is_on;
	/* Samples that are taken now do not count. */
	bool is_paused;
	uint64_t elapsed; /* ns of measured time, until `since` */
	/* when the clock of the measurements began to run last; 0: it stands
	 * still, or the recorder is off */
	uint64_t since;
};

void recorder_init(struct recorder *recorder, struct session *session);
void recorder_deinit(struct recorder *recorder);
/* Forget all that was recorded. */
void recorder_flush(struct recorder *recorder);

/* Begin to sample. Samples go to the log. */
struct error *recorder_start(struct recorder *recorder,
			     const struct sampling *sampling);
/* Begin to record without a sampler: only what recorder_add() adds. */
void recorder_begin(struct recorder *recorder);
void recorder_stop(struct recorder *recorder);
/* Until now samples counted (or did not), and from now on they do not (or
 * do). */
void recorder_pause(struct recorder *recorder, bool is_paused);

/* Record the stack of a thread that is AT_TRAP or STOPPED, with these
 * registers. Returns the node of the stack in the log. */
uint32_t recorder_add(struct recorder *recorder, struct thread *thread,
		      const struct user_regs_struct *regs,
		      enum sample_reason reason, uint64_t weight);

/* A sample that should be recorded cannot be made: count it as lost. */
void recorder_lose(struct recorder *recorder);
/* Find the thread that makes the hit of an int3, and read its registers; `rip`
 * is then the address of the int3. False: the thread does not stand there. */
bool recorder_stands(const struct recorder *recorder, const struct hit *hit,
		     struct thread **thread, struct user_regs_struct *regs);

/* A thread has stood still for the recorder since `from`, on the tool's clock.
 * `unseen`: what its stop and its resumption took beside that, in ns. */
void recorder_held(struct recorder *recorder, uint64_t from, double unseen);
/* What one stop of a thread takes of which the tool sees nothing, in ns, as the
 * calibration has found: the delivery of the stop, and the resumption. 0: not
 * known. */
double recorder_stop_cost(const struct recorder *recorder);

/* The clock of the measurements runs, or stands still, from `time` on. */
void recorder_clock(struct recorder *recorder, bool runs, uint64_t time);
/* ns of measured time for which the recorder was on. */
uint64_t recorder_elapsed(const struct recorder *recorder);

/* An event of the target was handled: tell what was sampled. */
void recorder_event(struct recorder *recorder, const struct event *event);

/* A process is followed from now on, or is not any more. */
void recorder_process_came(struct recorder *recorder, struct process *process);
void recorder_process_left(struct recorder *recorder, struct process *process);

/* The account of all samplings, the present one included. */
void recorder_get_account(const struct recorder *recorder,
			  struct sampler_account *out);

/* Name what was recorded. The caller calls call_stacks_deinit(). */
void recorder_resolve(struct recorder *recorder, struct call_stacks *out);

/* If nothing was recorded, tells the user why, as far as that is known, and
 * what to do. `what` is recorded, such as "samples"; `since` is the command
 * that began it, `then` the one that shows it. */
void recorder_tell_of_none(const struct recorder *recorder, const char *what,
			   const char *since, const char *then);

#endif
