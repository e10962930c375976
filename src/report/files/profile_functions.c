/* profile_functions.c - see profile_functions.h */
#include "profile_functions.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"

/* Number the procedures of `from`, which may be NULL. The caller frees the
 * array. */
static uint32_t *take_over(struct procedures *table,
			   const struct procedures *from)
{
	size_t count = from ? from->list.count : 0;
	uint32_t *numbers = xcalloc(count + 1, sizeof(*numbers));

	for (size_t i = 0; i < count; i++)
		numbers[i] = procedures_number(table, &from->list.data[i]);
	return numbers;
}

void profile_functions_init(struct profile_functions *functions,
			    const struct profile *profile)
{
	functions->table = (struct procedures){0};
	functions->of_stacks = take_over(
		&functions->table,
		profile->stacks ? &profile->stacks->procedures : NULL);
	functions->of_arcs =
		take_over(&functions->table,
			  profile->arcs ? profile->arc_procedures : NULL);
}

void profile_functions_deinit(struct profile_functions *functions)
{
	procedures_deinit(&functions->table);
	free(functions->of_stacks);
	free(functions->of_arcs);
}

void add_up_threads(const struct profile *profile, struct call_arcs *all)
{
	if (!profile->arcs)
		return;
	for (size_t i = 0; i < profile->arcs->list.count; i++) {
		struct call_arc arc = profile->arcs->list.data[i];

		arc.thread = 0;
		arc.by_site = false;
		call_arcs_add(all, &arc);
	}
	if (profile->arcs->others)
		call_arcs_add(
			all, &(struct call_arc){.caller = NO_PROCEDURE,
						.callee = NO_PROCEDURE,
						.times = profile->arcs->other});
}

const struct profile_module *
profile_module_of_name(const struct profile *profile, const char *name)
{
	for (size_t i = 0; name && i < profile->module_count; i++) {
		if (str_equal(profile->modules[i].name, name))
			return &profile->modules[i];
	}
	return NULL;
}

const struct profile_module *
profile_module_of_number(const struct profile *profile, uint32_t number)
{
	for (size_t i = 0; number && i < profile->module_count; i++) {
		if (profile->modules[i].number == number)
			return &profile->modules[i];
	}
	return NULL;
}
