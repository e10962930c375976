/*
 * index.c - see index.h
 *
 * Where .debug_info is compressed it can only be read in order, and its bytes
 * are not kept: the thread that asks inflates unit after unit, the others scan
 * what they get; it scans too when they do not keep up. Where it is not, each
 * takes the next unit. That comes first; its roots tell which units are split
 * off, and which of the shared file are imported: those are opened, and scanned
 * in rounds. In the end what all have found is put in order.
 */
#include "index.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

#include "packed.h"
#include "perftool/base/alloc.h"
#include "split.h"

#define MAX_THREADS 8
/* Bytes of units that wait to be scanned. */
#define MAX_WAITING (2 * 1024 * 1024)
/* Imports of imports: more than dwz makes of them. */
#define MAX_ROUNDS 64

/* A unit to be scanned; its bytes are in `buffer`, if they were inflated. */
struct job {
	struct unit unit;
	uint8_t *buffer;
	size_t capacity;
	struct job *next;
};

struct work {
	struct debugfile *file;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct job *first, *last; /* in order */
	struct job *idle;         /* with buffers to use again */
	size_t waiting;           /* bytes */
	bool done;                /* nothing more is coming */
	struct unit **units;      /* or those that lie before us, ... */
	size_t unit_count;
	size_t next; /* ... and the one to be taken next */
};

struct worker {
	struct work *work;
	struct scan *scan;
	pthread_t thread;
};

static size_t count_processors(void)
{
	cpu_set_t set;
	size_t count;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	count = (size_t)CPU_COUNT(&set);
	return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
}

/* ---- units that are inflated -----------------------------------------------
 */

static size_t job_size(const struct job *job)
{
	return job->unit.end - job->unit.offset;
}

static struct job *pop(struct work *work)
{
	struct job *job = work->first;

	if (job) {
		work->first = job->next;
		work->waiting -= job_size(job);
	}
	return job;
}

static void push(struct work *work, struct job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&work->lock);
	if (work->first)
		work->last->next = job;
	else
		work->first = job;
	work->last = job;
	work->waiting += job_size(job);
	pthread_cond_signal(&work->more);
	pthread_mutex_unlock(&work->lock);
}

static void recycle(struct work *work, struct job *job)
{
	pthread_mutex_lock(&work->lock);
	job->next = work->idle;
	work->idle = job;
	pthread_mutex_unlock(&work->lock);
}

static struct job *unused_job(struct work *work)
{
	struct job *job;

	pthread_mutex_lock(&work->lock);
	job = work->idle;
	if (job)
		work->idle = job->next;
	pthread_mutex_unlock(&work->lock);
	return job ? job : xcalloc(1, sizeof(*job));
}

static void *scan_jobs(void *worker_)
{
	struct worker *worker = worker_;
	struct work *work = worker->work;

	for (;;) {
		struct job *job;

		pthread_mutex_lock(&work->lock);
		while (!work->first && !work->done)
			pthread_cond_wait(&work->more, &work->lock);
		job = pop(work);
		pthread_mutex_unlock(&work->lock);
		if (!job)
			return NULL;
		scan_unit(worker->scan, &job->unit);
		recycle(work, job);
	}
}

/* Have room for `size` bytes; false: there is not that much memory. */
static bool reserve(struct job *job, size_t size)
{
	uint8_t *larger;

	if (size <= job->capacity)
		return true;
	size += size / 2;
	larger = realloc(job->buffer, size);
	if (!larger)
		return false;
	job->buffer = larger;
	job->capacity = size;
	return true;
}

/* Inflate the next unit, which is at `offset`. */
static bool inflate_next(struct source *source, uint64_t offset,
			 struct job *job)
{
	struct unit_head head;

	if (!packed_unit_head(source, &head) || !reserve(job, head.size) ||
	    !packed_unit_rest(source, &head, job->buffer) ||
	    !unit_read_header(source, (struct bytes){job->buffer, head.size},
			      head.size, offset, false, &job->unit))
		return false;
	job->unit.data = job->buffer;
	return true;
}

static bool is_full(struct work *work)
{
	bool full;

	pthread_mutex_lock(&work->lock);
	full = work->waiting > MAX_WAITING;
	pthread_mutex_unlock(&work->lock);
	return full;
}

/* Inflate all units, and hand them out; without helpers scan them here. */
static void inflate_all(struct work *work, struct scan *scan, bool helped)
{
	struct source *source = work->file->dwarf->main;
	uint64_t offset = source->base;

	packed_seek(source->packed, 0);
	while (packed_place(source->packed) < packed_size(source->packed)) {
		struct job *job = unused_job(work);

		if (!inflate_next(source, offset, job)) {
			recycle(work, job);
			break;
		}
		offset = job->unit.end;
		if (helped && !is_full(work)) {
			push(work, job);
			continue;
		}
		scan_unit(scan, &job->unit);
		recycle(work, job);
	}
}

