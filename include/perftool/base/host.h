/*
 * host.h - the machine on which the tool measures, and the time of day
 */
#ifndef PERFTOOL_BASE_HOST_H
#define PERFTOOL_BASE_HOST_H

#include <stdint.h>
#include <time.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* What is known of the machine. A member is NULL if its value could not be
 * read. */
struct host {
	char *name;   /* uname(2), nodename */
	char *kernel; /* uname(2), release */
	char *cpu;    /* the first "model name" of /proc/cpuinfo */
};

/* Read what is known of this machine. host_deinit() frees the members. */
void host_read(struct host *out);
void host_deinit(struct host *host);

/* The oldest kernel that has everything that perftool needs. Linux 5.3 brought
 * PTRACE_GET_SYSCALL_INFO, which tells whether a thread was stopped in a system
 * call (ptrace(2)). */
#define HOST_KERNEL_MAJOR 5
#define HOST_KERNEL_MINOR 3

/* Fails if `release`, the release of a kernel as uname(2) writes it, is older
 * than HOST_KERNEL_MAJOR.HOST_KERNEL_MINOR; the error names both releases.
 * Fails also if the text is no release. */
struct error *host_check_kernel(const char *release);
/* The same check for the kernel that the tool runs on. */
struct error *host_check(void);

/* The value of the first line "model name : VALUE" of a file such as
 * /proc/cpuinfo, or NULL if there is no such line. The caller frees it. */
char *host_cpu_model(const char *path);

/* The present time of day. */
struct timespec host_time(void);
/* The same in ms since 1970. */
int64_t host_time_ms(void);

/* Append a time such as "2026-03-01T09:05:07.123+01:00" (ISO 8601) in the local
 * time zone, rounded down to milliseconds. */
void host_time_text(struct timespec time, struct str *out);

#endif
