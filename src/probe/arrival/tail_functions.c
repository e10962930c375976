/*
 * tail_functions.c - the table of the functions whose frames are followed, in
 * the memory of one space: see tail_function.h
 */
#include "tail_function.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "tails.h"

void tail_function_destroy(struct tail_function *function)
{
	vec_free(&function->watchers);
	vec_free(&function->untaken);
	free(function);
}

void tails_forget(struct space *space)
{
	struct tail_function *at;
	size_t cursor = 0;

	while ((at = map_next(&space->tails.functions, &cursor, NULL)))
		tail_function_destroy(at);
	map_deinit(&space->tails.functions);
	space->tails.functions = (struct map){0};
	tail_jumps_forget(space);
	vec_free(&space->tails.bindings);
	space->tails.watched = 0;
}

void tails_drop_module(struct space *space, const struct module *module)
{
	struct tail_function *at;
	size_t cursor = 0;

	while ((at = map_next(&space->tails.functions, &cursor, NULL))) {
		if (at->entry < module->low || at->entry >= module->high)
			continue;
		map_remove(&space->tails.functions, at->entry);
		tail_function_destroy(at);
	}
	tail_jumps_drop_module(space, module);
}

void tails_copy(const struct space *from, struct space *to)
{
	const struct tail_function *at;
	size_t cursor = 0;

	while ((at = map_next(&from->tails.functions, &cursor, NULL))) {
		struct tail_function *copy = xmalloc(sizeof(*copy));

		*copy = *at;
		copy->watchers.data = NULL;
		copy->watchers.count = copy->watchers.capacity = 0;
		for (size_t i = 0; i < at->watchers.count; i++)
			vec_push(&copy->watchers, at->watchers.data[i]);
		copy->untaken.data = NULL;
		copy->untaken.count = copy->untaken.capacity = 0;
		for (size_t i = 0; i < at->untaken.count; i++)
			vec_push(&copy->untaken, at->untaken.data[i]);
		map_set(&to->tails.functions, copy->entry, copy);
	}
	to->tails.watched = from->tails.watched;
	tail_jumps_copy(from, to);
}

struct tail_function *tail_function_enter(struct space *space,
					  const struct module *module,
					  const struct function *function)
{
	uint64_t entry = function->address + module->bias;
	struct tail_function *at = map_get(&space->tails.functions, entry);

	if (at)
		return at;
	at = xcalloc(1, sizeof(*at));
	at->function = *function;
	at->entry = entry;
	map_set(&space->tails.functions, entry, at);
	return at;
}

struct tail_function *tail_function_at(const struct space *space,
				       const struct attachment *attachment)
{
	const struct module *module = attachment->module;

	return module ? map_get(&space->tails.functions,
				attachment->function.address + module->bias)
		      : NULL;
}
