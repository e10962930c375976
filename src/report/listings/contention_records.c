/*
 * contention_records.c - waits for locks as JSON and CSV: see
 * perftool/report/contention_table.h
 */
#include <inttypes.h>
#include <math.h>

#include "contention_words.h"
#include "perftool/base/alloc.h"
#include "report/records/records.h"

static void add_mean(struct record *out, const char *name, int64_t total,
		     uint64_t count)
{
	if (count)
		add_integer(out, name, llrint((double)total / (double)count));
	else
		add_null(out, name);
}

static void record_lock(const struct contention_lock *of, struct record *out)
{
	const struct contended_lock *lock = of->lock;
	CLEANUP(free_pointer)
	char *address = xasprintf("0x%" PRIx64, lock->address);

	add_text(out, "lock", of->name);
	add_text(out, "address", address);
	add_text(out, "kind", contention_object(lock->kind));
	add_integer(out, "pid", lock->pid);
	add_integer(out, "waits", (__int128)lock->waits);
	add_integer(out, "total_ns", lock->total);
	add_mean(out, "mean_ns", lock->total, lock->waits);
	add_integer(out, "max_ns", lock->max);
}

static void record_who(const struct contention_thread *thread,
		       const struct contention_site *site, struct record *out)
{
	if (thread->tid > 0)
		add_integer(out, "tid", thread->tid);
	else
		add_null(out, "tid");
	add_text(out, "thread",
		 thread->tid == HELD_BY_READERS ? "readers" : thread->name);
	add_text(out, "function", site->function);
	add_text(out, "module", site->module);
	add_text(out, "file", site->file);
	if (site->line)
		add_integer(out, "line", site->line);
	else
		add_null(out, "line");
}

static void record_waiter(const struct contention_lock *of, size_t index,
			  struct record *out)
{
	const struct lock_waiter *at = &of->lock->waiters.data[index];

	record_who(&of->waiter_threads[index], &of->waiter_sites[index], out);
	add_text(out, "for", contention_purpose(at->kind));
	add_integer(out, "waits", (__int128)at->waits);
	add_integer(out, "total_ns", at->total);
	add_mean(out, "mean_ns", at->total, at->waits);
	add_integer(out, "max_ns", at->max);
}

static void record_hold(const struct lock_holder *at, struct record *out)
{
	add_integer(out, "holds", (__int128)at->holds);
	add_integer(out, "blocked_ns", at->blocked);
	add_integer(out, "known_holds", (__int128)at->known);
	if (at->known) {
		add_integer(out, "held_ns", at->held);
		add_mean(out, "mean_held_ns", at->held, at->known);
		add_integer(out, "max_held_ns", at->max_held);
	} else {
		add_null(out, "held_ns");
		add_null(out, "mean_held_ns");
		add_null(out, "max_held_ns");
	}
}

static void record_no_hold(struct record *out)
{
	static const char *const names[] = {"holds",        "blocked_ns",
					    "known_holds",  "held_ns",
					    "mean_held_ns", "max_held_ns"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		add_null(out, names[i]);
}

static void record_holder(const struct contention_lock *of, size_t index,
			  struct record *out)
{
	const struct lock_holder *at = &of->lock->holders.data[index];

	record_who(&of->holder_threads[index], &of->holder_sites[index], out);
	add_integer(out, "waits", (__int128)at->waits);
	record_hold(at, out);
}

/* ---- JSON ---------------------------------------------------------------- */

static struct json_object *lock_object(const struct contention_lock *of)
{
	struct json_object *waiters = json_object_new_array();
	struct json_object *holders = json_object_new_array();
	struct json_object *object;
	struct record record = {0};

	for (size_t i = 0; i < of->lock->waiters.count; i++) {
		record_waiter(of, i, &record);
		json_object_array_add(waiters, json_record(&record));
	}
	for (size_t i = 0; i < of->lock->holders.count; i++) {
		record_holder(of, i, &record);
		json_object_array_add(holders, json_record(&record));
	}
	record_lock(of, &record);
	object = json_record(&record);
	json_object_object_add(object, "waiters", waiters);
	json_object_object_add(object, "holders", holders);
	return object;
}

void report_contention_json(const struct contention_report *report,
			    struct str *out)
{
	struct json_object *object = json_object_new_object();
	struct json_object *locks = json_object_new_array();

	json_object_object_add(object, "schema", json_object_new_int(1));
	json_object_object_add(object, "elapsed_ns",
			       json_object_new_int64(report->elapsed));
	json_object_object_add(object, "open",
			       json_object_new_int64((int64_t)report->open));
	for (size_t i = 0; i < report->count; i++)
		json_object_array_add(locks, lock_object(&report->locks[i]));
	json_object_object_add(object, "locks", locks);
	json_write(object, out);
}

/* ---- CSV ----------------------------------------------------------------- */

/* A row says which lock it is about, and whether the thread has waited for it
 * or held it. */
static void begin_row(const struct contention_lock *of, const char *role,
		      struct record *out)
{
	CLEANUP(free_pointer)
	char *address = xasprintf("0x%" PRIx64, of->lock->address);

	add_text(out, "lock", of->name);
	add_text(out, "address", address);
	add_text(out, "kind", contention_object(of->lock->kind));
	add_integer(out, "pid", of->lock->pid);
	add_text(out, "role", role);
}

static void waiter_row(const struct contention_lock *of, size_t index,
		       struct record *out)
{
	begin_row(of, "waiter", out);
	record_waiter(of, index, out);
	record_no_hold(out);
}

static void holder_row(const struct contention_lock *of, size_t index,
		       struct record *out)
{
	const struct lock_holder *at = &of->lock->holders.data[index];

	begin_row(of, "holder", out);
	record_who(&of->holder_threads[index], &of->holder_sites[index], out);
	add_null(out, "for");
	add_integer(out, "waits", (__int128)at->waits);
	add_null(out, "total_ns");
	add_null(out, "mean_ns");
	add_null(out, "max_ns");
	record_hold(at, out);
}

static void put_names(struct str *out)
{
	static const struct contention_site site = {0};
	static const struct contention_thread thread = {0};
	struct contended_lock lock = {0};
	const struct contention_lock of = {.lock = &lock,
					   .name = "",
					   .waiter_sites = &site,
					   .waiter_threads = &thread};
	struct record record = {0};

	vec_push(&lock.waiters, (struct lock_waiter){0});
	waiter_row(&of, 0, &record);
	csv_names(&record, out);
	record_deinit(&record);
	vec_free(&lock.waiters);
}

void report_contention_csv(const struct contention_report *report,
			   struct str *out)
{
	struct record record = {0};

	put_names(out);
	for (size_t i = 0; i < report->count; i++) {
		const struct contention_lock *of = &report->locks[i];

		for (size_t j = 0; j < of->lock->waiters.count; j++) {
			waiter_row(of, j, &record);
			csv_values(&record, out);
		}
		for (size_t j = 0; j < of->lock->holders.count; j++) {
			holder_row(of, j, &record);
			csv_values(&record, out);
		}
	}
}
