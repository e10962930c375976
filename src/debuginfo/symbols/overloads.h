/*
 * overloads.h - a name that was written with types the linker does not know
 */
#ifndef PERFTOOL_DEBUGINFO_OVERLOADS_H
#define PERFTOOL_DEBUGINFO_OVERLOADS_H

#include "debuginfo/elf/elf.h"

/* `name` with the types in place of the typedefs that it has in parameters,
 * template arguments or as its scope, and with the namespace that an alias is
 * of; NULL: there are none. It has all types of the file read. The caller frees
 * it. */
char *expand_typedefs(struct debugfile *file, const char *name);

/* The last of its names alone; NULL: it is one without anything else. The
 * caller frees it. */
char *last_name(const char *name);

#endif
