/*
 * scope_variables.h - variables outside functions, by names with a scope
 */
#ifndef PERFTOOL_DEBUGINFO_SCOPE_VARIABLES_H
#define PERFTOOL_DEBUGINFO_SCOPE_VARIABLES_H

#include "debuginfo/dwarf/dwarf.h"

/* What is before the last `::` of a name (empty for `::name`), and behind it;
 * false: there is none. The caller frees *scope. */
bool scoped_split(const char *name, char **scope, const char **base);

/*
 * The variable, static member or enumerator `base` of a scope: a namespace, a
 * class, an enumeration, a function, a source file; "" for none. As the code at
 * `address` sees it, whose unit comes first.
 */
bool scoped_find(struct debugfile *file, uint64_t address, const char *scope,
		 const char *base, struct die *out);

/* The same of the scopes that the function at `address` is in: its class, its
 * namespaces, innermost first. */
bool scoped_find_around(struct debugfile *file, uint64_t address,
			const char *base, struct die *out);

#endif