/* ---- units that lie before us ----------------------------------------------
 */

static void *scan_units(void *worker_)
{
	struct worker *worker = worker_;
	struct work *work = worker->work;

	for (;;) {
		size_t i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED);
		struct unit unit;

		if (i >= work->unit_count)
			return NULL;
		/* others may look at it meanwhile */
		unit = *work->units[i];
		unit.data = source_unit_bytes(&unit);
		scan_unit(worker->scan, &unit);
	}
}

/* ---- threads ---------------------------------------------------------------
 */

/* Start those that help; returns how many there are. What signals are for is
 * not for them. */
static size_t start(struct worker *workers, size_t count,
		    void *(*run)(void *worker))
{
	size_t started = 0;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started < count && pthread_create(&workers[started].thread, NULL,
						 run, &workers[started]) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static void free_jobs(struct work *work)
{
	while (work->idle) {
		struct job *job = work->idle;

		work->idle = job->next;
		free(job->buffer);
		free(job);
	}
}

/* Scan these units, or, if there are none, all that are inflated; the last of
 * the scans is the asking thread's. */
static void scan_all(struct debugfile *file, struct index *index,
		     struct unit **units, size_t count)
{
	struct work work = {.file = file, .units = units, .unit_count = count};
	bool packed = !units;
	size_t helpers = index->scan_count - 1, wanted = helpers, started;
	struct worker *workers = xcalloc(index->scan_count, sizeof(*workers));

	pthread_mutex_init(&work.lock, NULL);
	pthread_cond_init(&work.more, NULL);
	for (size_t i = 0; i < index->scan_count; i++)
		workers[i] = (struct worker){.work = &work,
					     .scan = &index->scans[i]};
	if (!packed && wanted >= count)
		wanted = count ? count - 1 : 0;
	started = start(workers, wanted, packed ? scan_jobs : scan_units);
	if (packed) {
		inflate_all(&work, &index->scans[helpers], started > 0);
		pthread_mutex_lock(&work.lock);
		work.done = true;
		pthread_cond_broadcast(&work.more);
		pthread_mutex_unlock(&work.lock);
		scan_jobs(&workers[helpers]);
	} else {
		scan_units(&workers[helpers]);
	}
	for (size_t i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	free_jobs(&work);
	pthread_cond_destroy(&work.more);
	pthread_mutex_destroy(&work.lock);
	free(workers);
}

/* ---- what they have found --------------------------------------------------
 */

static int compare_units(const void *a_, const void *b_)
{
	const struct unit *a = a_, *b = b_;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* What the root says need not be read again. */
static void adopt_root(struct unit *unit, const struct unit *read)
{
	if (unit->root_state == ROOT_UNREAD && !unit->data)
		*unit = *read;
}

/* Have the units that were inflated, in order, of which some may be known. */
static void collect_units(struct source *source, const struct index *index)
{
	VEC(struct unit) units = {0};

	for (size_t i = 0; i < index->scan_count; i++)
		for (size_t j = 0; j < index->scans[i].units.count; j++)
			vec_push(&units, index->scans[i].units.data[j]);
	if (units.count)
		qsort(units.data, units.count, sizeof(*units.data),
		      compare_units);
	for (size_t i = 0; i < units.count; i++) {
		if (i < source->units.count)
			adopt_root(source->units.data[i], &units.data[i]);
		else
			source_add_unit(source, &units.data[i]);
	}
	vec_free(&units);
}

static void adopt_roots(struct debugfile *file, struct index *index)
{
	for (size_t i = 0; i < index->scan_count; i++) {
		struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->units.count; j++)
			adopt_root(unit_with_header(file,
						    scan->units.data[j].offset),
				   &scan->units.data[j]);
		vec_free(&scan->units);
	}
}

/* Names that are in other units, where each of those may have to be read. */
static void read_far_names(struct debugfile *file, struct scan *scan)
{
	struct map numbers = {0};

	for (size_t i = 0; i < scan->left_over.count; i++) {
		struct unit *unit =
			unit_with_header(file, scan->left_over.data[i]);

		scan_again(scan, unit);
	}
	vec_free(&scan->left_over);
	for (size_t i = 0; i < scan->far_calls.count; i++) {
		const struct scan_far_call *call = &scan->far_calls.data[i];
		void *known = map_get(&numbers, call->origin);

		if (!known) {
			known = (void *)((uintptr_t)scan_far_name(
						 scan, call->origin) +
					 1);
			map_set(&numbers, call->origin, known);
		}
		if ((uintptr_t)known > 1)
			vec_push(&scan->calls,
				 (struct scan_call){
					 call->address,
					 (uint32_t)((uintptr_t)known - 2)});
	}
	vec_free(&scan->far_calls);
	map_deinit(&numbers);
}

/* ---- rounds ----------------------------------------------------------------
 */

VEC_STRUCT(unit_list, struct unit *);

static void set_budgets(struct dwarf *dwarf, uint64_t times)
{
	struct index *index = dwarf->index;

	index->shared.abbrev_budget = times * dwarf->abbrev_budget;
	for (size_t i = 0; i < index->scan_count; i++)
		index->scans[i].range_budget = dwarf->range_budget;
}

static struct index *begin(struct debugfile *file)
{
	struct dwarf *dwarf = file->dwarf;
	struct index *index = xcalloc(1, sizeof(*index));

	dwarf->index = index;
	scan_shared_init(&index->shared, file, dwarf->main->packed != NULL);
	index->scan_count = count_processors();
	index->scans = xcalloc(index->scan_count, sizeof(*index->scans));
	for (size_t i = 0; i < index->scan_count; i++)
		scan_init(&index->scans[i], &index->shared);
	set_budgets(dwarf, 4);
	return index;
}

void index_read_packed(struct debugfile *file)
{
	struct index *index = begin(file);

	scan_all(file, index, NULL, 0);
	collect_units(file->dwarf->main, index);
	for (size_t i = 0; i < index->scan_count; i++) {
		vec_free(&index->scans[i].units);
		scan_finish(&index->scans[i]);
	}
	/* these lie before us all the same */
	index->shared.copy_strings = false;
}

static void scan_list(struct debugfile *file, struct unit_list *units)
{
	struct index *index = file->dwarf->index;

	if (units->count) {
		scan_all(file, index, units->data, units->count);
		adopt_roots(file, index);
	}
	units->count = 0;
}

/* Those of the program's own file that have not been inflated. */
static void scan_main(struct debugfile *file, struct unit_list *units)
{
	struct source *source = file->dwarf->main;

	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = source->units.data[i];

		if (!source->packed || unit->offset >= source->info_size)
			vec_push(units, unit);
	}
	scan_list(file, units);
}

/* The units that skeletons stand for, and the type units with them. */
static void scan_split(struct debugfile *file, struct unit_list *units)
{
	struct source *source = file->dwarf->main;
	struct map sources = {0};

	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = unit_whole(file, source->units.data[i]);
		struct source *other = unit->source;

		if (other == source)
			continue;
		vec_push(units, unit);
		if (map_get(&sources, other->base))
			continue;
		map_set(&sources, other->base, other);
		source_read_all(other);
		for (size_t j = 0; j < other->units.count; j++)
			if (other->units.data[j]->type == DW_UT_type)
				vec_push(units, other->units.data[j]);
	}
	map_deinit(&sources);
	if (units->count)
		set_budgets(file->dwarf, 4);
	scan_list(file, units);
}

