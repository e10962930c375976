/*
 * process_share.h - what legs counted, by process
 *
 * This file is part of the measure layer. Every execution that is in the counts
 * of a leg is also in exactly one share of the leg: the share of the process
 * whose thread hit *to*. (The same process hit *from*, because threads and keys
 * of two processes are never the same owner.)
 *
 * A process, in this file, is one program that a process executed. If a process
 * replaces its program (exec), the new program is a new process. So is a
 * process that gets the pid of an ended process, and a process that the tool
 * let go of and attached to again.
 */
#ifndef PERFTOOL_PROCESS_SHARE_H
#define PERFTOOL_PROCESS_SHARE_H

#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"

struct measure_process {
	/* counts from 1 in order of appearance; never used again */
	uint32_t number;
	int32_t pid; /* 0: it had another one in each of several runs */
	/* The name that the kernel shows, and the command line. The caller has
	 * given them, see measure_name_process(). NULL: the caller has given
	 * none. */
	char *comm, *command;
};

/*
 * Gives names to the process that now has this pid. The texts are copied. If
 * the layer has not seen a thread of the process, nothing happens. The caller
 * must call this before measure_process_gone(), because after that the process
 * cannot be named any more.
 */
void measure_name_process(struct measure *measure, int32_t pid,
			  const char *comm, const char *command);

/* The largest number of shares of all legs together. When there are this many,
 * an execution that needs another share counts in the last share of its leg,
 * which belongs to no single process. */
#define PROCESS_SHARES 65536

struct measure_share {
	/* NULL: the executions of several processes that had no room for a
	 * share of their own. */
	const struct measure_process *process;
	/* The counts, sums and times in `stats` are those of the share. The
	 * caller must not use the other figures in `stats`, because they are
	 * not kept by process: hits, what was ignored, histogram, split and
	 * slowest executions. */
	const struct measure_leg *stats;
};

/*
 * Stores a share of the leg in `*out`. `index` begins at 0. The order is that
 * of the first executions of the processes. Returns false if there is no such
 * share. If one process alone has executed the leg, the leg has one share,
 * which has the counts of the leg itself.
 */
bool measure_leg_share(const struct measure_leg *leg, size_t index,
		       struct measure_share *out);

#endif
