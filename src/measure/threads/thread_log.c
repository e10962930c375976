/*
 * thread_log.c - what a thread has recorded lately, and what of it lies in an
 * execution: see perftool/inside.h
 *
 * Entries have serial numbers. An activation has the number that the next entry
 * of its thread had when the activation began, so that everything from this
 * number on was recorded during the execution. A log without room drops the
 * shortest entries, but none of the latest ones: an execution with few entries
 * keeps all of them.
 */
#include <stdlib.h>

#include "perftool/inside.h"
#include "threads.h"

/* How many entries a log has room for, and how many of the latest ones are
 * never dropped. When the log is full, this many of the older ones stay. */
#define LOG_MOST 2048
#define LOG_LATEST 512
#define LOG_OLDER 512

static int longer_first(const void *a, const void *b)
{
	const struct logged *x = a, *y = b;

	if (x->duration != y->duration)
		return x->duration < y->duration ? 1 : -1;
	return x->serial < y->serial ? -1 : 1;
}

static int earlier_first(const void *a, const void *b)
{
	const struct logged *x = a, *y = b;

	return x->serial < y->serial ? -1 : 1;
}

/* Returns the number of the first entry that an activation of the thread may
 * still need. */
static uint64_t first_needed(const struct thread *thread)
{
	uint64_t first = thread->logged;

	for (size_t i = 0; i < thread->open.count; i++)
		for (const struct activation *at = thread->open.data[i]; at;
		     at = at->below)
			if (at->logged < first)
				first = at->logged;
	return first;
}

/* Drops entries: those that nothing needs, and the shortest of the older
 * ones. */
static void make_room(struct thread *thread)
{
	struct logged *entries = thread->log.data;
	size_t older = thread->log.count - LOG_LATEST, kept = 0;
	uint64_t needed = first_needed(thread);

	for (size_t i = 0; i < older; i++)
		if (entries[i].serial >= needed)
			entries[kept++] = entries[i];
	if (kept > LOG_OLDER) {
		qsort(entries, kept, sizeof(*entries), longer_first);
		kept = LOG_OLDER;
		qsort(entries, kept, sizeof(*entries), earlier_first);
	}
	for (size_t i = older; i < thread->log.count; i++)
		entries[kept++] = entries[i];
	thread->log.count = kept;
}

static void add(struct thread *thread, struct logged entry)
{
	if (thread->log.count == LOG_MOST)
		make_room(thread);
	entry.serial = thread->logged++;
	vec_push(&thread->log, entry);
}

void log_hit(struct thread *thread, const struct hit *hit)
{
	add(thread, (struct logged){.is_hit = true,
				    .id = hit->node,
				    .from = thread->now,
				    .to = thread->now.at,
				    .value = hit->value});
}

void log_execution(struct thread *thread, const struct leg *leg,
		   const struct hit *hit, const struct moment *from,
		   int64_t duration)
{
	add(thread, (struct logged){.id = leg->public.id,
				    .from = *from,
				    .to = thread->now.at,
				    .duration = duration,
				    .value = hit->value});
}

/* ---- what lies in an execution ------------------------------------------- */

/* The outer entry first, if two began at the same time. */
static int outer_first(const void *a, const void *b)
{
	const struct logged *x = a, *y = b;

	if (x->from.at != y->from.at)
		return x->from.at < y->from.at ? -1 : 1;
	if (x->to != y->to)
		return x->to > y->to ? -1 : 1;
	return x->serial > y->serial ? -1 : 1;
}

static bool is_within(const struct logged *inner, const struct logged *outer)
{
	return inner->from.at >= outer->from.at && inner->to <= outer->to;
}

/* Does the entry contain the whole execution, and more? Then it lies around the
 * execution, and not in it. */
static bool is_around(const struct logged *entry, const struct logged *own)
{
	return entry->from.at < own->from.at && entry->to >= own->to;
}

VEC_STRUCT(logged_list, struct logged);

/* Returns when the entry began, in ns of the thread's own time since the
 * execution began. What is subtracted for hits may be off, so two entries may
 * seem to have begun in another order than they did: `last` is the offset of
 * the entry before. */
static int64_t offset_of(const struct measure *measure,
			 const struct logged *own, const struct logged *entry,
			 int64_t last)
{
	int64_t offset = moment_difference(measure, &own->from, &entry->from);

	if (entry->from.at >= own->from.at && offset < 0)
		offset = 0;
	return offset > last ? offset : last;
}

/* Appends an entry. `open` has the entries before it that it may lie in, the
 * outermost first. */
static void append(const struct measure *measure, const struct logged *own,
		   const struct logged *entry, struct logged_list *open,
		   struct inside *out)
{
	size_t count = out->entries.count;
	int64_t last = count ? out->entries.data[count - 1].offset : INT64_MIN;

	while (open->count && !is_within(entry, &open->data[open->count - 1]))
		open->count--;
	vec_push(&out->entries,
		 (struct inside_entry){
			 .is_hit = entry->is_hit,
			 .id = entry->id,
			 .offset = offset_of(measure, own, entry, last),
			 .duration = entry->duration,
			 .depth = (uint32_t)open->count,
			 .value = entry->value});
	if (!entry->is_hit)
		vec_push(open, *entry);
}

/* Finds the entry of the execution itself: the last one of the leg. */
static const struct logged *find_own(const struct thread *thread, uint32_t leg)
{
	size_t i = thread->log.count;

	while (i-- > 0)
		if (!thread->log.data[i].is_hit &&
		    thread->log.data[i].id == leg)
			return &thread->log.data[i];
	return NULL;
}

void log_read(const struct measure *measure, const struct thread *thread,
	      uint32_t leg, uint64_t since, struct inside *out)
{
	const struct logged *own = find_own(thread, leg);
	struct logged_list found = {0}, open = {0};

	if (!own)
		return;
	out->dropped = thread->logged - since - 1;
	for (size_t i = 0; i < thread->log.count; i++) {
		const struct logged *entry = &thread->log.data[i];

		if (entry->serial < since || entry == own)
			continue;
		if (is_around(entry, own))
			out->dropped--;
		else
			vec_push(&found, *entry);
	}
	if (found.count > INSIDE_MOST) {
		qsort(found.data, found.count, sizeof(*found.data),
		      longer_first);
		found.count = INSIDE_MOST;
	}
	if (found.count)
		qsort(found.data, found.count, sizeof(*found.data),
		      outer_first);
	for (size_t i = 0; i < found.count; i++)
		append(measure, own, &found.data[i], &open, out);
	out->dropped -= found.count;
	vec_free(&found);
	vec_free(&open);
}
