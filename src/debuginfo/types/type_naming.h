/*
 * type_naming.h - how types are written: as C, C++ or Rust does, with their
 * scopes
 */
#ifndef PERFTOOL_DEBUGINFO_TYPE_NAMING_H
#define PERFTOOL_DEBUGINFO_TYPE_NAMING_H

#include "debuginfo/dwarf/dwarf.h"

/*
 * The name of the type that `type` is (NULL: void), around a declarator: "" or
 * what is written where a variable's name would be, "**" of a pointer to a
 * pointer to it. The caller frees it.
 */
char *type_name_at(struct debugfile *file, const struct die *type,
		   const char *declarator);

/* Append the scopes that a DIE of C++ or Rust is in, `ns::Class::`. */
void append_scopes(struct debugfile *file, const struct die *die,
		   struct str *out);

#endif
