/* stack_weights.c - see stack_weights.h */
#include "stack_weights.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
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

void stack_weights_init(struct stack_weights *weights,
			const struct call_stacks *stacks,
			void (*write)(const char *name, struct str *out))
{
	uint32_t *numbers = number_names(weights, stacks, write);
	struct map known = {0};

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];
		uint32_t name = numbers[sample->thread];
		uint64_t key = (uint64_t)name << 32 | sample->stack;
		uint64_t number = map_get_number(&known, key);

		if (!sample->weight)
			continue;
		weights->total += sample->weight;
		if (number) {
			weights->list.data[number - 1].weight += sample->weight;
			continue;
		}
		vec_push(&weights->list,
			 (struct stack_weight){.stack = sample->stack,
					       .name = name,
					       .weight = sample->weight});
		map_set_number(&known, key, weights->list.count);
	}
	map_deinit(&known);
	free(numbers);
}

void stack_weights_deinit(struct stack_weights *weights)
{
	for (size_t i = 0; i < weights->names.count; i++)
		free(weights->names.data[i]);
	vec_free(&weights->names);
	vec_free(&weights->list);
	*weights = (struct stack_weights){0};
}
