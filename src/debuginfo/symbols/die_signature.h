/*
 * die_signature.h - matches a pattern with a function that has a DIE but no
 * linked name
 *
 * For a static C++ function that is never called out of line, compilers write
 * only its plain name and no linked name. Its scopes and parameters are in the
 * debug information, and this file compares them with a pattern.
 */
#ifndef PERFTOOL_DEBUGINFO_DIE_SIGNATURE_H
#define PERFTOOL_DEBUGINFO_DIE_SIGNATURE_H

#include "debuginfo/dwarf/dwarf.h"
#include "patterns.h"

/* Could a function with this plain name match the pattern, and does the pattern
 * have scopes or parameters, or the name template arguments, so that
 * qualified_matches() must compare more than the plain name? */
bool qualified_may_match(const struct pattern *pattern, const char *name);

/* Does the pattern match the function that `die` describes? If `die` describes
 * a copy or an inlined call, its original is compared. */
bool qualified_matches(struct debugfile *file, const struct die *die,
		       const struct pattern *pattern);

/* Does the pattern match the function called `name` of which a call was inlined
 * at `address`? The function compares the scopes and parameters of the inlined
 * function. */
bool qualified_matches_call(struct debugfile *file, uint64_t address,
			    const char *name, const struct pattern *pattern);

#endif
