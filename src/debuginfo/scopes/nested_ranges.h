/*
 * nested_ranges.h - which of many ranges, one in the other, an address is in
 *
 * A broken file may have any: where two overlap and neither is deeper, the
 * later one is taken.
 */
#ifndef PERFTOOL_DEBUGINFO_NESTED_RANGES_H
#define PERFTOOL_DEBUGINFO_NESTED_RANGES_H

#include <stdint.h>

#include "perftool/base/vec.h"

#define INNERMOST_NONE UINT32_MAX

struct innermost_range {
	uint64_t low, high;
	uint32_t depth;
	uint32_t number; /* the caller's: what is found; later ones are more */
};
VEC_STRUCT(innermost_list, struct innermost_range);

/* From here up to where the next one begins. */
struct innermost_span {
	uint64_t low;
	uint32_t number;
};

/* Zero: of no ranges. */
struct innermost {
	VEC(struct innermost_span) spans;
};

/* Of the ranges, which are put in another order. `out` is empty. */
void innermost_make(struct innermost_list *ranges, struct innermost *out);

/* The number of the deepest range around the address, or INNERMOST_NONE. */
uint32_t innermost_at(const struct innermost *innermost, uint64_t address);

void innermost_free(struct innermost *innermost);

#endif
