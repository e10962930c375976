/*
 * containment.h - under which procedure the Spy's display indents each
 * procedure
 *
 * The source is the Cedar Spy: "A procedure is indented immediately under the
 * deepest procedure that completely contains all of the calls to it."
 * doc/RULES.md, "The Spy's display", says what that means for recorded stacks.
 */
#ifndef PERFTOOL_PROFILE_CONTAINMENT_H
#define PERFTOOL_PROFILE_CONTAINMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/profile/stack_figures.h"

/*
 * Find the parent of each procedure that is shown. `is_shown` and `parents`
 * have an element for each procedure; only procedures that are shown become
 * parents. A parent of NO_PROCEDURE means that the procedure is at the top
 * level; it is also the parent of what is not shown. A wait must not be shown.
 *
 * Stacks that could not be unwound to their end do not say what was above
 * their outermost frame. They decide only for procedures that no other stack
 * has.
 */
void containment_find(const struct call_stacks *stacks,
		      const struct stack_figures *figures, const bool *is_shown,
		      uint32_t *parents);

#endif
