/*
 * thread_proc.h - what /proc shows of a thread at a tick: how long it has run,
 * and what it is doing
 */
#ifndef PERFTOOL_SAMPLE_THREAD_PROC_H
#define PERFTOOL_SAMPLE_THREAD_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Read the CPU time of a thread, in ns, and how often it has been given a CPU.
 * `is_alone`: it is the only thread of its process, whose clock is exact. Else
 * the time is that at the last tick of the kernel. `runs` may be NULL. */
bool thread_proc_cpu(pid_t pid, pid_t tid, bool is_alone, uint64_t *cpu,
		     uint64_t *runs);

/* The state letter of a thread; 0: it does not exist. */
char thread_proc_state(pid_t pid, pid_t tid);

/* The system call that a thread waits in. `number` is -1 if it waits in the
 * kernel for another reason, such as a page. False: it runs, or the kernel does
 * not tell. */
struct waiting_call {
	long number;
	uint64_t args[6];
	uint64_t sp, pc;
};
bool thread_proc_call(pid_t pid, pid_t tid, struct waiting_call *out);

#endif
