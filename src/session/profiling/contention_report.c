/*
 * contention_report.c - `print contention`: the waits for locks with the names
 * of locks, threads and functions
 */
#include "perftool/session/contended_locks.h"

#include <stdlib.h>

#include "lock_waits.h"
#include "perftool/base/alloc.h"
#include "perftool/report/contention_table.h"
#include "recorded_profiles.h"

bool session_watched_locks(const struct session *session)
{
	return session->recorded->locks.was_on;
}

static struct contention_site site_of(const struct lock_waits *waits,
				      uint32_t number)
{
	const struct lock_site *site;

	if (!number)
		return (struct contention_site){0};
	site = &waits->sites.data[number - 1];
	return (struct contention_site){.function = site->function,
					.module = site->module,
					.file = site->file,
					.line = site->line};
}

static void renew_thread(struct lock_waits *waits, int32_t tid)
{
	if (tid > 0)
		lock_renew_thread(waits, tid);
}

/* Renews the names of the threads of all locks. A thread may have waited for
 * several locks, and have held some: its name must stay while the report has
 * it. */
static void renew_threads(struct lock_waits *waits)
{
	for (size_t i = 0; i < waits->contention.locks.count; i++) {
		const struct contended_lock *lock =
			&waits->contention.locks.data[i];

		for (size_t j = 0; j < lock->waiters.count; j++)
			renew_thread(waits, lock->waiters.data[j].tid);
		for (size_t j = 0; j < lock->holders.count; j++)
			renew_thread(waits, lock->holders.data[j].tid);
	}
}

static struct contention_thread thread_of(const struct lock_waits *waits,
					  int32_t tid)
{
	return (struct contention_thread){
		.tid = tid,
		.name = tid > 0 ? lock_thread_name(waits, tid) : NULL};
}

static void add_lock(struct lock_waits *waits,
		     const struct contended_lock *lock,
		     struct contention_lock *out)
{
	const size_t waiters = lock->waiters.count,
		     holders = lock->holders.count;
	struct contention_site *sites =
		xcalloc(waiters + holders + 1, sizeof(*sites));
	struct contention_thread *threads =
		xcalloc(waiters + holders + 1, sizeof(*threads));

	for (size_t i = 0; i < waiters; i++) {
		sites[i] = site_of(waits, lock->waiters.data[i].site);
		threads[i] = thread_of(waits, lock->waiters.data[i].tid);
	}
	for (size_t i = 0; i < holders; i++) {
		sites[waiters + i] =
			site_of(waits, lock->holders.data[i].function);
		threads[waiters + i] =
			thread_of(waits, lock->holders.data[i].tid);
	}
	*out = (struct contention_lock){
		.lock = lock,
		.name = lock_name_of(waits, lock->pid, lock->address),
		.waiter_sites = sites,
		.holder_sites = sites + waiters,
		.waiter_threads = threads,
		.holder_threads = threads + waiters};
}

struct error *session_print_contention(struct session *session,
				       enum report_format format,
				       const struct report_options *options,
				       struct str *out)
{
	struct lock_waits *waits = &session->recorded->locks;
	struct contention_report report = {0};
	struct contention_lock *locks;
	struct lock_order order = {0};

	if (!waits->was_on)
		return error_create(ERROR_USAGE,
				    "no waits for locks were recorded; `set "
				    "contention on' records them from then on");
	session->recorded->contention_seen = true;
	probe_catch_up(session->probe);
	contention_sort(&waits->contention, &order);
	renew_threads(waits);
	locks = xcalloc(order.count + 1, sizeof(*locks));
	for (size_t i = 0; i < order.count; i++) {
		add_lock(waits, &waits->contention.locks.data[order.data[i]],
			 &locks[i]);
		report.shows_pid |= locks[i].lock->pid != locks[0].lock->pid;
	}
	report.locks = locks;
	report.count = order.count;
	report.open = waits->contention.open.count;
	report.elapsed = lock_waits_elapsed(waits);
	REPORT_AS(contention, &report, format, options, out);
	for (size_t i = 0; i < order.count; i++) {
		free((void *)locks[i].waiter_sites);
		free((void *)locks[i].waiter_threads);
	}
	free(locks);
	vec_free(&order);
	return NULL;
}
