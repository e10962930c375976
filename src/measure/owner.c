/*
 * owner.c - who holds a leg's activations, and what is discarded with whom
 *
 * A thread holds its activations in a map by leg; a leg that is its own owner
 * has a map of one entry; a leg of keys has a table for each process, because
 * the same pointer or number in two processes is not the same thing.
 */
#include <math.h>
#include <stdlib.h>

#include "internal.h"
#include "perftool/base/alloc.h"

struct activation *activation_create(struct measure *measure, struct leg *leg)
{
	struct activation *activation = measure->spare;

	if (activation)
		measure->spare = activation->below;
	else
		activation = xmalloc(sizeof(*activation));
	*activation = (struct activation){.leg = leg};
	leg->public.open++;
	return activation;
}

void activation_release(struct measure *measure, struct activation *activation)
{
	activation->leg->public.open--;
	resumption_release(activation->resumption);
	activation->below = measure->spare;
	measure->spare = activation;
}

/* Not a number equals nothing: it would stay open. */
static bool is_key(struct value key)
{
	return key.kind != VALUE_FLOAT || !isnan(key.f);
}

static bool find_keyed(struct leg *leg, const struct hit *hit, bool create,
		       struct holding *holding, struct value *key)
{
	uint32_t index =
		create ? leg->public.spec.key_from : leg->public.spec.key_to;
	uint64_t pid = (uint32_t)hit->pid;
	struct key_table *table;
	unsigned class;

	if (index >= hit->key_count)
		return false;
	*key = hit->keys[index];
	if (!is_key(*key) || !value_key(*key, &class, &holding->key))
		return false;
	table = map_get(&leg->processes, pid);
	if (!table) {
		holding->map = NULL;
		holding->top = NULL;
		if (!create)
			return true;
		table = xcalloc(1, sizeof(*table));
		map_set(&leg->processes, pid, table);
	}
	holding->map = &table->by_value[class];
	holding->top = map_get(holding->map, holding->key);
	return true;
}

bool holding_find(struct leg *leg, struct thread *thread, const struct hit *hit,
		  bool create, struct holding *holding, struct value *key)
{
	*key = (struct value){.kind = VALUE_NONE};
	switch (leg->public.spec.owner) {
	case OWNER_KEY:
		return find_keyed(leg, hit, create, holding, key);
	case OWNER_LEG:
		holding->map = &leg->own;
		holding->key = 0;
		break;
	case OWNER_THREAD:
		holding->map = &thread->open;
		holding->key = leg->public.id;
		break;
	}
	holding->top = map_get(holding->map, holding->key);
	return true;
}

void holding_store(const struct holding *holding)
{
	if (holding->top)
		map_set(holding->map, holding->key, holding->top);
	else if (holding->map)
		map_remove(holding->map, holding->key);
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

static void discard_map(struct measure *measure, struct map *map)
{
	struct activation *top;
	size_t cursor = 0;

	while ((top = map_next(map, &cursor, NULL)))
		discard_list(measure, top);
	map_deinit(map);
}

static void discard_keys(struct measure *measure, struct key_table *table)
{
	if (!table)
		return;
	for (int i = 0; i < VALUE_CLASSES; i++)
		discard_map(measure, &table->by_value[i]);
	free(table);
}

/* What the leg itself and its keys hold. */
static void discard_held_by_leg(struct measure *measure, struct leg *leg)
{
	struct key_table *table;
	size_t cursor = 0;

	discard_map(measure, &leg->own);
	while ((table = map_next(&leg->processes, &cursor, NULL)))
		discard_keys(measure, table);
	map_deinit(&leg->processes);
}

void discard_thread(struct measure *measure, struct thread *thread)
{
	discard_map(measure, &thread->open);
	if (!measure->legs_owning)
		return;
	for (size_t i = 0; i < measure->legs.count; i++) {
		struct leg *leg = measure->legs.data[i];
		const struct activation *top = map_get(&leg->own, 0);

		if (top && top->thread == thread->serial)
			discard_map(measure, &leg->own);
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
	if (leg->public.spec.owner != OWNER_THREAD)
		return;
	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		discard_list(measure,
			     map_remove(&thread->open, leg->public.id));
}

void discard_all(struct measure *measure)
{
	struct thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL))) {
		discard_map(measure, &thread->open);
		thread->has_last = false;
		vec_clear(&thread->begun);
	}
	for (size_t i = 0; i < measure->legs.count; i++)
		discard_held_by_leg(measure, measure->legs.data[i]);
}
