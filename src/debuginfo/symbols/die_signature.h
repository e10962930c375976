/*
 * die_signature.h - functions that have no linked name
 *
 * For a static C++ function that is never called out of line, compilers write
 * only its plain name and no linked name. Its scopes and parameters are in the
 * debug information, and this file compares them with a pattern.
 */
#ifndef PERFTOOL_DEBUGINFO_DIE_SIGNATURE_H
#define PERFTOOL_DEBUGINFO_DIE_SIGNATURE_H

#include "debuginfo/dwarf/dwarf.h"
#include "patterns.h"

/* Does the pattern say more than a plain name, and could a function of this
 * plain name match it? */
bool qualified_may_match(const struct pattern *pattern, const char *name);

/* Does the pattern match the function that `die` describes or is a copy of? */
bool qualified_matches(struct debugfile *file, const struct die *die,
		       const struct pattern *pattern);

/* Does the pattern match the function of this name of which a call was inlined
 * at `address`? */
bool qualified_matches_call(struct debugfile *file, uint64_t address,
			    const char *name, const struct pattern *pattern);

#endif
