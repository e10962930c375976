/*
 * inherited.h - settings that the tool has inherited from its parent and
 * changes for itself
 *
 * A program that the tool starts gets the inherited settings back, because it
 * must run as it would run without the tool.
 */
#ifndef PERFTOOL_BASE_INHERITED_H
#define PERFTOOL_BASE_INHERITED_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

struct inherited {
	struct rlimit files;       /* RLIMIT_NOFILE */
	bool is_limit_changed;     /* the tool has changed this limit */
	bool is_counter_forbidden; /* prctl(PR_SET_TSC) */
	sigset_t mask;             /* of the calling thread */
};

/*
 * Note the inherited settings, and change them. The tool raises its limit of
 * open files to the hard limit, because each process and each thread that is
 * measured needs some files. It allows itself to read the processor's
 * time-stamp counter, because otherwise the C library cannot tell the time. The
 * caller may change its signal mask afterwards.
 */
void inherited_change(struct inherited *inherited);

/* Restore the inherited settings in a child that is about to execute a program.
 * Safe after fork. */
void inherited_restore(const struct inherited *inherited);

#endif
