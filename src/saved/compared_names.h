/*
 * compared_names.h - the names of the legs of all files that are compared, each
 * of them once
 *
 * Files that are compared have mostly the same names, and so have the runs of a
 * file. A leg has the number of its name, and legs of one name are found by it.
 */
#ifndef SAVED_COMPARED_NAMES_H
#define SAVED_COMPARED_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "perftool/base/vec.h"
#include "perftool/saved.h"

struct compared_names {
	VEC(const char *) texts; /* by their numbers */
	uint32_t *slots;         /* a number + 1; 0: none */
	size_t slot_count;       /* a power of two, or 0 */
	VEC(char *) blocks;      /* where the texts are */
	size_t block_left;       /* bytes of the last block */
};

/* Returns the number of a name. It gets the next one if it is new. */
uint32_t compared_names_add(struct compared_names *names, const char *name);

#endif
