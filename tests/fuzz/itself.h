/*
 * itself.h - a fuzz target as the program that it reads
 */
#ifndef ITSELF_H
#define ITSELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "perftool/debuginfo.h"

/* Memory of which a part can be read; always the same. */
static inline bool itself_memory(void *context, uint64_t address, void *buffer,
				 size_t size)
{
	uint8_t *bytes = buffer;

	(void)context;
	for (size_t i = 0; i < size; i++, address++) {
		if (address / 4096 % 7 == 3)
			return false;
		bytes[i] = (uint8_t)(address * 37 >> 3);
	}
	return true;
}

/* Open the target's own file; returns where its function subject() begins. */
static inline uint64_t itself_open(struct debugfile **file)
{
	struct function_list functions = {0};
	uint64_t address;

	if (debugfile_open("/proc/self/exe", file) ||
	    debugfile_find_functions(*file, "subject", &functions) ||
	    !functions.count)
		abort();
	address = functions.data[0].address;
	vec_free(&functions);
	return address;
}

#endif
