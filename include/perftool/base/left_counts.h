/*
 * left_counts.h - what a perftool that died has left of one leg: what the
 * program's threads had counted by themselves
 */
#ifndef PERFTOOL_BASE_LEFT_COUNTS_H
#define PERFTOOL_BASE_LEFT_COUNTS_H

#include <stdint.h>
#include <sys/types.h>

struct left_counts {
	char *name; /* of the leg */
	pid_t pid;
	uint64_t begun; /* number of executions that threads have begun */
	/* How many of these the threads have added up: the executions shorter
	 * than a microsecond. The others were told to the tool that died. */
	uint64_t added_up;
	/* Of those: the sum of the durations, ns. If `added_up` is 0, this and
	 * the next members mean nothing. */
	int64_t total;
	int64_t p50, p99, max; /* ns, within 1 % */
};

#endif
