/*
 * type_naming.h - writes types as C, C++ or Rust does, with their scopes
 */
#ifndef PERFTOOL_DEBUGINFO_TYPE_NAMING_H
#define PERFTOOL_DEBUGINFO_TYPE_NAMING_H

#include "debuginfo/dwarf/dwarf.h"

/*
 * The name of the type `type` (NULL: void), written around a declarator. The
 * declarator is what stands in the place of a variable's name, or "". For
 * example, "**" gives the name of a pointer to a pointer to `type`. The caller
 * frees the name.
 */
char *type_name_at(struct debugfile *file, const struct die *type,
		   const char *declarator);

/* Append the scopes that contain a DIE of C++ or Rust, as in `ns::Class::`. */
void append_scopes(struct debugfile *file, const struct die *die,
		   struct str *out);

#endif
