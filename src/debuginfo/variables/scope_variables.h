/*
 * scope_variables.h - finds variables by names with a scope, such as
 * `ns::name`, `Class::member` or `file.c::name`
 */
#ifndef PERFTOOL_DEBUGINFO_SCOPE_VARIABLES_H
#define PERFTOOL_DEBUGINFO_SCOPE_VARIABLES_H

#include "debuginfo/dwarf/dwarf.h"

/* Split a name at its last `::` into the scope before it (empty for `::name`)
 * and the base after it. False: the name has no `::`. The caller frees
 * *scope. */
bool scoped_split(const char *name, char **scope, const char **base);

/* Find the variable, static member or enumerator `base` of a scope. The scope
 * is a namespace, a class, an enumeration, a function, a source file, or ""
 * for none. The unit of the code at `address` is searched first. */
bool scoped_find(struct debugfile *file, uint64_t address, const char *scope,
		 const char *base, struct die *out);

/* Find the variable, static member or enumerator `base` in the class and the
 * namespaces around the function at `address`. The innermost scope is searched
 * first. */
bool scoped_find_around(struct debugfile *file, uint64_t address,
			const char *base, struct die *out);

#endif
