/*
 * process_shares.h - processes, and the share of each process in a leg
 *
 * Most legs are executed by one process only. Such a leg is itself the share of
 * its process, `leg->only`, and the share costs nothing but the comparison with
 * this process at each execution. The first execution by a second process makes
 * shares: the first process gets a copy of the counts so far. From then on
 * every execution is counted twice, in the leg and in a share.
 */
#ifndef PERFTOOL_MEASURE_PROCESS_H
#define PERFTOOL_MEASURE_PROCESS_H

#include "perftool/process_share.h"

struct leg;
struct span;
struct shares;
struct measure_leg_list;

/* A process. References are held by the map of the existing processes, by legs
 * and by shares. The threads of the process point to it without a reference,
 * because they are destroyed before the process is forgotten. */
struct process {
	struct measure_process public;
	size_t references;
};

/* Returns the process that has this pid now, and creates it if there is
 * none. */
struct process *enter_process(struct measure *measure, int32_t pid);
/* The process has ended, or has replaced its program by exec. Its shares
 * stay. */
void forget_process(struct measure *measure, int32_t pid);
/* Forgets all processes. No thread, leg or share uses them any more. */
void clear_processes(struct measure *measure);

/* Counts an execution by a process that is not leg->only. The caller calls this
 * before it counts the execution in the leg itself. `mechanisms` is the set of
 * the mechanisms of the two hits, as in `by_mechanisms`. */
void share_execution(struct measure *measure, struct leg *leg,
		     struct process *process, const struct span *span,
		     unsigned mechanisms);

/* Does the same for executions that a thread of the process has added up by
 * itself: see count_executions(). */
void share_executions(struct measure *measure, struct leg *leg,
		      struct process *process, const struct counted *counted,
		      bool has_cpu);

/* Appends to `*out` what each share of the leg has counted since the last
 * interval ended. Appends nothing if the leg is itself the only share. */
void shares_since_last(struct leg *leg, struct measure_leg_list *out);

/* Removes the shares of a leg that is zeroed or destroyed. */
void forget_shares(struct measure *measure, struct leg *leg);

#endif
