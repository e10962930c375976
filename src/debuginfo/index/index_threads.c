/*
 * index_threads.c - scans units with as many threads as there are processors
 *
 * A compressed .debug_info can be inflated only from its beginning to its end,
 * and the inflated bytes are not kept. The calling thread inflates one unit
 * after the other and makes each a job, which another thread scans. If too many
 * jobs wait, the calling thread scans a unit itself. If .debug_info is not
 * compressed, each thread takes the next unit of the list.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/elf/elf.h"
#include "index.h"
#include "perftool/base/alloc.h"

#define MAX_THREADS 8
/*
 * The most units that wait to be scanned, and the most bytes that these units
 * may have together. The numbers are only as large as needed to keep all
 * threads busy. With larger numbers, more memory must be allocated, and the
 * bytes of a unit are no longer in a processor's cache when the unit is
 * scanned.
 */
#define MAX_JOBS 24
#define MAX_WAITING (4 * 1024 * 1024)

/* A unit to be scanned. Its inflated bytes are in `buffer`, which has room for
 * `capacity` bytes. */
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
	struct job *first, *last; /* jobs that wait, the oldest first */
	/* finished jobs, whose memory is used for new jobs */
	struct job *idle;
	size_t jobs, waiting; /* number of waiting jobs, and their bytes */
	bool done;            /* no more jobs will come */
	/* the list of units to scan, if they are in memory; there are no jobs
	 * then */
	struct unit **units;
	size_t unit_count;
	size_t next; /* index in `units` of the unit that a thread takes next */
};

struct worker {
	struct work *work;
	struct scan *scan;
	pthread_t thread;
};

size_t index_processors(void)
{
	cpu_set_t set;
	size_t count;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	count = (size_t)CPU_COUNT(&set);
	return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
}

/* ---- units that are inflated --------------------------------------------- */

static size_t job_size(const struct job *job)
{
	return job->unit.end - job->unit.offset;
}

static struct job *pop(struct work *work)
{
	struct job *job = work->first;

	if (job) {
		work->first = job->next;
		work->jobs--;
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
	work->jobs++;
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

/* Make the job's buffer at least `size` bytes large. False: there is not enough
 * memory. */
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

/* Inflate the next unit, which is at `offset`, to the job's buffer, and read
 * its header. False: the unit cannot be inflated, or its header cannot be
 * read. */
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
	full = work->jobs == MAX_JOBS || work->waiting > MAX_WAITING;
	pthread_mutex_unlock(&work->lock);
	return full;
}

/* Inflate all units and hand them to the other threads. If there are no other
 * threads (`helped` is false), or if enough jobs wait, the calling thread scans
 * the unit with `scan`. */
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

/* ---- units that are in memory -------------------------------------------- */

static void *scan_units(void *worker_)
{
	struct worker *worker = worker_;
	struct work *work = worker->work;

	for (;;) {
		size_t i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED);
		struct unit unit;

		if (i >= work->unit_count)
			return NULL;
		/* Other threads may read the unit at the same time, so this
		 * thread scans a copy, which scan_unit() may change. */
		unit = *work->units[i];
		unit.data = source_unit_bytes(&unit);
		scan_unit(worker->scan, &unit);
	}
}

/* ---- threads ------------------------------------------------------------- */

/* Start up to `count` helper threads. The result is the number of threads that
 * were started. They block all signals, because the tool handles signals in the
 * calling thread. */
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

void index_scan(struct debugfile *file, struct index *index,
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
