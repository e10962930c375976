/*
 * disjoint_sets.h - which procedures of a level of the Spy's display are never
 * in a stack together
 *
 * The source is the Cedar Spy: "none of the procedures in the set ever calls
 * any of the other procedures in the set, either directly or indirectly".
 */
#ifndef PERFTOOL_PROFILE_DISJOINT_SETS_H
#define PERFTOOL_PROFILE_DISJOINT_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/profile/stack_figures.h"

struct disjoint_sets;

/* Prepare for the levels of a display that shows these procedures; `is_shown`
 * has an element for each procedure. The caller frees the result with
 * disjoint_sets_destroy(). `stacks` must not change meanwhile. */
struct disjoint_sets *disjoint_sets_create(const struct call_stacks *stacks,
					   const struct stack_figures *figures,
					   const bool *is_shown);
void disjoint_sets_destroy(struct disjoint_sets *sets);

/* Give each member of a level the number of its set, from 0: the first set in
 * which no member before it has been in a recorded stack together with it. */
void disjoint_sets_assign(struct disjoint_sets *sets, const uint32_t *members,
			  size_t count, uint32_t *numbers);

#endif
