/*
 * known_exits.c - the exits of functions, which are found once
 *
 * To find the exits of thousands of functions takes most of the time in which a
 * program stands still for a profile of calls: all their code is decoded. They
 * are needed twice, where a frame ends and where tail jumps are watched. So
 * they are kept until all breakpoints have their places. They can be found
 * before the program stands still, because they depend on the file alone.
 */
#include <stdlib.h>

#include "exits.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/probe_state.h"

struct known_exits {
	const struct debugfile *file;
	uint64_t address, size; /* of the function */
	struct spot_list spots;
	bool is_foreign;
};

/* Other functions of other files may have the same key. */
static uint64_t key_of(const struct debugfile *file, uint64_t address)
{
	return address ^ (uint64_t)(uintptr_t)file << 16;
}

static void forget(struct known_exits *known)
{
	if (!known)
		return;
	vec_free(&known->spots);
	free(known);
}

static bool is_of(const struct known_exits *known, const struct debugfile *file,
		  const struct function *function)
{
	return known && known->file == file &&
	       known->address == function->address &&
	       known->size == function->size;
}

/* The exits of a function, which are found if they are not known. */
static struct error *find(struct probe *probe, struct debugfile *file,
			  const struct function *function,
			  const struct known_exits **out)
{
	uint64_t key = key_of(file, function->address);
	struct known_exits *known = map_get(&probe->known_exits, key);
	struct error *error;

	*out = known;
	if (is_of(known, file, function))
		return NULL;
	forget(map_remove(&probe->known_exits, key));
	known = xcalloc(1, sizeof(*known));
	known->file = file;
	known->address = function->address;
	known->size = function->size;
	error = find_exits(file, function, &known->spots);
	if (error) {
		forget(known);
		return error;
	}
	known->is_foreign = exits_are_foreign(&known->spots);
	if (known->is_foreign)
		vec_clear(&known->spots);
	map_set(&probe->known_exits, key, known);
	*out = known;
	return NULL;
}

struct error *known_exits_find(struct probe *probe, struct debugfile *file,
			       const struct function *function,
			       struct spot_list *out)
{
	const struct known_exits *known;

	TRY(find(probe, file, function, &known));
	for (size_t i = 0; i < known->spots.count; i++) {
		vec_push(out, known->spots.data[i]);
		/* The function may have several names. */
		out->data[out->count - 1].function = *function;
	}
	return NULL;
}

bool known_exits_are_foreign(struct probe *probe, struct debugfile *file,
			     const struct function *function)
{
	const struct known_exits *known;
	struct error *error = find(probe, file, function, &known);

	error_destroy(error);
	return !error && known->is_foreign;
}

struct error *probe_prepare_exits(struct probe *probe,
				  const struct named_function_list *functions)
{
	for (size_t i = 0; i < functions->count; i++) {
		const struct named_function *at = &functions->data[i];
		struct debugfile *file = module_file(at->module);
		const struct known_exits *known;

		if (!file)
			continue;
		/* Who inserts the breakpoints reports the error. */
		error_destroy(find(probe, file, &at->function, &known));
		TRY(interrupt_check(&probe->client.interrupt));
	}
	return NULL;
}

void known_exits_forget(struct probe *probe)
{
	struct known_exits *known;
	size_t cursor = 0;

	while ((known = map_next(&probe->known_exits, &cursor, NULL)))
		forget(known);
	map_deinit(&probe->known_exits);
}
