/*
 * scheduling.h - what /proc shows of how the kernel schedules a thread, and of
 * its page faults
 */
#ifndef PERFTOOL_SCHEDULING_H
#define PERFTOOL_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/str.h"

struct thread_scheduling {
	char name[17]; /* comm of the thread */
	int nice;
	int policy;            /* SCHED_OTHER, ... */
	int real_time;         /* priority of SCHED_FIFO and SCHED_RR */
	uint64_t minor, major; /* page faults so far */
	/* time on CPUs so far, in ns; where the kernel has no schedstat, its
	 * resolution is that of the kernel's clock ticks */
	uint64_t cpu;
};

/* False: the thread does not exist, or may not be seen. */
bool target_thread_scheduling(pid_t pid, pid_t tid,
			      struct thread_scheduling *out);

/* Append the priority in words: "nice 0" or "fifo 10". */
void scheduling_describe(const struct thread_scheduling *scheduling,
			 struct str *out);

#endif
