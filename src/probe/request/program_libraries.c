/*
 * program_libraries.c - the libraries that the program will have, before it
 * runs
 *
 * No breakpoint has a place in these libraries yet. But because of them the
 * tool can distinguish a location that will have a place when the program runs
 * from a location that is in no module.
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

void forget_linked(struct probe *probe)
{
	for (size_t i = 0; i < probe->search.libraries.count; i++)
		module_unref(probe->search.libraries.data[i]);
	vec_free(&probe->search.libraries);
}

void probe_set_linked(struct probe *probe, const struct string_list *paths)
{
	forget_linked(probe);
	for (size_t i = 0; i < paths->count; i++)
		vec_push(&probe->search.libraries,
			 module_create(probe, paths->data[i],
				       xstrdup(paths->data[i])));
}

/* Does the module contain what the breakpoint asks for, or an inlined copy of
 * it if a copy is enough? */
static bool is_in(struct probe *probe, struct module *module,
		  struct breakpoint *breakpoint)
{
	struct breakpoint asked = *breakpoint;
	struct spot_list spots = {0};
	struct error *error;
	bool found;

	/* The library is searched for returns instead of exits: a function that
	 * has exits also has returns, and a search for returns makes no
	 * remarks. The remarks about exits are made when the library is
	 * loaded. */
	if (asked.kind == REQUEST_EXIT)
		asked.kind = REQUEST_RETURN;
	error = resolve_in_module(probe, NULL, module, &asked, &spots);
	if (!error && !spots.count && !request_needs_own_code(asked.kind))
		error = resolve_inlined(module, breakpoint, &spots);
	found = !error && spots.count;
	error_destroy(error);
	vec_free(&spots);
	return found;
}

const struct module *linked_with(struct probe *probe,
				 struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < probe->search.libraries.count; i++)
		if (is_in(probe, probe->search.libraries.data[i], breakpoint))
			return probe->search.libraries.data[i];
	return NULL;
}

bool probe_will_find(struct probe *probe, struct breakpoint *breakpoint)
{
	return linked_with(probe, breakpoint) != NULL;
}
