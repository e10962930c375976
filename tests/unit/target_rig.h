/*
 * target_rig.h - processes for the tests of the target layer
 *
 * A subject is a child of the test that runs a function and shares a page with
 * it. It is not traced until the test attaches to it. Included after cmocka's
 * header.
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
#include "perftool/target/target_events.h"

#define assert_ok(call)                                                        \
	do {                                                                   \
		struct error *error_ = (call);                                 \
		if (error_)                                                    \
			print_message("# %s\n", error_message(error_));        \
		assert_null(error_);                                           \
	} while (0)

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

/* The time limit of a wait. While more threads want to run than there are
 * processors, the elapsed time is divided by their ratio before it is
 * subtracted from what is left, as in tests/programs/within.c. */
struct rig_patience {
	double left, before; /* in seconds; the last look at the clock */
};

static inline struct rig_patience rig_patience(double seconds)
{
	return (struct rig_patience){seconds, rig_now()};
}

static inline bool rig_patience_ends(struct rig_patience *patience)
{
	double now = rig_now(), slowed = 1;
	unsigned running;
	FILE *file;

	if (now - patience->before < 0.1)
		return patience->left < 0;
	file = fopen("/proc/loadavg", "re");
	if (file && fscanf(file, "%*f %*f %*f %u/", &running) == 1)
		slowed = (running - 1.) / (double)sysconf(_SC_NPROCESSORS_ONLN);
	if (file)
		fclose(file);
	if (slowed < 1)
		slowed = 1;
	patience->left -= (now - patience->before) / slowed;
	patience->before = now;
	return patience->left < 0;
}

/* Wait for another process to bring something about; false: it did not. */
static inline bool rig_until(bool (*is_so)(struct rig *), struct rig *rig)
{
	const struct timespec pause = {.tv_nsec = 200000};
	struct rig_patience patience = rig_patience(20);

	while (!is_so(rig)) {
		if (rig_patience_ends(&patience))
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
	struct clock_inputs inputs = clock_inputs(false);
	int fd;

	memset(rig, 0, sizeof(*rig));
	clock_init(&rig->clock, &inputs);
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

/* Is no process traced? */
static inline bool rig_has_none(const struct rig *rig)
{
	size_t cursor = 0;

	return !target_next_process(rig->target, &cursor);
}

/* Start a subject, and stop it once it is ready. */
static inline struct process *rig_attach(struct rig *rig, subject_fn *subject,
					 bool (*is_ready)(struct rig *))
{
	struct process *process;

	rig_start(rig, subject);
	assert_true(rig_until(is_ready, rig));
	assert_ok(target_attach(rig->target, rig->pid, &process));
	return process;
}

/* Go on until all have stopped again; whatever else comes goes its way. */
static inline void rig_settle(struct rig *rig)
{
	struct event event;

	for (;;) {
		assert_ok(target_wait(rig->target, &event));
		if (event.kind == EVENT_ALL_STOPPED)
			return;
		assert_int_not_equal(event.kind, EVENT_EMPTY);
		if (event.kind == EVENT_SIGNAL || event.kind == EVENT_TRAP)
			assert_ok(target_deliver(event.thread, event.signal,
						 NULL));
		if (event.kind == EVENT_THREAD_NEW ||
		    event.kind == EVENT_FORK) {
			assert_ok(target_resume(event.thread));
			assert_ok(target_resume(event.parent));
		}
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

/* Reap all children. An earlier test that has failed has left its subject,
 * which may stand still for ever. */
static inline void rig_reap_all(void)
{
	const struct timespec pause = {.tv_nsec = 200000};
	struct rig_patience patience = rig_patience(20);
	pid_t pid;

	while ((pid = waitpid(-1, NULL, __WALL | WNOHANG)) >= 0 ||
	       errno == EINTR) {
		if (pid > 0)
			continue;
		if (rig_patience_ends(&patience))
			return;
		nanosleep(&pause, NULL);
	}
}

static inline void rig_end(struct rig *rig)
{
	if (rig->target)
		target_destroy(rig->target);
	kill(rig->pid, SIGKILL);
	rig_reap_all();
	munmap(rig->shared, sizeof(struct shared));
}

/* ---- what /proc says ------------------------------------------------------
 */

/* The letter of its state. */
static inline char process_state(pid_t pid)
{
	char path[64], line[256], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "State: %c", &state) == 1)
			break;
	if (file)
		fclose(file);
	return state;
}

/* How many of its threads nobody traces. */
static inline unsigned long count_untraced(pid_t pid)
{
	char command[128];
	unsigned long count = 0;
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "cat /proc/%d/task/*/status | grep -c '^TracerPid:.0$'", pid);
	pipe = popen(command, "re");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%lu", &count), 1);
	pclose(pipe);
	return count;
}

/* ---- subjects -------------------------------------------------------------
 */

/* What a thread is to do that only counts. */
static inline void *rig_count(void *argument)
{
	atomic_ulong *counter = argument;

	for (;;)
		atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
	return NULL;
}

/* All are ready when each has counted: before that, a thread being born has all
 * signals blocked. */
static inline void rig_count_in_threads(struct shared *shared)
{
	pthread_t thread;

	for (int i = 1; i < 16; i++)
		pthread_create(&thread, NULL, rig_count, &shared->counters[i]);
	for (int i = 1; i < 16; i++)
		while (!atomic_load(&shared->counters[i]))
			sched_yield();
	atomic_store(&shared->ready, 1);
	rig_count(&shared->counters[0]);
}

#endif
