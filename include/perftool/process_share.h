/*
 * process_share.h - what legs counted, by process
 *
 * Part of the measure layer. Every execution of a leg that is in the leg's own
 * counts is in exactly one share, that of the process whose thread reached
 * *to*. (*from* was reached by the same process: neither threads nor keys of
 * two processes have anything in common.)
 *
 * A process is here one program that a process executed: what it executes next
 * (exec) is another one, and so is a process that gets the number of one that
 * has ended, or the process itself after it was let go and taken on again.
 */
#ifndef PERFTOOL_PROCESS_SHARE_H
#define PERFTOOL_PROCESS_SHARE_H

#include "perftool/measure.h"

struct measure_process {
	uint32_t number; /* no other one has it; from 1 on, as they came */
	int32_t pid;
	/* as the caller has named it, or NULL: what the kernel calls it, and
	 * its command line */
	char *comm, *command;
};

/*
 * The process that has this number now is called so: copies are kept. Without
 * effect where none of its threads has been told of. To be said before
 * measure_process_gone(), after which it cannot be named any more.
 */
void measure_name_process(struct measure *measure, int32_t pid,
			  const char *comm, const char *command);

/* Shares of all legs together. An execution for which there is no room any more
 * is in the last share of its leg, that of no process. */
#define PROCESS_SHARES 65536

struct measure_share {
	const struct measure_process *process; /* NULL: of several */
	/* Its counts, sums and times are those of the share; hits, what was
	 * ignored, histogram, split and slowest executions are not kept by
	 * process. */
	const struct measure_leg *stats;
};

/*
 * In the order of their first executions, index from 0; false: no more. A leg
 * that one process has executed has one share, with the leg's own counts.
 */
bool measure_leg_share(const struct measure_leg *leg, size_t index,
		       struct measure_share *out);

#endif
