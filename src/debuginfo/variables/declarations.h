/*
 * declarations.h - variables that one unit uses and another one defines
 */
#ifndef PERFTOOL_DEBUGINFO_DECLARATIONS_H
#define PERFTOOL_DEBUGINFO_DECLARATIONS_H

#include "debuginfo/dwarf/dwarf.h"

/* Find the declaration of a variable of this name (as in `extern int name;`) in
 * a unit, outside its functions. */
bool declared_find(struct debugfile *file, struct unit *unit, const char *name,
		   struct die *out);

/* Return the linked name of the variable that the DIE declares; the caller
 * frees it. NULL: the DIE is not a declaration, other files cannot define the
 * variable, or the linked name is not known. */
char *declared_symbol(struct debugfile *file, const struct die *die);

#endif
