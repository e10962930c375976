/*
 * inherited.h - what the tool was started with and changes for itself
 *
 * A program that the tool starts gets all of it back: it is to run as it would
 * without the tool.
 */
#ifndef PERFTOOL_BASE_INHERITED_H
#define PERFTOOL_BASE_INHERITED_H

#include <stdbool.h>
#include <sys/resource.h>

struct inherited {
	struct rlimit files;       /* RLIMIT_NOFILE */
	bool is_limit_changed;     /* that limit is another one now */
	bool is_counter_forbidden; /* prctl(PR_SET_TSC) */
};

/*
 * Note what there is, and change it: as many files may be open as the hard
 * limit allows, for each process and each thread that is measured needs some;
 * and the counter may be read, for without it the C library cannot tell the
 * time.
 */
void inherited_change(struct inherited *inherited);

/* In a child that is to execute a program. Safe after fork. */
void inherited_restore(const struct inherited *inherited);

#endif
