/* module_numbers.c - see module_numbers.h */
#include "module_numbers.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/loaded_modules.h"

struct module_numbers *module_numbers_create(void)
{
	return xcalloc(1, sizeof(struct module_numbers));
}

void module_numbers_destroy(struct module_numbers *numbers)
{
	for (size_t i = 0; i < numbers->kept.count; i++)
		module_drop(numbers->kept.data[i]);
	vec_free(&numbers->kept);
	vec_free(&numbers->files);
	map_deinit(&numbers->by_module);
	free(numbers);
}

/* Returns the number of the file that the module comes from. */
static uint32_t file_number(struct module_numbers *numbers,
			    const struct module *module)
{
	for (size_t i = 0; i < numbers->files.count; i++) {
		if (module_is_same_file(numbers->files.data[i], module))
			return (uint32_t)i + 1;
	}
	vec_push(&numbers->files, module);
	return (uint32_t)numbers->files.count;
}

uint32_t module_number(struct module_numbers *numbers,
		       const struct module *module)
{
	uint64_t number =
		map_get_number(&numbers->by_module, (uintptr_t)module);

	if (!number) {
		number = file_number(numbers, module);
		/* While it is kept, no other module can get its address. */
		vec_push(&numbers->kept, module_keep(module));
		map_set_number(&numbers->by_module, (uintptr_t)module, number);
	}
	return (uint32_t)number;
}

const struct module *numbered_module(const struct module_numbers *numbers,
				     uint32_t number)
{
	return number && number <= numbers->files.count
		       ? numbers->files.data[number - 1]
		       : NULL;
}
