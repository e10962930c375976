/*
 * contention_table.h - waits for locks as text, JSON and CSV: what `print
 * contention` prints
 */
#ifndef PERFTOOL_REPORT_CONTENTION_TABLE_H
#define PERFTOOL_REPORT_CONTENTION_TABLE_H

#include "perftool/profile/contention.h"
#include "perftool/report.h"

/* A place from which a function of locks was called. Texts are NULL where they
 * are not known. */
struct contention_site {
	const char *function, *module, *file;
	uint32_t line;
};

/* A thread that has waited, or that has held a lock meanwhile. */
struct contention_thread {
	int32_t tid;
	const char *name; /* the kernel's name of the thread, or NULL */
};

struct contention_lock {
	const struct contended_lock *lock;
	const char *name; /* of the variable, MODULE+OFFSET, `heap', ... */
	/* of each waiter and holder of the lock, in their order */
	const struct contention_site *waiter_sites, *holder_sites;
	const struct contention_thread *waiter_threads, *holder_threads;
};

struct contention_report {
	const struct contention_lock *locks;
	size_t count;
	size_t open; /* waits that are not over, which are in no figure */
	/* for how long waits were recorded, ns */
	int64_t elapsed;
	/* several processes have waited */
	bool shows_pid;
};

/* Append a table of the locks, one of the threads that have waited, and one of
 * those that held the locks meanwhile. Of the options, `color`, `columns`,
 * `top` and what they need are used. */
void report_contention_text(const struct contention_report *report,
			    const struct report_options *options,
			    struct str *out);
/* Append one JSON object, or a row of CSV for each waiter and each holder.
 * doc/FORMATS.md has the fields. */
void report_contention_json(const struct contention_report *report,
			    struct str *out);
void report_contention_csv(const struct contention_report *report,
			   struct str *out);

#endif
