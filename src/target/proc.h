/*
 * proc.h - /proc/PID/task/TID/stat, the fields somebody needs
 */
#ifndef TARGET_PROC_H
#define TARGET_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	char state;
	int cpu;            /* where the thread runs or last ran */
	uint64_t start_brk; /* where the heap begins */
};

bool proc_stat(pid_t pid, pid_t tid, struct proc_stat *out);

#endif
