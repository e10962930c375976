/*
 * process_shares.h - processes, and the share of each in a leg
 *
 * Most legs are executed by one process only. Its share is the leg itself, and
 * costs nothing but the comparison whether it is still that process:
 * `leg->only`. The first execution by another process makes shares: the one
 * before has its counts copied, and from then on every execution is counted
 * twice, in the leg and in a share.
 */
#ifndef PERFTOOL_MEASURE_PROCESS_H
#define PERFTOOL_MEASURE_PROCESS_H

#include "perftool/process_share.h"

struct leg;
struct span;
struct shares;
struct measure_leg_list;

/* Used by the map of those that are there, by legs and by shares. Threads have
 * it, too; they go before it does. */
struct process {
	struct measure_process public;
	size_t references;
};

/* The one that has this pid now; it is new if none had. */
struct process *enter_process(struct measure *measure, int32_t pid);
/* It has ended, or executes another program; its shares stay. */
void forget_process(struct measure *measure, int32_t pid);
/* All of them; none is used. */
void clear_processes(struct measure *measure);

/* Count an execution by another process than leg->only, before the leg itself
 * counts it. `mechanisms': of its ends, as in by_mechanisms. */
void share_execution(struct measure *measure, struct leg *leg,
		     struct process *process, const struct span *span,
		     unsigned mechanisms);

/* Append what each share has counted since the last time; nothing where the
 * share is the leg. */
void shares_since_last(struct leg *leg, struct measure_leg_list *out);

/* The leg is zeroed, or goes. */
void forget_shares(struct measure *measure, struct leg *leg);

#endif
