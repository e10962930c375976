/*
 * flat_profile.h - how many ticks each procedure has by itself, in the three
 * listings of SPIN's profiler: what `print flat` shows
 *
 * A tick is delayed if it was taken elsewhere than it fell due. It then counts
 * for the caller of the procedure that was found, because the procedure that
 * was found is where the delay ended, and its caller has probably called the
 * procedure in which the tick fell due, too. doc/RULES.md, "Profiles".
 */
#ifndef PERFTOOL_PROFILE_FLAT_PROFILE_H
#define PERFTOOL_PROFILE_FLAT_PROFILE_H

#include <stdint.h>

#include "perftool/base/vec.h"
#include "perftool/profile/call_stacks.h"

struct flat_row {
	/* NO_PROCEDURE: ticks whose stacks have no frame */
	uint32_t procedure;
	uint64_t ticks;
};

struct flat_listing {
	VEC(struct flat_row) rows; /* most ticks first, then by name */
	uint64_t ticks;            /* of all rows */
};

/* `all` is the sum of the other two, for each procedure. All zero is empty. */
struct flat_profile {
	struct flat_listing all, on_time, delayed;
};

void flat_profile_deinit(struct flat_profile *profile);

/* Make the three listings of the ticks among the samples. `profile` is empty
 * before. */
void flat_profile_make(const struct call_stacks *stacks,
		       struct flat_profile *profile);

#endif
