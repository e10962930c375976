/*
 * overloads.h - rewrites a function's name that the user wrote with typedefs or
 * namespace aliases, which the linked names do not contain
 */
#ifndef PERFTOOL_DEBUGINFO_OVERLOADS_H
#define PERFTOOL_DEBUGINFO_OVERLOADS_H

#include "debuginfo/elf/elf.h"

/*
 * Replace typedefs in `name` by the types they stand for: in parameters, in
 * template arguments and in the function's scope. Also replace an alias of a
 * namespace by the namespace. NULL: the name has neither a typedef nor an
 * alias. The function reads all types of the file. The caller frees the result.
 */
char *expand_typedefs(struct debugfile *file, const char *name);

/* The last component of `name` without parameters and template arguments. NULL:
 * `name` has only this component, and no parameters or template arguments. The
 * caller frees the result. */
char *last_name(const char *name);

#endif
