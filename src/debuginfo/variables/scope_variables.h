/*
 * scope_variables.h - finds variables outside functions by names with a scope
 */
#ifndef PERFTOOL_DEBUGINFO_SCOPE_VARIABLES_H
#define PERFTOOL_DEBUGINFO_SCOPE_VARIABLES_H

#include "debuginfo/dwarf/dwarf.h"

/* Split a name at its last `::` into scope (empty for `::name`) and base.
 * False: the name has no `::`. The caller frees *scope. */
bool scoped_split(const char *name, char **scope, const char **base);

/* Find the variable, static member or enumerator `base` of a scope. The scope
 * is a namespace, a class, an enumeration, a function, a source file, or ""
 * for none. The unit of the code at `address` is searched first. */
bool scoped_find(struct debugfile *file, uint64_t address, const char *scope,
		 const char *base, struct die *out);

/* Search the scopes that contain the function at `address`, its class and its
 * namespaces, innermost first. */
bool scoped_find_around(struct debugfile *file, uint64_t address,
			const char *base, struct die *out);

#endif
