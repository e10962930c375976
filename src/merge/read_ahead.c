/*
 * read_ahead.c - reads many files of saved tables, with as many threads as
 * there are processors
 *
 * The caller gets the files one after the other, in the order of the list. The
 * threads read a few files ahead of the caller, so that only these are in
 * memory.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "perftool/base/alloc.h"
#include "perftool/merge.h"

#define MOST_THREADS 16
/* So many files are read, or have been read and wait for the caller, for each
 * thread. */
#define AHEAD 2

struct slot {
	bool is_for_caller; /* a thread leaves the file to the caller */
	struct saved_tables *tables;
	struct error *error;
	bool is_read;
};

struct read_ahead {
	char *const *names;
	size_t count;
	const struct saved_watch *watch;
	pthread_mutex_t lock;
	pthread_cond_t is_read, has_room;
	/* The next file that a thread reads, and the next that the caller
	 * gets. File i is in slot i % window. */
	size_t next, taken, window;
	struct slot slots[MOST_THREADS * AHEAD];
	bool is_over; /* the caller wants no more */
	pthread_t threads[MOST_THREADS];
	size_t thread_count;
};

static size_t processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return CPU_COUNT(&set) > MOST_THREADS ? MOST_THREADS
					      : (size_t)CPU_COUNT(&set);
}

/* Waits until there is a file to read and a slot for it. Returns false if there
 * is nothing more to do. The caller holds the lock. */
static bool await_file(struct read_ahead *files)
{
	while (!files->is_over && files->next < files->count &&
	       files->next >= files->taken + files->window)
		pthread_cond_wait(&files->has_room, &files->lock);
	return !files->is_over && files->next < files->count;
}

/* Can the file be read at once? A thread that waits for somebody who writes a
 * pipe could not be ended. What cannot be examined cannot be read either, and
 * the error says why. */
static bool is_at_hand(const char *name)
{
	struct stat status;

	return !str_equal(name, "-") &&
	       (stat(name, &status) != 0 || S_ISREG(status.st_mode));
}

static struct slot read_slot(const struct read_ahead *files, size_t index)
{
	const char *name = files->names[index];
	struct slot read = {.is_read = true};

	if (is_at_hand(name))
		read.error = saved_read(name, files->watch, &read.tables);
	else
		read.is_for_caller = true;
	return read;
}

static void *read_files(void *argument)
{
	struct read_ahead *files = argument;

	pthread_mutex_lock(&files->lock);
	while (await_file(files)) {
		size_t index = files->next++;
		struct slot read;

		pthread_mutex_unlock(&files->lock);
		read = read_slot(files, index);
		pthread_mutex_lock(&files->lock);
		files->slots[index % files->window] = read;
		pthread_cond_signal(&files->is_read);
	}
	pthread_mutex_unlock(&files->lock);
	return NULL;
}

/* Signals are for the thread that writes. */
static void start_threads(struct read_ahead *files, size_t wanted)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (files->thread_count < wanted &&
	       pthread_create(&files->threads[files->thread_count], NULL,
			      read_files, files) == 0)
		files->thread_count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct read_ahead *read_ahead_create(char *const *names, size_t count,
				     const struct saved_watch *watch)
{
	struct read_ahead *files = xcalloc(1, sizeof(*files));
	size_t wanted = processors();

	files->names = names;
	files->count = count;
	files->watch = watch;
	if (wanted > count)
		wanted = count;
	files->window = AHEAD * (wanted ? wanted : 1);
	pthread_mutex_init(&files->lock, NULL);
	pthread_cond_init(&files->is_read, NULL);
	pthread_cond_init(&files->has_room, NULL);
	/* One thread would not be faster than the caller. */
	if (wanted > 1)
		start_threads(files, wanted);
	return files;
}

struct error *read_ahead_next(struct read_ahead *files,
			      struct saved_tables **out)
{
	size_t index = files->taken;
	struct slot read;

	if (!files->thread_count) {
		files->taken++;
		return saved_read(files->names[index], files->watch, out);
	}
	pthread_mutex_lock(&files->lock);
	while (!files->slots[index % files->window].is_read)
		pthread_cond_wait(&files->is_read, &files->lock);
	read = files->slots[index % files->window];
	files->slots[index % files->window] = (struct slot){0};
	files->taken++;
	pthread_cond_broadcast(&files->has_room);
	pthread_mutex_unlock(&files->lock);
	if (read.is_for_caller)
		return saved_read(files->names[index], files->watch, out);
	*out = read.tables;
	return read.error;
}

void read_ahead_destroy(struct read_ahead *files)
{
	pthread_mutex_lock(&files->lock);
	files->is_over = true;
	pthread_cond_broadcast(&files->has_room);
	pthread_mutex_unlock(&files->lock);
	for (size_t i = 0; i < files->thread_count; i++)
		pthread_join(files->threads[i], NULL);
	for (size_t i = 0; i < files->window; i++) {
		saved_destroy(files->slots[i].tables);
		error_destroy(files->slots[i].error);
	}
	pthread_cond_destroy(&files->has_room);
	pthread_cond_destroy(&files->is_read);
	pthread_mutex_destroy(&files->lock);
	free(files);
}
