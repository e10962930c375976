/*
 * declarations.h - variables that one unit uses and another one defines
 */
#ifndef PERFTOOL_DEBUGINFO_DECLARATIONS_H
#define PERFTOOL_DEBUGINFO_DECLARATIONS_H

#include "debuginfo/dwarf/dwarf.h"

/* Find `extern int name;` outside the functions of a unit. */
bool declared_find(struct debugfile *file, struct unit *unit, const char *name,
		   struct die *out);

/* The linked name of the variable that the DIE only declares; the caller frees
 * it. NULL: the DIE is not a declaration, or other files cannot define the
 * variable. */
char *declared_symbol(struct debugfile *file, const struct die *die);

#endif
