/*
 * nested_ranges.h - finds the innermost of all ranges that contain an address
 *
 * In a correct file two ranges that overlap have different depths, and one
 * contains the other. If two ranges of a broken file overlap and have the same
 * depth, the range with the higher number counts as the inner one.
 */
#ifndef PERFTOOL_DEBUGINFO_NESTED_RANGES_H
#define PERFTOOL_DEBUGINFO_NESTED_RANGES_H

#include <stdint.h>

#include "perftool/base/vec.h"

#define INNERMOST_NONE UINT32_MAX

struct innermost_range {
	uint64_t low, high;
	uint32_t depth;
	/* the number that the caller has given to the range, and that
	 * innermost_at() returns */
	uint32_t number;
};
VEC_STRUCT(innermost_list, struct innermost_range);

/* From `low` up to the `low` of the next span, `number` is the number of the
 * innermost range, or INNERMOST_NONE. */
struct innermost_span {
	uint64_t low;
	uint32_t number;
};

/* The finished table. All bytes 0 is a valid value: a table without ranges. */
struct innermost {
	VEC(struct innermost_span) spans;
};

/* Make the table `out`, which must be empty, from the ranges. The function
 * changes the order of `ranges`. The caller frees the table with
 * innermost_free(). */
void innermost_make(struct innermost_list *ranges, struct innermost *out);

/* The number of the deepest range that contains the address, or
 * INNERMOST_NONE. */
uint32_t innermost_at(const struct innermost *innermost, uint64_t address);

void innermost_free(struct innermost *innermost);

#endif