/* Have `units` those of the shared file that were imported, and not `seen`. */
static bool collect_imported(struct debugfile *file, struct map *seen,
			     struct unit_list *units)
{
	struct index *index = file->dwarf->index;

	for (size_t i = 0; i < index->scan_count; i++) {
		struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->imports.count; j++) {
			struct unit *unit =
				unit_with_header(file, scan->imports.data[j]);

			if (!unit || map_get(seen, unit->offset))
				continue;
			map_set(seen, unit->offset, unit);
			vec_push(units, unit);
		}
		scan->imports.count = 0;
	}
	return units->count > 0;
}

static void scan_rest(struct debugfile *file, struct unit_list *units)
{
	struct dwarf *dwarf = file->dwarf;
	struct index *index = dwarf->index;
	struct map seen = {0};
	int rounds = 0;

	scan_main(file, units);
	if (file_may_be_split(file))
		scan_split(file, units);
	if (file_shared_source(file))
		set_budgets(dwarf, 4);
	do {
		while (collect_imported(file, &seen, units) &&
		       rounds++ < MAX_ROUNDS)
			scan_list(file, units);
		units->count = 0;
		/* what one does alone has a budget of its own */
		if (!rounds++)
			set_budgets(dwarf, 64);
		for (size_t i = 0; i < index->scan_count; i++)
			read_far_names(file, &index->scans[i]);
	} while (rounds < MAX_ROUNDS && collect_imported(file, &seen, units));
	map_deinit(&seen);
}

static void finish(struct debugfile *file)
{
	struct index *index =
		file->dwarf->index ? file->dwarf->index : begin(file);
	struct unit_list units = {0};

	index->complete = true;
	scan_rest(file, &units);
	vec_free(&units);
	for (size_t i = 0; i < index->scan_count; i++)
		scan_finish(&index->scans[i]);
}

const struct index *file_index(struct debugfile *file)
{
	struct dwarf *dwarf = file_dwarf(file);

	source_complete(dwarf->main);
	if (!dwarf->index || !dwarf->index->complete)
		finish(file);
	return dwarf->index;
}

void index_destroy(struct index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < index->scan_count; i++)
		scan_deinit(&index->scans[i]);
	free(index->scans);
	pthread_mutex_destroy(&index->shared.lock);
	free(index);
}
