/*
 * nested_ranges.h - finds the innermost of many nested ranges at an address
 *
 * In a broken file ranges may overlap without one being in the other. If two
 * overlap and have the same depth, the later one is used.
 */
#ifndef PERFTOOL_DEBUGINFO_NESTED_RANGES_H
#define PERFTOOL_DEBUGINFO_NESTED_RANGES_H

#include <stdint.h>

#include "perftool/base/vec.h"

#define INNERMOST_NONE UINT32_MAX

struct innermost_range {
	uint64_t low, high;
	uint32_t depth;
	/* the caller's number of the range, which innermost_at() returns; of
	 * two ranges the later one has the higher number */
	uint32_t number;
};
VEC_STRUCT(innermost_list, struct innermost_range);

/* The number `number` is valid from `low` up to the next span. */
struct innermost_span {
	uint64_t low;
	uint32_t number;
};

/* Zero is a valid value without ranges. */
struct innermost {
	VEC(struct innermost_span) spans;
};

/* Make `out`, which is empty, of the ranges. The function changes the order of
 * `ranges`. */
void innermost_make(struct innermost_list *ranges, struct innermost *out);

/* The number of the deepest range that contains the address, or
 * INNERMOST_NONE. */
uint32_t innermost_at(const struct innermost *innermost, uint64_t address);

void innermost_free(struct innermost *innermost);

#endif
