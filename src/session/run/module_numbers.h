/*
 * module_numbers.h - the modules that recorded addresses belong to, by number
 *
 * A number stands for a file. It stays valid when no process maps the file any
 * more, so the samples of a program that has ended can be given names.
 */
#ifndef SESSION_MODULE_NUMBERS_H
#define SESSION_MODULE_NUMBERS_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/probe.h"

struct module_numbers {
	VEC(const struct module *) files; /* by number - 1 */
	VEC(const struct module *) kept;  /* all that have a number */
	struct map by_module;
};

struct module_numbers *module_numbers_create(void);
/* Before probe_destroy(). */
void module_numbers_destroy(struct module_numbers *numbers);
/* Return the number of the module's file, which is not 0. */
uint32_t module_number(struct module_numbers *numbers,
		       const struct module *module);
/* NULL: there is no such number. */
const struct module *numbered_module(const struct module_numbers *numbers,
				     uint32_t number);

#endif
