/*
 * proc.h - /proc/PID/stat and status, the fields somebody needs
 */
#ifndef TARGET_PROC_H
#define TARGET_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	char state;
	uint64_t flags;     /* PF_... of linux/sched.h */
	int cpu;            /* where the thread runs or last ran */
	uint64_t start_brk; /* where the heap begins */
};

bool proc_stat(pid_t pid, pid_t tid, struct proc_stat *out);

/* The signals 1 to 31 of a process, read much quicker than its status: from a
 * `stat` of one of its threads that is kept open. False: that has ended. */
struct proc_signals {
	uint64_t ignored, caught;
};

#define PROC_SIGNALS 31

int proc_open_stat(pid_t pid, pid_t tid);
bool proc_signals(int stat, struct proc_signals *out);

struct proc_status {
	char name[64]; /* escaped as /proc does */
	char state;
	pid_t pid; /* of the thread's process */
	pid_t parent, tracer;
	uid_t uid[3]; /* real, effective, saved */
	gid_t gid[3];
	unsigned threads;
	uint64_t pending, shared_pending, blocked, ignored, caught;
	uint64_t permitted, effective; /* capabilities */
	unsigned seccomp;              /* 0, 1: strict, 2: filters */
	unsigned filters;              /* how many */
	pid_t inner; /* its number in the innermost pid namespace */
	unsigned depth;
};

/* Of a thread; pid 0: of the tool itself. False: not there. */
bool proc_status(pid_t pid, pid_t tid, struct proc_status *out);

/*
 * A file of /proc that tells of a process's memory: that of a thread which has
 * it still, for the first one may have ended before the others.
 */
void proc_path(pid_t pid, const char *name, char *buffer, size_t size);

/* A line about a process: "4711 (name)". */
const char *proc_label(pid_t pid, char *buffer, size_t size);

#endif
