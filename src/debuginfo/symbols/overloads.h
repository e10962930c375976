/*
 * overloads.h - a function's name that was written with types the linker does
 * not know
 */
#ifndef PERFTOOL_DEBUGINFO_OVERLOADS_H
#define PERFTOOL_DEBUGINFO_OVERLOADS_H

#include "debuginfo/elf/elf.h"

/*
 * Replace typedefs in `name` by the types they stand for: in parameters, in
 * template arguments and in the function's scope. Also replace an alias of a
 * namespace by the namespace. NULL: the name has neither. The function reads
 * all types of the file. The caller frees the result.
 */
char *expand_typedefs(struct debugfile *file, const char *name);

/* The last component of `name` without parameters and template arguments.
 * NULL: the name consists of this alone. The caller frees the result. */
char *last_name(const char *name);

#endif
