/*
 * host.h - the machine that measurements are made on, and the time of day
 */
#ifndef PERFTOOL_BASE_HOST_H
#define PERFTOOL_BASE_HOST_H

#include <time.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* Each is NULL where it cannot be had. */
struct host {
	char *name;   /* uname(2), nodename */
	char *kernel; /* uname(2), release */
	char *cpu;    /* the first "model name" of /proc/cpuinfo */
};

void host_read(struct host *out);
void host_deinit(struct host *host);

/* The oldest kernel that has all that perftool asks of it: 5.3 brought
 * PTRACE_GET_SYSCALL_INFO, by which a thread that was stopped in a system call
 * is told from one that was not (ptrace(2)). */
#define HOST_KERNEL_MAJOR 5
#define HOST_KERNEL_MINOR 3

/* An error that names both releases if `release`, as uname(2) writes it, is an
 * older one. A text that is no release is none, either. */
struct error *host_check_kernel(const char *release);
/* The same of the kernel that runs. */
struct error *host_check(void);

/* The value of the first line "model name : VALUE" of such a file; NULL: there
 * is none. The caller frees it. */
char *host_cpu_model(const char *path);

/* The time of day now. */
struct timespec host_time(void);

/* "2026-03-01T09:05:07.123+01:00": ISO 8601 in the local time zone, rounded
 * down to milliseconds. */
void host_time_text(struct timespec time, struct str *out);

#endif
