/*
 * type_naming.h - writes the names of types as C, C++ or Rust does, with their
 * scopes
 */
#ifndef PERFTOOL_DEBUGINFO_TYPE_NAMING_H
#define PERFTOOL_DEBUGINFO_TYPE_NAMING_H

#include "debuginfo/dwarf/dwarf.h"

/*
 * The name of the type `type` (NULL: void), written around a declarator. In C,
 * the name of an array or function type surrounds the variable's name: `int
 * x[3]`. `declarator` is the text in the place of the variable's name, or "".
 * For example, with "**" the result is the name of a pointer to a pointer to
 * `type`. The caller frees the name.
 */
char *type_name_at(struct debugfile *file, const struct die *type,
		   const char *declarator);

/* Append to `out` the scopes that contain a DIE of C++ or Rust, for example
 * `ns::Class::`. */
void append_scopes(struct debugfile *file, const struct die *die,
		   struct str *out);

#endif
