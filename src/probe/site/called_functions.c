/*
 * called_functions.c - the numbers of the functions whose calls are counted
 *
 * A function keeps its number if its library is mapped again at another
 * address, and from run to run. A program that was built anew meanwhile may
 * have another function at the same address, so the name belongs to what makes
 * a function the same.
 */
#include "called_functions.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/call_profiles.h"
#include "probe/process/process.h"

void called_functions_deinit(struct called_functions *functions)
{
	for (size_t i = 0; i < functions->list.count; i++)
		module_unref((struct module *)functions->list.data[i].module);
	vec_free(&functions->list);
	strmap_deinit(&functions->by_name);
}

uint32_t called_number(struct called_functions *functions,
		       struct module *module, const struct function *function)
{
	CLEANUP(free_pointer)
	char *name = xasprintf("%s %lx %s", module ? module->path : "",
			       function->address,
			       function->name ? function->name : "");
	uintptr_t number = (uintptr_t)strmap_get(&functions->by_name, name);

	if (number)
		return (uint32_t)number - 1;
	vec_push(&functions->list,
		 (struct called_function){.function = *function,
					  .module = module_ref(module)});
	number = functions->list.count;
	strmap_set(&functions->by_name, name, (void *)number);
	return (uint32_t)number - 1;
}
