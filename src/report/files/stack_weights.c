/* stack_weights.c - see stack_weights.h */
#include "stack_weights.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "profile_names.h"

/* Return for each thread the index of its name. The caller frees the array. */
static uint32_t *number_names(struct stack_weights *weights,
			      const struct call_stacks *stacks,
			      void (*write)(const char *name, struct str *out))
{
	uint32_t *numbers =
		xcalloc(stacks->threads.count + 1, sizeof(*numbers));
	struct strmap known = {0};

	for (size_t i = 0; i < stacks->threads.count; i++) {
		char *name = thread_name(&stacks->threads.data[i], write);
		uintptr_t number = (uintptr_t)strmap_get(&known, name);

		if (number) {
			free(name);
		} else {
			vec_push(&weights->names, name);
			number = weights->names.count;
			strmap_set(&known, name, (void *)number);
		}
		numbers[i] = (uint32_t)number - 1;
	}
	strmap_deinit(&known);
	return numbers;
}

static bool has_same_procedures(const struct call_stacks *stacks,
				const struct call_stack *a,
				const struct call_stack *b)
{
	if (a->depth != b->depth || a->is_broken != b->is_broken)
		return false;
	for (size_t i = 0; i < a->depth; i++) {
		if (call_stack_procedure(stacks, a, i) !=
		    call_stack_procedure(stacks, b, i))
			return false;
	}
	return true;
}

/* Return for each stack the first that has the same procedures. The caller
 * frees the array. */
static uint32_t *find_first_stacks(const struct call_stacks *stacks)
{
	uint32_t *firsts = xcalloc(stacks->stacks.count + 1, sizeof(*firsts));
	struct map known = {0};

	for (uint32_t i = 0; i < stacks->stacks.count; i++) {
		const struct call_stack *stack = &stacks->stacks.data[i];
		uint64_t hash = hash_byte(HASH_START, stack->is_broken);
		uint64_t number;

		for (size_t frame = 0; frame < stack->depth; frame++) {
			uint32_t procedure =
				call_stack_procedure(stacks, stack, frame);

			hash = hash_bytes(hash, &procedure, sizeof(procedure));
		}
		/* other stacks of the same hash have the next keys */
		while ((number = map_get_number(&known, hash)) &&
		       !has_same_procedures(stacks, stack,
					    &stacks->stacks.data[number - 1]))
			hash++;
		if (!number)
			map_set_number(&known, hash, (uint64_t)i + 1);
		firsts[i] = number ? (uint32_t)number - 1 : i;
	}
	map_deinit(&known);
	return firsts;
}

void stack_weights_init(struct stack_weights *weights,
			const struct call_stacks *stacks,
			void (*write)(const char *name, struct str *out))
{
	uint32_t *numbers = number_names(weights, stacks, write);
	uint32_t *firsts = find_first_stacks(stacks);
	struct map known = {0};

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];
		uint32_t name = numbers[sample->thread];
		uint32_t stack = firsts[sample->stack];
		uint64_t key = (uint64_t)name << 32 | stack;
		uint64_t number = map_get_number(&known, key);

		if (!sample->weight)
			continue;
		weights->total += sample->weight;
		if (number) {
			weights->list.data[number - 1].weight += sample->weight;
			continue;
		}
		vec_push(&weights->list,
			 (struct stack_weight){.stack = stack,
					       .name = name,
					       .weight = sample->weight});
		map_set_number(&known, key, weights->list.count);
	}
	map_deinit(&known);
	free(numbers);
	free(firsts);
}

void stack_weights_deinit(struct stack_weights *weights)
{
	for (size_t i = 0; i < weights->names.count; i++)
		free(weights->names.data[i]);
	vec_free(&weights->names);
	vec_free(&weights->list);
	*weights = (struct stack_weights){0};
}
