/*
 * proc.h - reads what /proc shows of a process and its threads: the fields of
 * stat and status that the tool needs
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
#include "perftool/target/process_status.h"

struct proc_stat {
	char state;
	uint64_t flags; /* PROC_KERNEL_THREAD, ... */
	/* clock ticks of processor time that the thread has used */
	uint64_t ticks;
	int cpu;            /* CPU on which the thread runs or last ran */
	uint64_t start_brk; /* address at which the heap begins */
};

/* PF_KTHREAD and PF_EXITING of the kernel's linux/sched.h. */
#define PROC_KERNEL_THREAD 0x00200000
#define PROC_EXITING 0x4

/* Read the stat of a thread. False: the thread does not exist. */
bool proc_stat(pid_t pid, pid_t tid, struct proc_stat *out);

/* What the last exec has set up. An address is 0 if the tool may not know
 * it. */
struct proc_exec {
	uint64_t start; /* start of the process in clock ticks since boot */
	uint64_t stack; /* address of argc; the pointers of argv follow */
	/* address range of the strings of the arguments */
	uint64_t arg_start, arg_end;
};
bool proc_exec(pid_t pid, struct proc_exec *out);

/* Call `visit` for each thread of a process, including threads that have ended
 * and have not been reaped. */
void proc_each_thread(pid_t pid, void (*visit)(void *context, pid_t tid),
		      void *context);

/* Append the processes that a thread has forked, the oldest first, as
 * /proc/PID/task/TID/children lists them. If the file cannot be read, nothing
 * is appended. */
void proc_children(pid_t pid, pid_t tid, struct pid_list *out);

/* Does the state letter say that the thread has ended, so that only its number
 * is left? */
static inline bool proc_has_ended(char state)
{
	return state == 'Z' || state == 'X';
}

/* Has the process ended whose first thread has this status? If the first thread
 * has ended, others may still execute. */
static inline bool proc_is_zombie(const struct proc_status *first)
{
	return proc_has_ended(first->state) && first->threads <= 1;
}

/* The dispositions of the signals 1 to 31 of a process. It is much quicker to
 * read them from the `stat` of one of its threads, which the caller keeps open,
 * than from its status. proc_open_stat() returns the file descriptor, or a
 * negative number. proc_signals() returns false if the thread has ended. */
struct proc_signals {
	uint64_t ignored, caught;
};

#define PROC_SIGNALS 31

int proc_open_stat(pid_t pid, pid_t tid);
bool proc_signals(int stat, struct proc_signals *out);

/* Make the error for opening or reading `path`, which has failed with the errno
 * `failure`. ERROR_GONE: this errno says that the process has ended. */
struct error *proc_error(int failure, pid_t pid, const char *path);

/* Read the status of a thread; if `pid` is 0, that of the tool itself.
 * False: the status cannot be read, and errno says why (ESRCH: the thread
 * has ended). */
bool proc_status(pid_t pid, pid_t tid, struct proc_status *out);
/* Parse the text of a status file. */
void proc_parse_status(FILE *file, struct proc_status *out);

/* Is the thread under a seccomp filter (not strict mode) that the tool is not
 * under? A filter that the tool is under, too, came with the container. */
bool proc_is_filtered(const struct proc_status *thread,
		      const struct proc_status *tool);

/*
 * Make the path of a file of /proc that describes the memory of a process. The
 * path names a thread that still has the memory, because the first thread may
 * have ended before the others.
 */
void proc_path(pid_t pid, const char *name, char *buffer, size_t size);

/* Write the number and the name of a process: "4711 (name)". Returns
 * `buffer`. */
const char *proc_label(pid_t pid, char *buffer, size_t size);

/* Is the process in a cgroup that is frozen, or that is to be? The path of this
 * cgroup in its hierarchy goes to `cgroup`. False also if the tool does not see
 * the hierarchy. */
bool proc_is_frozen(pid_t pid, char *cgroup, size_t size);

/* The process to which a thread belongs, according to /proc; 0: the thread does
 * not exist. */
pid_t proc_tgid(pid_t tid);

#endif
