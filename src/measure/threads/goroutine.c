/*
 * goroutine.c - goroutines, which a Go program executes on any of its threads
 *
 * A goroutine is represented by a struct thread of its own: it holds
 * activations, and has an account of what its hits cost. If a thread was held
 * for another reason than a hit of the goroutine, that time is not in the
 * account, because the tool does not know which goroutine the thread was
 * executing.
 *
 * A program makes millions of goroutines, and nothing tells the tool when one
 * ends. A search for idle goroutines forgets those that hold nothing open and
 * have made no hit since the search before. The next search is due when there
 * are twice as many goroutines as the last search left.
 *
 * Rule: doc/RULES.md, "Matching from with to".
 */
#include <stdlib.h>

#include "threads.h"

#define FIRST_LIMIT 4096

/* A frame of a goroutine is identified by this number less the frame's depth.
 * So a deeper frame has a lower number, as stack pointers do. */
#define STACK_TOP (UINT64_C(1) << 62)
/* The number that stands for the stack of a goroutine, on which all its frames
 * are. */
#define ITS_STACK 1

struct hit goroutine_hit(const struct hit *hit)
{
	struct hit inner = *hit;

	inner.frame = hit->frame ? STACK_TOP - hit->depth : 0;
	inner.stack = ITS_STACK;
	inner.sp = 0;
	return inner;
}

static struct map *goroutines_of(struct measure *measure, int32_t pid)
{
	struct map *of = map_get(&measure->goroutines, (uint32_t)pid);

	if (!of) {
		of = xcalloc(1, sizeof(*of));
		map_set(&measure->goroutines, (uint32_t)pid, of);
	}
	return of;
}

static bool holds_something(const struct thread *goroutine)
{
	for (size_t i = 0; i < goroutine->open.count; i++)
		if (goroutine->open.data[i])
			return true;
	return false;
}

/* A goroutine that a thread executes, as far as the tool knows, is not idle. */
static void keep_running(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		if (thread->runs)
			thread->runs->is_recent = true;
}

static void forget_idle(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;
	uint64_t serial;

	keep_running(measure);
	while ((thread = map_next(&measure->threads, &cursor, &serial))) {
		if (!thread->goroutine)
			continue;
		if (!thread->is_recent && !holds_something(thread)) {
			map_remove(&measure->threads, serial);
			thread_destroy(measure, thread);
			continue;
		}
		thread->is_recent = false;
	}
	measure->goroutine_limit = 2 * measure->goroutine_count;
	if (measure->goroutine_limit < FIRST_LIMIT)
		measure->goroutine_limit = FIRST_LIMIT;
}

static struct thread *create_goroutine(struct measure *measure,
				       const struct hit *hit)
{
	struct thread *goroutine;

	if (measure->goroutine_count >= measure->goroutine_limit)
		forget_idle(measure);
	goroutine = xcalloc(1, sizeof(*goroutine));
	goroutine->serial = UINT64_C(1) << 32 | ++measure->last_goroutine;
	goroutine->pid = hit->pid;
	goroutine->process = enter_process(measure, hit->pid);
	goroutine->goroutine = hit->goroutine;
	measure->goroutine_count++;
	map_set(&measure->threads, goroutine->serial, goroutine);
	map_set(goroutines_of(measure, hit->pid), hit->goroutine, goroutine);
	return goroutine;
}

static struct thread *find_goroutine(struct measure *measure,
				     const struct hit *hit)
{
	struct thread *recent = measure->goroutine;

	if (recent && recent->goroutine == hit->goroutine &&
	    recent->pid == hit->pid)
		return recent;
	return map_get(goroutines_of(measure, hit->pid), hit->goroutine);
}

struct thread *enter_goroutine(struct measure *measure, struct thread *thread,
			       const struct hit *hit)
{
	struct thread *goroutine = find_goroutine(measure, hit);

	if (!goroutine)
		goroutine = create_goroutine(measure, hit);
	goroutine->is_recent = true;
	goroutine->held += thread->stalled;
	measure->goroutine = goroutine;
	thread->runs = goroutine;
	return goroutine;
}

void forget_goroutine(struct measure *measure, const struct thread *goroutine)
{
	struct map *of =
		map_get(&measure->goroutines, (uint32_t)goroutine->pid);

	if (of)
		map_remove(of, goroutine->goroutine);
	if (measure->goroutine == goroutine)
		measure->goroutine = NULL;
	measure->goroutine_count--;
}

void forget_goroutines_of(struct measure *measure, int32_t pid)
{
	struct map *of = map_remove(&measure->goroutines, (uint32_t)pid);

	if (of)
		map_deinit(of);
	free(of);
}

void clear_goroutines(struct measure *measure)
{
	struct map *of;
	size_t cursor = 0;

	while ((of = map_next(&measure->goroutines, &cursor, NULL))) {
		map_deinit(of);
		free(of);
	}
	map_deinit(&measure->goroutines);
}
