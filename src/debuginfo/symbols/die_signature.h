/*
 * die_signature.h - functions that have no name as linked
 *
 * Of what is never called out of line, a static function of C++, compilers
 * write down only its own name: scopes and parameters are in the debug
 * information.
 */
#ifndef PERFTOOL_DEBUGINFO_DIE_SIGNATURE_H
#define PERFTOOL_DEBUGINFO_DIE_SIGNATURE_H

#include "debuginfo/dwarf/dwarf.h"
#include "patterns.h"

/* Does the pattern say more than a name of its own, and might this be that? */
bool qualified_may_match(const struct pattern *pattern, const char *name);

/* Is it the function that a DIE is, or is a copy of? */
bool qualified_matches(struct debugfile *file, const struct die *die,
		       const struct pattern *pattern);

/* The same of a call of a function of this name that was inlined at
 * `address`. */
bool qualified_matches_call(struct debugfile *file, uint64_t address,
			    const char *name, const struct pattern *pattern);

#endif
