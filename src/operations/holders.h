/*
 * holders.h - who has asked for something: the front ends that asked for it as
 * their own, and whether it stays without any of them
 */
#ifndef OPERATIONS_HOLDERS_H
#define OPERATIONS_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/vec.h"

/* All zero: nobody has asked. */
struct holders {
	VEC(uint32_t) owners; /* serials of front ends */
	bool is_kept;         /* somebody asked for it, and not as its own */
};

void holders_deinit(struct holders *holders);
/* `owner` 0: not as anybody's own. */
void holders_add(struct holders *holders, uint32_t owner);
/* A front end is gone. Returns whether this was the last that held it. */
bool holders_drop(struct holders *holders, uint32_t owner);

#endif
