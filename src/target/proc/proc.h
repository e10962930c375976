/*
 * proc.h - what /proc tells about a process and its threads: the fields of stat
 * and status that the tool needs
 *
 * The other files of this folder read more of /proc/PID for functions of
 * perftool/target.h and perftool/command_line.h. This folder uses no other
 * folder of the layer.
 */
#ifndef TARGET_PROC_H
#define TARGET_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "perftool/target.h"

struct proc_stat {
	char state;
	uint64_t flags;     /* PROC_KERNEL_THREAD, ... */
	uint64_t ticks;     /* of processor time that it has used */
	int cpu;            /* where the thread runs or last ran */
	uint64_t start_brk; /* where the heap begins */
};

/* PF_KTHREAD and PF_EXITING of the kernel's linux/sched.h. */
#define PROC_KERNEL_THREAD 0x00200000
#define PROC_EXITING 0x4

bool proc_stat(pid_t pid, pid_t tid, struct proc_stat *out);

/* What exec has set up: when, and where on the stack. Addresses are 0 where the
 * tool may not know them. */
struct proc_exec {
	uint64_t start; /* of the process; clock ticks since boot */
	uint64_t stack; /* argc, then the pointers of argv */
	uint64_t arg_start, arg_end; /* the strings of the arguments */
};
bool proc_exec(pid_t pid, struct proc_exec *out);

/* Visit the threads of a process, those that have ended and are not reaped
 * too. */
void proc_each_thread(pid_t pid, void (*visit)(void *context, pid_t tid),
		      void *context);

/* Append the processes that a thread has forked, the oldest first, as
 * /proc/PID/task/TID/children lists them; none if that cannot be read. */
void proc_children(pid_t pid, pid_t tid, struct pid_list *out);

/* Is only its number left? */
static inline bool proc_has_ended(char state)
{
	return state == 'Z' || state == 'X';
}

/* The signals 1 to 31 of a process, read much quicker than its status: from a
 * `stat` of one of its threads that is kept open. False: that has ended. */
struct proc_signals {
	uint64_t ignored, caught;
};

#define PROC_SIGNALS 31

int proc_open_stat(pid_t pid, pid_t tid);
bool proc_signals(int stat, struct proc_signals *out);

/* ERROR_GONE for an errno that says so, of opening or reading `path`. */
struct error *proc_error(int failure, pid_t pid, const char *path);

/* Of a thread; pid 0: of the tool itself. False: it cannot be read, errno says
 * why (ESRCH: it is gone). */
bool proc_status(pid_t pid, pid_t tid, struct proc_status *out);
/* The text of such a file. */
void proc_parse_status(FILE *file, struct proc_status *out);

/* Is the thread under a seccomp filter (not strict mode) that the tool is not
 * under, too? One that it is under came with the container. */
bool proc_is_filtered(const struct proc_status *thread,
		      const struct proc_status *tool);

/*
 * A file of /proc that tells of a process's memory: that of a thread which has
 * it still, for the first one may have ended before the others.
 */
void proc_path(pid_t pid, const char *name, char *buffer, size_t size);

/* A line about a process: "4711 (name)". */
const char *proc_label(pid_t pid, char *buffer, size_t size);

/* The process a thread belongs to, by /proc; 0: not there. */
pid_t proc_tgid(pid_t tid);

#endif
