/*
 * callers.c - the names of the functions that have made calls
 *
 * `$caller` asks for the same few return addresses at every hit. So the space
 * remembers what it has found for each of them, until its modules change.
 */
#include "callers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "module.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/probe_state.h"

struct caller {
	char *name;
	uint64_t function;
};

/* Addresses of programs have 47 bits, so that there is room for the number of a
 * frame. */
#define FRAME_SHIFT 48

#define MOST_CALLERS 65536

/* The name that the debug information or the symbols have, or NULL. */
static char *known_name(struct debugfile *file, uint64_t address,
			unsigned frame)
{
	struct source_frame_list frames = {0};
	char *name = NULL;

	debugfile_source_frames(file, address, frame, &frames);
	if (frames.count) {
		const struct source_frame *first = &frames.data[0];
		const char *known =
			first->function ? first->function : first->name;

		name = known ? xstrdup(known) : NULL;
	}
	source_frames_clear(&frames);
	return name;
}

static struct caller *describe(struct space *space, uint64_t address,
			       unsigned frame)
{
	struct caller *caller = xcalloc(1, sizeof(*caller));
	/* A return address may be the first address of the next function. */
	uint64_t pc = frame ? address : address - 1;
	const struct module *module = space_module_at(space, pc);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct function function;

	caller->function = address;
	if (!file) {
		caller->name = xasprintf("0x%" PRIx64, address);
		return caller;
	}
	if (!frame && debugfile_is_signal_frame(file, address - module->bias)) {
		caller->name = xstrdup("<signal handler called>");
		return caller;
	}
	caller->function = pc;
	if (debugfile_function_at(file, pc - module->bias, &function))
		caller->function = function.address + module->bias;
	caller->name = known_name(file, pc - module->bias, frame);
	if (!caller->name)
		caller->name = xasprintf("%s+0x%" PRIx64, module->name,
					 caller->function - module->bias);
	return caller;
}

void space_find_caller(struct space *space, uint64_t address, unsigned frame,
		       struct expr_caller *out)
{
	uint64_t key = address | (uint64_t)frame << FRAME_SHIFT;
	struct caller *caller = map_get(&space->callers.by_address, key);

	if (!caller) {
		/* Code that is made at run time has ever new addresses. */
		if (space->callers.by_address.count == MOST_CALLERS)
			callers_forget(&space->callers);
		caller = describe(space, address, frame);
		map_set(&space->callers.by_address, key, caller);
	}
	*out = (struct expr_caller){caller->name, caller->function};
}

void callers_forget(struct caller_table *table)
{
	struct caller *caller;
	size_t cursor = 0;

	while ((caller = map_next(&table->by_address, &cursor, NULL))) {
		free(caller->name);
		free(caller);
	}
	map_deinit(&table->by_address);
}
