/* call_stacks.c - see perftool/profile/call_stacks.h */
#include "perftool/profile/call_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "perftool/base/str.h"

void call_stacks_deinit(struct call_stacks *stacks)
{
	procedures_deinit(&stacks->procedures);
	for (size_t i = 0; i < stacks->places.count; i++)
		free((char *)stacks->places.data[i].file);
	for (size_t i = 0; i < stacks->stacks.count; i++)
		free((uint32_t *)stacks->stacks.data[i].places);
	for (size_t i = 0; i < stacks->threads.count; i++) {
		free((char *)stacks->threads.data[i].name);
		free((char *)stacks->threads.data[i].priorities);
	}
	vec_free(&stacks->places);
	vec_free(&stacks->stacks);
	vec_free(&stacks->threads);
	vec_free(&stacks->samples);
	map_deinit(&stacks->place_hash);
	map_deinit(&stacks->stack_hash);
	map_deinit(&stacks->sample_hash);
}

/* Either may be NULL. */
static bool is_same_file(const char *a, const char *b)
{
	return !a || !b ? a == b : str_equal(a, b);
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

uint32_t call_stacks_place(struct call_stacks *stacks,
			   const struct call_place *place)
{
	uint64_t hash = HASH_START, number;
	struct call_place new = *place;

	hash = hash_bytes(hash, &place->procedure, sizeof(place->procedure));
	hash = hash_bytes(hash, &place->line, sizeof(place->line));
	hash = hash_bytes(hash, &place->address, sizeof(place->address));
	hash = hash_byte(hash, place->is_inlined);
	/* other places of the same hash have the next keys */
	for (; (number = map_get_number(&stacks->place_hash, hash)); hash++) {
		const struct call_place *known =
			&stacks->places.data[number - 1];

		if (known->procedure == place->procedure &&
		    known->line == place->line &&
		    known->address == place->address &&
		    known->is_inlined == place->is_inlined &&
		    is_same_file(known->file, place->file))
			return (uint32_t)number - 1;
	}
	new.file = copy(place->file);
	vec_push(&stacks->places, new);
	map_set_number(&stacks->place_hash, hash, stacks->places.count);
	return (uint32_t)stacks->places.count - 1;
}

uint32_t call_stacks_stack(struct call_stacks *stacks, const uint32_t *places,
			   size_t depth, bool is_broken)
{
	const size_t size = depth * sizeof(*places);
	uint64_t hash =
		hash_byte(hash_bytes(HASH_START, places, size), is_broken);
	struct call_stack new = {.depth = depth, .is_broken = is_broken};
	uint32_t *copied;
	uint64_t number;

	for (; (number = map_get_number(&stacks->stack_hash, hash)); hash++) {
		const struct call_stack *known =
			&stacks->stacks.data[number - 1];

		if (known->depth == depth && known->is_broken == is_broken &&
		    (!depth || memcmp(known->places, places, size) == 0))
			return (uint32_t)number - 1;
	}
	copied = xcalloc(depth + 1, sizeof(*copied));
	if (depth)
		memcpy(copied, places, size);
	new.places = copied;
	vec_push(&stacks->stacks, new);
	map_set_number(&stacks->stack_hash, hash, stacks->stacks.count);
	return (uint32_t)stacks->stacks.count - 1;
}

uint32_t call_stacks_thread(struct call_stacks *stacks,
			    const struct sampled_thread *thread)
{
	struct sampled_thread new = *thread;

	new.name = copy(thread->name);
	new.priorities = copy(thread->priorities);
	vec_push(&stacks->threads, new);
	return (uint32_t)stacks->threads.count - 1;
}

void call_stacks_add(struct call_stacks *stacks,
		     const struct call_sample *sample)
{
	uint64_t hash = HASH_START, number;

	hash = hash_bytes(hash, &sample->stack, sizeof(sample->stack));
	hash = hash_bytes(hash, &sample->thread, sizeof(sample->thread));
	hash = hash_byte(hash, (unsigned char)sample->reason);
	hash = hash_byte(hash, sample->is_delayed);
	for (; (number = map_get_number(&stacks->sample_hash, hash)); hash++) {
		struct call_sample *known = &stacks->samples.data[number - 1];

		if (known->stack == sample->stack &&
		    known->thread == sample->thread &&
		    known->reason == sample->reason &&
		    known->is_delayed == sample->is_delayed) {
			known->weight += sample->weight;
			return;
		}
	}
	vec_push(&stacks->samples, *sample);
	map_set_number(&stacks->sample_hash, hash, stacks->samples.count);
}

uint64_t call_stacks_weight(const struct call_stacks *stacks)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < stacks->samples.count; i++)
		weight += stacks->samples.data[i].weight;
	return weight;
}
