/*
 * activation_owner.c - finds the owner that holds activations (open executions)
 * of a leg, and discards the activations with their owner
 *
 * A thread holds its activations in an array, whose index is the number of the
 * leg. A leg that is its own owner holds its activations itself. A leg with
 * keys has a table for each process, because the same pointer or number means
 * different things in two processes. A frame that is not on its thread's own
 * stack is held in such a table, too, under its CFA, because the frame may
 * continue in another thread.
 *
 * The number of a deleted leg is given to no other leg before the command
 * `initialize tables` removes all legs. This command resets the threads and
 * their arrays, too.
 */
#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "threads.h"

struct activation **thread_add_list(struct thread *thread, uint32_t leg)
{
	while (thread->open.count <= leg)
		vec_push(&thread->open, NULL);
	return &thread->open.data[leg];
}

/* Can the value be a key? NaN equals nothing, so an activation with this key
 * would stay open. */
static bool is_key(struct value key)
{
	return key.kind != VALUE_FLOAT || !isnan(key.f);
}

static bool find_keyed(struct leg *leg, int32_t of, bool create,
		       struct holding *holding)
{
	uint64_t pid = (uint32_t)of;
	struct key_table *table;
	unsigned class;

	if (!is_key(holding->key) ||
	    !value_key(holding->key, &class, &holding->number))
		return false;
	holding->top = &holding->keyed;
	table = map_get(&leg->processes, pid);
	if (!table) {
		holding->keyed = NULL;
		if (!create)
			return true;
		table = xcalloc(1, sizeof(*table));
		map_set(&leg->processes, pid, table);
	}
	holding->map = &table->by_value[class];
	holding->keyed = map_get(holding->map, holding->number);
	return true;
}

bool holding_find_keyed(struct leg *leg, const struct hit *hit, bool create,
			struct holding *holding)
{
	uint32_t index =
		create ? leg->public.spec.key_from : leg->public.spec.key_to;

	if (index >= hit->key_count)
		return false;
	holding->key = hit->keys[index];
	return find_keyed(leg, hit->pid, create, holding);
}

void holding_find_frame(struct leg *leg, const struct hit *hit, bool create,
			struct holding *holding)
{
	holding->key = value_unsigned(hit->frame);
	find_keyed(leg, hit->pid, create, holding);
}

void holding_store_keyed(const struct holding *holding)
{
	if (holding->keyed)
		map_set(holding->map, holding->number, holding->keyed);
	else
		map_remove(holding->map, holding->number);
}

static void discard_list(struct measure *measure, struct activation *top)
{
	while (top) {
		struct activation *below = top->below;

		top->leg->public.discarded++;
		activation_release(measure, top);
		top = below;
	}
}

/* Discards the whole list that starts at `*link`. */
static void discard_at(struct measure *measure, struct activation **link)
{
	discard_list(measure, *link);
	*link = NULL;
}

static void discard_map(struct measure *measure, struct map *map)
{
	struct activation *top;
	size_t cursor = 0;

	while ((top = map_next(map, &cursor, NULL)))
		discard_list(measure, top);
	map_deinit(map);
}

/* Discards the activations of one leg that the thread has by its own count. */
static void discard_counted(struct measure *measure, struct thread *thread,
			    uint32_t id)
{
	struct leg *leg =
		id < thread->counted_open.count ? leg_of_id(measure, id) : NULL;
	uint64_t open;

	if (!leg)
		return;
	open = (uint64_t)thread->counted_open.data[id];
	leg->public.discarded += open;
	leg->public.open -= open;
	thread->counted_open.data[id] = 0;
}

/* Discards the activations that the thread holds in its own array, or has by
 * its own count. */
static void discard_open(struct measure *measure, struct thread *thread)
{
	for (size_t i = 0; i < thread->open.count; i++)
		discard_at(measure, &thread->open.data[i]);
	for (uint32_t i = 0; i < thread->counted_open.count; i++)
		discard_counted(measure, thread, i);
}

static void discard_keys(struct measure *measure, struct key_table *table)
{
	if (!table)
		return;
	for (int i = 0; i < VALUE_CLASSES; i++)
		discard_map(measure, &table->by_value[i]);
	free(table);
}

/* Discards the activations that the leg itself and its keys and frames hold. */
static void discard_held_by_leg(struct measure *measure, struct leg *leg)
{
	struct key_table *table;
	size_t cursor = 0;

	discard_at(measure, &leg->own);
	while ((table = map_next(&leg->processes, &cursor, NULL)))
		discard_keys(measure, table);
	map_deinit(&leg->processes);
}

void discard_thread(struct measure *measure, struct thread *thread)
{
	discard_open(measure, thread);
	if (!measure->legs_owning)
		return;
	for (size_t i = 0; i < measure->legs.count; i++) {
		struct leg *leg = measure->legs.data[i];

		if (leg->own && leg->own->thread == thread->serial)
			discard_at(measure, &leg->own);
	}
}

void discard_process_keys(struct measure *measure, int32_t pid)
{
	for (size_t i = 0; i < measure->legs.count; i++)
		discard_keys(measure,
			     map_remove(&measure->legs.data[i]->processes,
					(uint32_t)pid));
}

void discard_leg(struct measure *measure, struct leg *leg)
{
	struct thread *thread;
	size_t cursor = 0;

	discard_held_by_leg(measure, leg);
	if (leg->public.spec.owner != OWNER_THREAD &&
	    leg->public.spec.owner != OWNER_GOROUTINE)
		return;
	while ((thread = map_next(&measure->threads, &cursor, NULL))) {
		if (leg->public.id < thread->open.count)
			discard_at(measure, &thread->open.data[leg->public.id]);
		discard_counted(measure, thread, leg->public.id);
	}
}

void forget_last_hits(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL))) {
		thread->has_last = false;
		vec_clear(&thread->begun);
	}
}

void discard_all(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		discard_open(measure, thread);
	forget_last_hits(measure);
	for (size_t i = 0; i < measure->legs.count; i++)
		discard_held_by_leg(measure, measure->legs.data[i]);
}
