/*
 * process_status.h - what /proc tells about a process
 */
#ifndef PERFTOOL_TARGET_PROCESS_STATUS_H
#define PERFTOOL_TARGET_PROCESS_STATUS_H

#include "perftool/target.h"

/*
 * Lines of /proc/PID/status (proc(5)). A member is 0 if the kernel does not
 * show the line. This depends on the version and the configuration of the
 * kernel.
 */
struct proc_status {
	char name[64]; /* escaped as /proc escapes it */
	char state;
	pid_t pid; /* the process of the thread */
	pid_t parent, tracer;
	uid_t uid[3]; /* real, effective, saved */
	gid_t gid[3];
	unsigned threads;
	/* Sets of signals. Bit 0 is signal 1. */
	uint64_t pending, shared_pending, blocked, ignored, caught;
	uint64_t permitted, effective, bounding; /* capabilities, by number */
	unsigned no_new_privs;
	unsigned seccomp; /* SECCOMP_MODE_... of linux/seccomp.h */
	unsigned filters; /* number of filters; 0 before Linux 5.9 */
	/* The kernel shows the processor features that the thread uses.
	 * `shadow_stack` is one of them. */
	bool tells_features;
	bool shadow_stack;
	pid_t inner;    /* the pid in its innermost pid namespace */
	unsigned depth; /* depth of that namespace; 1: the namespace of /proc */
};

/* Does the process execute a 32-bit program? */
bool target_is_32_bit(pid_t pid);

/* Read a soft limit of a process. `name` is the name in /proc/PID/limits ("Max
 * file size"). UINT64_MAX: unlimited. (The tool does not use prlimit(2),
 * because prlimit(2) needs CAP_SYS_RESOURCE for a process of another user.) */
struct error *target_read_limit(pid_t pid, const char *name, uint64_t *soft);

/* Read the status of a process, whether or not the tool is attached to it.
 * False: the process does not exist. */
bool target_read_status(pid_t pid, struct proc_status *out);

/* List the children of a process, and in turn their children, as far as /proc
 * lists them. /proc does not list a process whose parent has ended. The caller
 * frees the list. */
VEC_STRUCT(pid_list, pid_t);
void target_find_children(pid_t pid, struct pid_list *out);

/* Does the process exist, and is it neither a zombie nor about to end? */
bool target_is_alive(pid_t pid);

/* The state letter and the name of a thread from /proc, to be shown to the
 * user; '?' and "?" if /proc does not tell. */
void target_thread_info(const struct thread *thread, char *state,
			char name[static 17]);
/* Where does a thread, which need not be stopped, wait in the kernel? Returns
 * false if it does not wait, or if the kernel does not say. */
bool target_waiting_pc(const struct thread *thread, uint64_t *pc);

#endif
