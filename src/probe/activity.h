/*
 * activity.h - what a thread was doing when it was stopped: activity.c
 */
#ifndef PROBE_ACTIVITY_H
#define PROBE_ACTIVITY_H

#include <stdbool.h>

struct process;
struct thread;
struct user_regs_struct;

enum activity {
	ACTIVITY_RUNS,
	ACTIVITY_WAITS_WITHIN, /* for another thread of its process */
	ACTIVITY_WAITS         /* for anything else, or it is not known */
};

/* The activity of a thread of the process that was stopped with these
 * registers. */
enum activity activity_at(const struct process *process,
			  const struct user_regs_struct *regs);
/* The activity of a thread, which may be stopped. */
enum activity activity_of(struct thread *thread);
/* Does each thread of the process that waits, wait for another one of them? */
bool activity_is_closed(const struct process *process);

#endif
