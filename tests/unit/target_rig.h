/*
 * target_rig.h - processes for the tests of the target layer
 *
 * A subject is a child of the test that runs a function and shares a page with
 * it. It is not traced until the test attaches to it.
 */
#ifndef TARGET_RIG_H
#define TARGET_RIG_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../programs/target_subject.h"
#include "perftool/target.h"

/* The descriptor of the page that subject and test share. */
#define RIG_PAGE 100

struct rig {
	struct clock clock;
	struct target *target;
	struct shared *shared;
	pid_t pid;
	unsigned long mark, marks[8];
};

typedef void subject_fn(struct shared *shared);

static inline double rig_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Wait for another process to bring something about; false: it did not. */
static inline bool rig_until(bool (*is_so)(struct rig *), struct rig *rig)
{
	const struct timespec pause = {.tv_nsec = 200000};
	double end = rig_now() + 20;

	while (!is_so(rig)) {
		if (rig_now() > end)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static inline bool rig_is_ready(struct rig *rig)
{
	return atomic_load(&rig->shared->ready) != 0;
}

static inline bool rig_has_counted(struct rig *rig)
{
	return atomic_load(&rig->shared->counters[0]) > rig->mark;
}

/* Does the subject go on? */
static inline bool rig_counts(struct rig *rig)
{
	rig->mark = atomic_load(&rig->shared->counters[0]) + 100;
	return rig_until(rig_has_counted, rig);
}

static inline void rig_start(struct rig *rig, subject_fn *subject)
{
	int fd;

	memset(rig, 0, sizeof(*rig));
	clock_init(&rig->clock);
	clock_settle(&rig->clock);
	rig->target = target_create(&rig->clock);
	fd = memfd_create("shared", 0);
	if (fd < 0 || ftruncate(fd, sizeof(struct shared)) ||
	    dup2(fd, RIG_PAGE) < 0)
		abort();
	close(fd);
	rig->shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED, RIG_PAGE, 0);
	rig->pid = fork();
	if (rig->pid < 0)
		abort(); /* or kill() would mean every process */
	if (rig->pid == 0) {
		/* not to be left behind by a failed test */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		subject(rig->shared);
		_exit(0);
	}
}

/* The end of a subject as its parent sees it. */
static inline int rig_reap(struct rig *rig)
{
	int status = -1;

	while (waitpid(rig->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static inline void rig_end(struct rig *rig)
{
	int status;

	if (rig->target)
		target_destroy(rig->target);
	kill(rig->pid, SIGKILL);
	while (waitpid(-1, &status, __WALL) > 0 || errno == EINTR)
		;
	munmap(rig->shared, sizeof(struct shared));
}

#define assert_ok(call)                                                        \
	do {                                                                   \
		struct error *error_ = (call);                                 \
		if (error_)                                                    \
			print_message("# %s\n", error_message(error_));        \
		assert_null(error_);                                           \
	} while (0)

#endif
